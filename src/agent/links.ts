// Subscription links served by a node's machine: what its lease has of a user, in every format, on an HTTPS listener of its own, also while
// the panel is away.
//
// links.json: the address, and the request for ACME; links.pem (0600): key and chain.

import { createHash, randomBytes, X509Certificate } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { AlpnAnswers } from '../adapters/acme/challenges.ts';
import { createLazyAcme } from '../adapters/acme/lazy-client.ts';
import { isDamaged, validateImport } from '../adapters/certificates/import.ts';
import { systemClock } from '../adapters/clock.ts';
import { prepareDataFolder } from '../adapters/data-folder.ts';
import { listenEverywhere } from '../adapters/listen-everywhere.ts';
import { readIfThere, setAside, writePrivateFile } from '../adapters/private-file.ts';
import { describeSystemError, refusal } from '../adapters/refusal.ts';
import type { AcmeFailureCode } from '../contract/settings/acme.ts';
import { DEFAULT_SUBSCRIPTION_HEADERS } from '../contract/subscription/headers.ts';
import type { Subscription } from '../core/kernel/core.ts';
import { NO_ORDERS } from '../core/ports/acme.ts';
import type { MachineCertificate } from '../core/ports/engines.ts';
import type { LeaseSettings, LeaseShared } from '../core/ports/lease.ts';
import type { Clock, Log, Timers } from '../core/ports/ports.ts';
import { isNearEnd } from '../domain/acme-schedule.ts';
import { parseOwnJson } from '../domain/own-json.ts';
import { expandHosts } from '../domain/subscription/hosts.ts';
import { canConnect, computeUserState, extraBytes, trafficTotal, usedBytes } from '../domain/users/account.ts';
import { selectOffered } from '../domain/users/offered.ts';
import type { Door } from '../door/door.ts';
import { createSubscriptionDoor } from '../door/subscription.ts';
import { createApp } from '../http/app.ts';
import { createServer } from '../http/server.ts';
import { renderSubscription } from '../subscription/render.ts';
import { type AcmeRequest, acmeRequest, dropOrders, readAcmeState, requestOrder, startOrdering } from './links-acme.ts';
import type { NodeLease } from './ports/lease.ts';

const SETTINGS = 'links.json';
const CERTIFICATE = 'links.pem';
const CHECK_MS = 60_000;
const DAY_MS = 86_400_000;
const STOP_GRACE_MS = 2000;
/** An imported certificate lasts 90 days or less; warn this many days before its end. */
const SOON_DAYS = 14;
/** Settings while there is no lease. */
const NO_LEASE: Omit<LeaseSettings, 'subPath'> = {
  subscriptionTitle: '',
  language: 'en',
  supportUrl: null,
  timeZone: 'UTC',
  announcement: '',
  updateIntervalHours: 12,
  subscriptionRules: [],
  subscriptionHeaders: DEFAULT_SUBSCRIPTION_HEADERS,
  subscriptionTemplates: { items: [], chosen: null, choices: [] },
  subscriptionApps: null,
  restartToCutOff: false,
  rateLimit: 0,
};

const linksSettings = z.object({
  host: z.string().nullable(),
  port: z.int().min(0).max(65_535),
  /** null: the certificate was imported. */
  acme: acmeRequest.nullable().default(null),
});
type LinksSettings = z.output<typeof linksSettings>;

/** null: this machine serves no links. */
function readLinksSettings(folder: string): LinksSettings | null {
  const text = readIfThere(join(folder, SETTINGS));
  if (text === null) return null;
  try {
    return linksSettings.parse(parseOwnJson(text));
  } catch {
    throw refusal('data_folder', `${join(folder, SETTINGS)} is damaged: set it again with \`panel node links on\`.`);
  }
}

interface LinksPlace {
  readonly host: string | null;
  readonly port: number;
}

