// Why a user cannot connect: pure rules over loaded facts.

import type { InboundWarning } from '../../contract/inbounds.ts';
import type { NodeErrorCode } from '../../contract/nodes/nodes.ts';
import type { Figures, Finding, FindingCode, Remedy, Verdict } from '../../contract/users/diagnosis.ts';
import type { UserState } from '../../contract/users/users.ts';
import { isLoopbackHost, isPrivateHost } from '../host.ts';
import { DAY_MS } from '../limits.ts';

/** A node of a connection. Times are epoch ms. */
export interface DiagnosedNode {
  readonly id: number;
  readonly name: string;
  readonly status: 'up' | 'down' | 'unknown';
  readonly errorCode: NodeErrorCode | null;
  readonly lastSeenAt: number | null;
  /** Changes that were not pushed to its engine yet; null: the engine must be started first. */
  readonly pendingChanges: number | null;
}

/** A connection that the user's link offers, or would offer. */
export interface DiagnosedConnection {
  readonly id: number;
  readonly name: string;
  /** The address that users connect to. */
  readonly address: string;
  readonly warnings: readonly InboundWarning[];
  /** The engine refused this user on the connection. */
  readonly isLeftOut: boolean;
  readonly node: DiagnosedNode;
}

/** Times are epoch ms, traffic is bytes. */
export interface DiagnosedFacts {
  readonly now: number;
  readonly state: UserState;
  readonly expiresAt: number | null;
  readonly resetsAt: number | null;
  readonly used: number;
  readonly limit: number | null;
  /** null: unlimited. */
  readonly remaining: number | null;
  /** The last excess of concurrent addresses. */
  readonly cutOff: { readonly addresses: number; readonly limit: number | null; readonly until: number } | null;
  readonly online: boolean;
  readonly onlineAt: number | null;
  /** Number of addresses the user is connected from; null: unknown. */
  readonly addresses: number | null;
  readonly link: {
    readonly host: string;
    /** The last read by an application, with its name; null: none. */
    readonly read: { readonly at: number; readonly app: string | null } | null;
    /** Whether clients trust the certificate of the link; null: the panel does not serve it itself. */
    readonly certificate: 'trusted' | 'untrusted' | 'ended' | null;
  };
  /** Number of connections that the panel offers at all. */
  readonly offered: number;
  readonly connections: readonly DiagnosedConnection[];
}

const ENDS_SOON_MS = 3 * DAY_MS;
/** Traffic is low below this fraction of the limit. */
const LOW_PART = 0.1;
/** Warnings with which no client can connect. */
const BROKEN: readonly InboundWarning[] = ['not_served', 'port_taken', 'refused', 'certificate_ended'];

const RANK: Readonly<Record<Finding['severity'], number>> = { blocking: 0, warning: 1, fine: 2 };

/** Most severe first; then in the order of the checks: user, connections, link. */
export function diagnose(facts: DiagnosedFacts): { readonly verdict: Verdict; readonly findings: Finding[] } {
  const all = [...ofUser(facts), ...ofConnections(facts), ...ofLink(facts), ofUse(facts)];
  const findings = all.toSorted((a, b) => RANK[a.severity] - RANK[b.severity]);
  const severity = findings[0]?.severity ?? 'fine';
  return { verdict: severity === 'blocking' ? 'cannot' : severity === 'warning' ? 'may_fail' : 'fine', findings };
}

function blocking(code: FindingCode, remedy: Remedy | null, figures: Figures = {}): Finding {
  return { code, severity: 'blocking', figures, remedy };
}

function warning(code: FindingCode, remedy: Remedy | null, figures: Figures = {}): Finding {
  return { code, severity: 'warning', figures, remedy };
}

function fine(code: FindingCode, figures: Figures = {}): Finding {
  return { code, severity: 'fine', figures, remedy: null };
}

function at(ms: number | null): Pick<Figures, 'at'> {
  return { at: ms === null ? null : new Date(ms).toISOString() };
}

/** State, term, traffic and addresses. */
function ofUser(facts: DiagnosedFacts): readonly Finding[] {
  const { cutOff, now } = facts;
  const findings = [...ofState(facts)];
  if (cutOff !== null && cutOff.until > now) {
    const { addresses, limit, until } = cutOff;
    const figures = { ...at(until), count: addresses, ...(limit !== null && { limit }) };
    findings.push(blocking('too_many_addresses', 'lift_address_limit', figures));
  }
  return findings;
}

