// Loads the facts of a diagnosis, and finds the records of a pasted text. Writes nothing, logs nothing and uses no network.
import type { Input, Output } from '../../contract/table.ts';
import { computeLinkTrust } from '../../domain/link-trust.ts';
import { nodeStatusAt } from '../../domain/nodes/node-status.ts';
import { trafficRemaining } from '../../domain/users/account.ts';
import {
  type DiagnosedConnection,
  type DiagnosedFacts,
  type DiagnosedNode,
  diagnose,
} from '../../domain/users/diagnosis.ts';
import { type Pasted, type PastedCredential, readPasted } from '../../domain/users/pasted.ts';
import { computeKeyState } from '../access/keys.ts';
import { viewEntry } from '../audit/audit.ts';
import { listWarnings } from '../inbounds/inbounds.ts';
import type { Context, Handlers } from '../kernel/context.ts';
import { pendingChanges } from '../nodes/nodes.ts';
import type { Result } from '../ports/call.ts';
import type { KeyRow } from '../ports/keys.ts';
import type { OrderRow } from '../ports/sales.ts';
import type { UserRow } from '../ports/users.ts';
import { settleRow } from '../users/change.ts';
import { ONLINE_MS, requireUser } from '../users/users.ts';

/** Entries shown for one request. */
const MAX_ENTRIES = 20;
/** Users read to find an exact name. */
const MAX_ALIKE = 20;

function indexNodes(context: Context): ReadonlyMap<number, DiagnosedNode> {
  const { nodes } = context.store;
  return new Map(
    nodes.page(nodes.count(), 0).map((row) => {
      const { id, name, errorCode, lastSeenAt } = row;
      const status = nodeStatusAt(row, context.now);
      return [id, { id, name, status, errorCode, lastSeenAt, pendingChanges: pendingChanges(context, id) }];
    }),
  );
}

/** The host of a link, without its port. */
function hostIn(link: string): string {
  const [, host = ''] = /^[a-z]+:\/\/(\[[^\]]*\]|[^/:]*)/i.exec(link) ?? [];
  return host;
}

function listConnections(context: Context, row: UserRow): readonly DiagnosedConnection[] {
  const { inbounds, sync } = context.store;
  const nodes = indexNodes(context);
  const offered = inbounds.listOffered().filter(({ inbound }) => row.inbounds?.includes(inbound.id) ?? true);
  const nodeIds = new Set(offered.map(({ inbound }) => inbound.nodeId));
  const leftOut = new Set(
    [...nodeIds].flatMap((id) =>
      sync
        .quarantined(id)
        .filter(({ userId }) => userId === row.id)
        .map(({ inboundId }) => inboundId),
    ),
  );
  return offered.flatMap(({ inbound, address }) => {
    const node = nodes.get(inbound.nodeId);
    if (!node) return [];
    const { id, name } = inbound;
    return [{ id, name, address, warnings: listWarnings(context, inbound), isLeftOut: leftOut.has(id), node }];
  });
}

function collectFacts(context: Context, stored: UserRow): DiagnosedFacts {
  const { store, now, env } = context;
  const row = settleRow(store, stored, now, context.settings);
  const used = row.usedUp + row.usedDown;
  const { trafficLimit: limit, excess } = row;
  return {
    now,
    state: row.state,
    expiresAt: row.expiresAt,
    resetsAt: row.resetsAt,
    used,
    limit,
    remaining: trafficRemaining({ trafficLimit: limit, used, extra: row.extra }),
    cutOff:
      excess === null || excess.cutOffUntil === null
        ? null
        : { addresses: excess.addresses, limit: row.concurrentLimit, until: excess.cutOffUntil },
    online: row.onlineAt !== null && row.onlineAt > now - ONLINE_MS,
    onlineAt: row.onlineAt,
    addresses: store.connected.countOfUser(row.id, now),
    link: {
      host: hostIn(env.subUrl(row.token)),
      read: env.linkReads.get(row.id) ?? null,
      certificate: computeLinkTrust(env.host()?.certificates?.served() ?? []),
    },
    offered: store.inbounds.listOffered().length,
    connections: listConnections(context, row),
  };
}

function diagnoseUser({ id }: Input<'diagnoseUser'>, context: Context): Result<Output<'diagnoseUser'>> {
  return { body: context.store.read(() => diagnose(collectFacts(context, requireUser(context, id)))) };
}

interface Found {
  readonly kind: Output<'identify'>['kind'];
  readonly user?: UserRow | undefined;
  readonly keys?: readonly KeyRow[];
  readonly order?: OrderRow | undefined;
  /** The request whose entries are shown. */
  readonly requestId?: string;
}