interface LinksWanted extends LinksPlace {
  /** PEM: the leaf with the certificates that signed it, and its key. */
  readonly chain: string;
  readonly key: string;
}

/**
 * Makes the machine serve links from its next start; if it already does, it uses the new certificate within a minute. Throws a refusal for
 * a certificate that cannot be served.
 */
export function setLinks(folder: string, { host, port, chain, key }: LinksWanted): void {
  const validation = validateImport(chain, key, systemClock.now());
  if (!('key' in validation)) {
    const [first] = validation;
    throw refusal('refused', `The certificate cannot be served: ${first?.member} ${first?.message}.`);
  }
  prepareDataFolder(folder);
  writePrivateFile(join(folder, CERTIFICATE), validation.key + validation.chain);
  writePrivateFile(join(folder, SETTINGS), JSON.stringify({ host, port, acme: null }));
  dropOrders(folder);
}

/** Like `setLinks`, with certificates that the machine orders itself. Until one is issued, the present certificate is served. */
export function orderLinks(folder: string, { host, port }: LinksPlace, request: z.input<typeof acmeRequest>): void {
  const acme = acmeRequest.safeParse(request);
  if (!acme.success) throw refusal('refused', `This cannot be ordered: ${z.prettifyError(acme.error)}`);
  prepareDataFolder(folder);
  requestOrder(folder, acme.data, readIssuedChain(folder), systemClock.now());
  writePrivateFile(join(folder, SETTINGS), JSON.stringify({ host, port, acme: acme.data }));
}

/** The machine serves no links from its next start. */
export function dropLinks(folder: string): void {
  for (const name of [SETTINGS, CERTIFICATE]) rmSync(join(folder, name), { force: true });
  dropOrders(folder);
}

interface LinksIdentity {
  readonly key: string;
  readonly cert: string;
}

/** null: there is none, or it is damaged. */
function readIdentity(folder: string): LinksIdentity | null {
  const found = findIdentity(folder);
  return found === 'damaged' ? null : found;
}

function findIdentity(folder: string): LinksIdentity | 'damaged' | null {
  const text = readIfThere(join(folder, CERTIFICATE));
  if (text === null) return null;
  const at = Math.max(0, text.indexOf('-----BEGIN CERTIFICATE-----'));
  const [key, cert] = [text.slice(0, at), text.slice(at)];
  return isDamaged({ key, chain: cert }, systemClock.now()) ? 'damaged' : { key, cert };
}

/** The chain that ACME issued; null: the certificate was imported, or there is none. */
function readIssuedChain(folder: string): string | null {
  const chain = readIdentity(folder)?.cert ?? null;
  if (chain === null || readLinksSettings(folder)?.acme == null) return null;
  // An imported certificate stays until an order succeeds.
  const { issued } = readAcmeState(folder);
  return issued !== null && new X509Certificate(chain).validToDate.getTime() === issued.validity.to ? chain : null;
}

function listDnsNames(chain: string): readonly string[] {
  const leaf = new X509Certificate(chain);
  return (leaf.subjectAltName ?? '')
    .split(', ')
    .flatMap((one) => (one.startsWith('DNS:') ? [one.slice(4).toLowerCase()] : []));
}

export interface LinksFound {
  readonly port: number;
  /** When its certificate ends, epoch ms; null: there is none yet. */
  readonly endsAt: number | null;
  readonly daysLeft: number | null;
  /** Whether a certificate, or its renewal, is overdue. */
  readonly isLate: boolean;
  /** Why the last order failed, and when the next one starts; null: no failure, or the certificate was imported. */
  readonly failure: { readonly code: AcmeFailureCode; readonly text: string; readonly nextAt: number } | null;
  readonly isOrdered: boolean;
}