function ofState(facts: DiagnosedFacts): readonly Finding[] {
  const { state, expiresAt, resetsAt, used, limit, remaining, now } = facts;
  switch (state) {
    case 'disabled':
      return [blocking('disabled', 'enable')];
    case 'expired':
      return [blocking('expired', 'extend', at(expiresAt))];
    case 'limited':
      return [blocking('limited', 'add_traffic', { ...at(resetsAt), bytes: used, limit: limit ?? 0 })];
    case 'on_hold':
      return [fine('on_hold')];
    case 'active': {
      const soon: Finding[] = [];
      if (expiresAt !== null && expiresAt - now < ENDS_SOON_MS)
        soon.push(warning('term_ends_soon', 'extend', at(expiresAt)));
      if (limit !== null && remaining !== null && remaining < limit * LOW_PART)
        soon.push(warning('traffic_low', 'add_traffic', { bytes: remaining, limit }));
      return soon.length > 0 ? soon : [fine('may_connect', at(expiresAt))];
    }
  }
}

function isUsable({ address, warnings, isLeftOut, node }: DiagnosedConnection): boolean {
  return node.status !== 'down' && !isLeftOut && !isLoopbackHost(address) && !warnings.some(isBroken);
}

function isBroken(one: InboundWarning): boolean {
  return BROKEN.includes(one);
}

/** Checks the connections of the link and their nodes. A fault blocks the user only if no other connection should work. */
function ofConnections({ offered, connections }: DiagnosedFacts): readonly Finding[] {
  if (offered === 0) return [blocking('no_connections', 'add_connection')];
  if (connections.length === 0) return [blocking('none_granted', 'allow_all_connections', { count: offered })];
  const others = connections.filter(isUsable).length;
  const fault = others === 0 ? blocking : warning;
  const nodes = new Map(connections.map(({ node }) => [node.id, node]));
  const findings = [...nodes.values()].flatMap((node) => ofNode(node, others, fault));
  for (const { id, name, address, warnings, isLeftOut } of connections) {
    if (isLeftOut) findings.push(fault('left_out', 'open_connection', { id, name, others }));
    if (isLoopbackHost(address))
      findings.push(fault('connection_loopback', 'open_connection', { id, name, host: address, others }));
    if (warnings.some(isBroken)) findings.push(fault('connection_broken', 'open_connection', { id, name, others }));
  }
  return findings;
}

function ofNode(node: DiagnosedNode, others: number, fault: typeof blocking): readonly Finding[] {
  const { id, name, status, errorCode, lastSeenAt, pendingChanges } = node;
  if (status === 'down')
    return [fault('node_down', 'open_node', { ...at(lastSeenAt), id, name, others, error_code: errorCode })];
  if (status === 'unknown') return [warning('node_unknown', 'open_node', { id, name, others })];
  if (pendingChanges !== 0)
    return [warning('node_not_synced', 'open_node', { id, name, count: pendingChanges, error_code: errorCode })];
  return [fine('node_up', { id, name })];
}

/** Checks whether the link is reachable and was read by an application. */
function ofLink({ link: { host, read, certificate } }: DiagnosedFacts): readonly Finding[] {
  const findings: Finding[] = [];
  // An application that has read it once has the connections, but gets no updates.
  const fault = read === null ? blocking : warning;
  if (isLoopbackHost(host)) findings.push(fault('link_loopback', 'set_address', { host }));
  else if (isPrivateHost(host)) findings.push(warning('link_private', 'set_address', { host }));
  if (certificate === 'ended') findings.push(fault('certificate_ended', 'set_certificate', { host }));
  if (certificate === 'untrusted') findings.push(warning('certificate_untrusted', 'set_certificate', { host }));
  if (read === null) findings.push(warning('link_never_read', 'copy_link'));
  else findings.push(fine('link_read', { ...at(read.at), ...(read.app !== null && { name: read.app }) }));
  return findings;
}

function ofUse({ online, onlineAt, addresses }: DiagnosedFacts): Finding {
  if (online) return fine('online', { count: addresses });
  return onlineAt === null ? fine('never_online') : fine('last_online', at(onlineAt));
}