function findOwner({ store }: Context, { family, value, isBeginning }: PastedCredential): UserRow | undefined {
  const id = store.users.findOwnerId(family, value, isBeginning);
  return id === undefined ? undefined : store.users.get(id);
}

/** The only user of a result. */
function only(rows: readonly UserRow[]): UserRow | undefined {
  return rows.length === 1 ? rows[0] : undefined;
}

function findByWords({ store, now }: Context, text: string): Found {
  const { users } = store;
  const behindToken = users.byToken(text);
  if (behindToken) return { kind: 'subscription_link', user: behindToken };
  const page = (conditions: Parameters<typeof users.page>[0]['conditions']) =>
    users.page({ conditions, sort: 'id', descending: false, limit: MAX_ALIKE, offset: 0, after: null, now }).rows;
  const byContact = page({ contact: text });
  if (byContact.length > 0) return { kind: 'contact', user: only(byContact) };
  // Search is limited to short texts; names are not longer.
  const alike = text.length > 100 ? [] : page({ q: text });
  const named = alike.filter(({ name }) => name.toLocaleLowerCase() === text.toLocaleLowerCase());
  if (named.length > 0) return { kind: 'name', user: only(named) };
  const externally = text.length > 100 ? undefined : users.byExternalId(text);
  return externally ? { kind: 'id', user: externally } : { kind: 'unknown' };
}

/** Shorter texts are typed names, while order ids are pasted. */
const LEAST_ORDER_ID = 6;

/** The order with this provider id, receipt or page address. */
function findOrder({ store }: Context, text: string): Found | undefined {
  const order = text.length < LEAST_ORDER_ID ? undefined : store.sales.orderByText(text);
  if (order === undefined) return undefined;
  return { kind: 'order', order, user: order.userId === null ? undefined : store.users.get(order.userId) };
}

function find(pasted: Pasted, context: Context): Found {
  const { store, crypto } = context;
  switch (pasted.kind) {
    case 'share_link':
      return { kind: 'share_link', user: pasted.credential ? findOwner(context, pasted.credential) : undefined };
    case 'subscription_link': {
      const user = store.users.byToken(pasted.token);
      return (user ? undefined : findOrder(context, pasted.token)) ?? { kind: 'subscription_link', user };
    }
    case 'key': {
      const whole = pasted.isWhole ? store.keys.byHash(crypto.sha256(pasted.value)) : undefined;
      const known = store.keys
        .all()
        .filter(({ prefix }) => pasted.value.startsWith(prefix) || prefix.startsWith(pasted.value));
      return { kind: 'key', keys: pasted.isWhole ? (whole ? [whole] : []) : known };
    }
    case 'uuid': {
      const user = findOwner(context, { family: 'uuid', value: pasted.value, isBeginning: false });
      if (user) return { kind: 'share_link', user };
      return findOrder(context, pasted.value) ?? { kind: 'request', requestId: pasted.value.replaceAll('-', '') };
    }
    case 'request':
      return { kind: 'request', requestId: pasted.id };
    case 'id': {
      const user = store.users.get(pasted.id) ?? store.users.byTelegramId(pasted.id);
      return (user ? undefined : findOrder(context, String(pasted.id))) ?? { kind: 'id', user };
    }
    case 'words': {
      const found = findByWords(context, pasted.text);
      return (found.kind === 'unknown' && findOrder(context, pasted.text)) || found;
    }
  }
}

function identify({ text }: Input<'identify'>, context: Context): Result<Output<'identify'>> {
  const { store, now, settings } = context;
  const { kind, user, keys = [], order, requestId } = store.read(() => find(readPasted(text), context));
  const row = user && settleRow(store, user, now, settings);
  const entries = requestId === undefined ? [] : store.audit.page({ requestId, limit: MAX_ENTRIES }).map(viewEntry);
  return {
    body: {
      kind,
      user: row ? { id: row.id, name: row.name, contact: row.contact, state: row.state } : null,
      keys: keys.map((key) => ({ id: key.id, name: key.name, prefix: key.prefix, state: computeKeyState(key, now) })),
      order: order ? { id: order.id, state: order.state, user_name: order.userName } : null,
      entries,
    },
  };
}

export const DIAGNOSIS_HANDLERS = {
  diagnoseUser: { read: diagnoseUser, opensTransaction: true },
  identify: { read: identify, opensTransaction: true },
} satisfies Handlers<'diagnoseUser' | 'identify'>;