/** The state that `panel node doctor` shows; null: no links. */
export function examineLinks(folder: string, now: number): LinksFound | null {
  const settings = readLinksSettings(folder);
  if (settings === null) return null;
  const identity = readIdentity(folder);
  const isOrdered = settings.acme !== null;
  const leaf = identity && new X509Certificate(identity.cert);
  const span = leaf && { from: leaf.validFromDate.getTime(), to: leaf.validToDate.getTime() };
  const daysLeft = span && Math.floor((span.to - now) / DAY_MS);
  const isLate = isOrdered ? span !== null && isNearEnd(span, now) : daysLeft === null || daysLeft < SOON_DAYS;
  const { failure, notBefore } = isOrdered ? readAcmeState(folder) : NO_ORDERS;
  const description = failure && [failure.code, failure.name, failure.detail].filter((one) => one !== null).join(': ');
  return {
    port: settings.port,
    endsAt: span?.to ?? null,
    daysLeft,
    isLate,
    isOrdered,
    failure: failure && { code: failure.code, text: description ?? failure.code, nextAt: notBefore },
  };
}

/** The state that is sent to the panel; null: no links, or the folder's files cannot be read. */
export function machineCertificate(folder: string, now: number): MachineCertificate | null {
  try {
    const found = examineLinks(folder, now);
    return found && { endsAt: found.endsAt, isLate: found.isLate, failure: found.failure?.code ?? null };
  } catch {
    // `panel node doctor` reports this error.
    return null;
  }
}

type ServedSettings = LeaseSettings & { readonly secretPath: string; readonly instanceId: string };

interface Parts {
  readonly folder: string;
  readonly lease: NodeLease;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
}

export interface NodeLinks {
  readonly port: number;
  close(): Promise<void>;
}

/** A self-signed certificate, which no app trusts, until there is another. */
async function issueOwnIdentity(
  names: readonly string[],
  clock: Clock,
): Promise<{ readonly key: string; readonly cert: string }> {
  const { issueSelfSigned } = await import('../adapters/certificates/issuer.ts');
  const now = clock.now();
  const { key, pem } = await issueSelfSigned([...names], { from: now - DAY_MS, to: now + 365 * DAY_MS });
  return { key, cert: pem };
}

/** The subscription of a token, of which the lease has only the hash; null: no user has it, or there is no complete lease. */
function findSubscription({ lease, clock }: Parts, token: string): Subscription | null {
  const shared = lease.shared();
  if (shared === null || (lease.held()?.at ?? null) === null) return null;
  const now = clock.now();
  const found = lease.findLink(createHash('sha256').update(token).digest('hex'), now);
  if (!found) return null;
  const { id, name, credentials, inbounds, deviceLimit, updatedAt, leased, tariffId, tags } = found.user;
  const { account } = leased;
  const { usedUp, usedDown, expiresAt, resetsAt, trafficLimit, grants } = account;
  const state = computeUserState(account, now);
  // A used-up share and too many addresses block the user on this node only, so the link stays usable: other nodes allow the user.
  const mayConnect = canConnect(state);
  return {
    user: { id, name, token, state, usedUp, usedDown, expiresAt, resetsAt, deviceLimit, updatedAt, tariffId, tags },
    credentials,
    canConnect: mayConnect,
    total: trafficTotal({ trafficLimit, used: usedBytes(account), extra: extraBytes(grants, now) }),
    inbounds: mayConnect ? expandHosts(selectOffered(inbounds, shared.connections), { id, tariffId, tags }) : [],
    url: shared.linkBase + token,
    // Orders and linking of Telegram accounts need the panel.
    offers: () => [],
    bot: () => null,
  };
}

/** A door with links and no other route. */
function openDoor(parts: Parts, settings: () => ServedSettings): Door {
  const none = (): never => {
    throw new Error('only links are served here');
  };
  const link = createSubscriptionDoor({
    core: {
      subscription: (token) => findSubscription(parts, token),
      settings,
      recordLinkRead: () => {},
    },
    clock: parts.clock,
    log: parts.log,
    render: renderSubscription,
    rateRule: () => ({ perMinute: settings().rateLimit, burst: 1 }),
  });
  return { call: none, link, watch: none, fail: none, observe: () => {}, close: () => {} };
}

/** Serves links if the machine is set to; null: it is not. Rejects with a refusal if it cannot listen. */
export async function serveLinks(parts: Parts): Promise<NodeLinks | null> {
  const { folder, lease, clock, timers, log } = parts;
  const wanted = readLinksSettings(folder);
  if (wanted === null) return null;
  const found = findIdentity(folder);
  if (found === 'damaged') {
    // A damaged file is set aside: another certificate is ordered, or has to be imported.
    const aside = wanted.acme && setAside(join(folder, CERTIFICATE), clock.now());
    log.error('certificate of links is damaged', { file: join(folder, CERTIFICATE), aside });
  } else if (found === null && wanted.acme === null) log.error('links not served: there is no certificate');
  // Self-signed until a certificate is issued: challenges may arrive on the same port.
  const isThere = found !== null && found !== 'damaged';
  let identity = isThere ? found : wanted.acme && (await issueOwnIdentity(wanted.acme.names, clock));
  if (identity === null) return null;
  // A random secret path: no request finds it. Before the first lease no link resolves either.
  const nowhere = { secretPath: randomBytes(32).toString('hex'), instanceId: '' };
  const unknown = { ...NO_LEASE, subPath: randomBytes(32).toString('hex'), ...nowhere };
  let known: { readonly from: LeaseShared; readonly settings: ServedSettings } | null = null;
  const settings = (): ServedSettings => {
    const from = lease.shared();
    if (from === null) return unknown;
    if (known?.from !== from) known = { from, settings: { ...from.settings, ...nowhere } };
    return known.settings;
  };
  let names = new Set(listDnsNames(identity.cert));
  const none: readonly string[] = [];
  const trustedProxies = () => none;
  const door = openDoor(parts, settings);
  const app = createApp({ door, core: { settings }, clock, log, hosts: () => names, trustedProxies });
  const alpnAnswers: AlpnAnswers = new Map();
  const acmeAnswer = (name: string) => alpnAnswers.get(name) ?? null;
  const server = createServer({ app, log, tls: identity, trustedProxies, linksOnly: true, acmeAnswer });
  function followFile(): void {
    try {
      const next = readIdentity(folder);
      if (next === null || next.cert === identity?.cert) return;
      server.replaceCertificate(next);
      identity = next;
      names = new Set(listDnsNames(next.cert));
      log.info('certificate of links replaced', {});
    } catch (error) {
      log.error('certificate of links not replaced', { error: String(error) });
    }
  }
  const stopReading = timers.every(CHECK_MS, followFile);
  function orderFor(acme: AcmeRequest): () => void {
    return startOrdering({
      ...parts,
      wanted: acme,
      client: createLazyAcme({ folder, timers, alpnAnswers, log }),
      present: () => readLinksSettings(folder)?.acme ?? null,
      chain: () => readIssuedChain(folder),
      serve({ key, chain }) {
        writePrivateFile(join(folder, CERTIFICATE), key + chain);
        followFile();
        const { validFromDate, validToDate } = new X509Certificate(chain);
        return { from: validFromDate.getTime(), to: validToDate.getTime() };
      },
    });
  }
  try {
    const listenOn = (host: string) => server.listen(host, wanted.port);
    const { port } = await (wanted.host === null ? listenEverywhere(listenOn) : listenOn(wanted.host));
    log.info('links served', { port });
    const stopOrdering = wanted.acme ? orderFor(wanted.acme) : () => {};
    return {
      port,
      close() {
        stopReading();
        stopOrdering();
        app.close();
        return server.close(STOP_GRACE_MS);
      },
    };
  } catch (error) {
    stopReading();
    throw refusal('address', `Port ${wanted.port} for links cannot be listened on: ${describeSystemError(error)}.`);
  }
}
