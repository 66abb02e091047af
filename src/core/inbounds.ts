// Connections (inbounds): what users connect to. A Read key sees which there are, never where.
import type { INBOUND_READ_FIELDS, Inbound, InboundCreate } from '../contract/inbounds.ts';
import type { Input, Output } from '../contract/table.ts';
import type { Call, Reply, Scope } from './context.ts';
import type { Env } from './env.ts';
import { etagOf, requireMatch } from './etag.ts';
import type { Handlers } from './handler.ts';
import { requireConsistent } from './inbound-rules.ts';
import { bodyError, PanelError } from './panel-error.ts';
import type { InboundRow } from './ports/plans.ts';
import { definedOnly, isSameJson, toInstant } from './wire.ts';

function statusOf({ store }: Scope, row: InboundRow): Inbound['status'] {
  const node = store.nodes.get(row.nodeId);
  if (!node) return 'unknown';
  return row.enabled && node.enabled ? node.status : 'down';
}

function viewInbound(scope: Scope, row: InboundRow): Inbound {
  const full: Inbound = {
    id: row.id,
    node_id: row.nodeId,
    tag: row.tag,
    name: row.name,
    protocol: row.protocol,
    network: row.network,
    security: row.security,
    host: row.host,
    port: row.port,
    sni: row.sni,
    path: row.path,
    service_name: row.serviceName,
    flow: row.flow,
    fingerprint: row.fingerprint,
    alpn: row.alpn as string[] | null,
    public_key: row.publicKey,
    has_private_key: scope.store.sealed.get(keyPlace(row.id)) !== undefined,
    short_id: row.shortId,
    method: row.method,
    enabled: row.enabled,
    status: statusOf(scope, row),
    created_at: toInstant(row.createdAt),
    updated_at: toInstant(row.updatedAt),
  };
  if (scope.call.actor.access === 'full') return full;
  const { id, node_id, tag, name, protocol, network, security, enabled, status } = full;
  return { id, node_id, tag, name, protocol, network, security, enabled, status } satisfies Pick<
    Inbound,
    (typeof INBOUND_READ_FIELDS)[number]
  >;
}

function reply(scope: Scope, row: InboundRow, status = 200): Reply {
  return { status, body: viewInbound(scope, row), etag: etagOf(row) };
}

function inboundOf({ store }: Scope, id: number): InboundRow {
  const inbound = store.inbounds.get(id);
  if (!inbound) throw new PanelError('not_found');
  return inbound;
}

type Fields = Omit<InboundRow, 'id' | 'createdAt' | 'updatedAt' | 'version'>;

function fieldsOf(input: Partial<InboundCreate>): { [K in keyof Fields]?: Fields[K] | undefined } {
  return {
    nodeId: input.node_id,
    tag: input.tag,
    name: input.name,
    protocol: input.protocol,
    network: input.network,
    security: input.security,
    host: input.host,
    port: input.port,
    sni: input.sni,
    path: input.path,
    serviceName: input.service_name,
    flow: input.flow,
    fingerprint: input.fingerprint,
    alpn: input.alpn,
    publicKey: input.public_key,
    shortId: input.short_id,
    method: input.method,
    enabled: input.enabled,
  };
}

/** Where a connection's private key is sealed. */
function keyPlace(id: number): string {
  return `inbound:${id}:private_key`;
}

type KeyInput = { readonly private_key?: string | null | undefined; readonly public_key?: string | null | undefined };

/** The public key that a private one gives; one that is given besides must be the same. */
function publicKeyOf({ crypto }: Scope, input: KeyInput, present: string | null): string | null {
  const { private_key: privateKey, public_key: given } = input;
  if (!privateKey) return given === undefined ? present : given;
  const own = crypto.x25519PublicKey(privateKey);
  if (given && given !== own)
    throw bodyError('validation', '#/public_key', 'key_mismatch', 'is not that of the private key');
  return own;
}

function keepPrivateKey({ store, vault }: Scope, id: number, privateKey: string | null | undefined): void {
  if (privateKey === null) store.sealed.remove(keyPlace(id));
  else if (privateKey !== undefined) store.sealed.put(vault.seal(keyPlace(id), privateKey));
}

/** The master key must be there before a transaction that seals. */
async function prepareKey(input: KeyInput, _call: Call, { vault }: Env): Promise<void> {
  if (input.private_key) await vault.prepare();
}

function requireFreeTag({ store }: Scope, nodeId: number, tag: string, ownId: number | null): void {
  const other = store.inbounds.byTag(nodeId, tag);
  if (other && other.id !== ownId) throw bodyError('validation', '#/tag', 'taken', 'is taken on this node');
}

function listInbounds(input: Input<'listInbounds'>, scope: Scope): Reply {
  const { inbounds } = scope.store;
  const { limit, offset } = input;
  const conditions = { nodeId: input.node_id };
  const body: Output<'listInbounds'> = {
    items: inbounds.page(conditions, limit, offset).map((row) => viewInbound(scope, row)),
    total: inbounds.count(conditions),
    limit,
    offset,
    next_cursor: null,
  };
  return { status: 200, body };
}

function createInbound(input: Input<'createInbound'>, scope: Scope): Reply {
  const { store, now } = scope;
  if (!store.nodes.get(input.node_id)) {
    throw bodyError('node_not_found', '#/node_id', 'node_not_found', 'there is no such node');
  }
  const { private_key: privateKey, ...shown } = input;
  const publicKey = publicKeyOf(scope, input, null);
  const fields = { ...(fieldsOf(shown) as Fields), publicKey, createdAt: now, updatedAt: now, version: 1 };
  requireConsistent(fields, privateKey !== null);
  requireFreeTag(scope, fields.nodeId, fields.tag, null);
  const row = { ...fields, id: store.inbounds.insert(fields) };
  if (privateKey !== null) keepPrivateKey(scope, row.id, privateKey);
  scope.emit('inbound.created', { inbound_id: row.id, node_id: row.nodeId, name: row.name });
  scope.audit(`inbound:${row.id}`, { ...shown, private_key: privateKey === null ? undefined : 'given' });
  return { ...reply(scope, row, 201), location: `/inbounds/${row.id}` };
}

function updateInbound(input: Input<'updateInbound'>, scope: Scope): Reply {
  const { store, now } = scope;
  const { id, private_key: privateKey, ...asked } = input;
  const before = inboundOf(scope, id);
  requireMatch(scope.call.ifMatch, etagOf(before));
  const changed = definedOnly(fieldsOf(definedOnly(asked) as Partial<InboundCreate>));
  const publicKey = publicKeyOf(scope, input, before.publicKey);
  const wanted: InboundRow = { ...before, ...changed, publicKey };
  if (isSameJson(wanted, before) && privateKey === undefined) return reply(scope, before);
  requireConsistent(wanted, typeof privateKey === 'string');
  requireFreeTag(scope, wanted.nodeId, wanted.tag, id);
  const after = { ...wanted, updatedAt: now, version: before.version + 1 };
  store.inbounds.save(after);
  keepPrivateKey(scope, id, after.security === 'reality' ? privateKey : null);
  scope.emit('inbound.changed', { inbound_id: id, node_id: after.nodeId, name: after.name });
  scope.audit(`inbound:${id}`, { ...asked, private_key: privateKey === undefined ? undefined : 'given' });
  return reply(scope, after);
}

function deleteInbound(input: Input<'deleteInbound'>, scope: Scope): Reply {
  const { store } = scope;
  const row = inboundOf(scope, input.id);
  requireMatch(scope.call.ifMatch, etagOf(row));
  if (store.tariffs.isInboundNamed(row.id) || store.users.isInboundNamed(row.id))
    throw new PanelError('inbound_in_use');
  store.inbounds.remove(row.id);
  store.sealed.remove(keyPlace(row.id));
  scope.emit('inbound.deleted', { inbound_id: row.id, node_id: row.nodeId, name: row.name });
  scope.audit(`inbound:${row.id}`, { name: row.name, tag: row.tag });
  return { status: 204 };
}

function makeRealityKeys(_input: unknown, { crypto }: Scope): Reply {
  const { privateKey, publicKey } = crypto.newX25519();
  return { status: 200, body: { private_key: privateKey, public_key: publicKey } };
}

export const INBOUND_HANDLERS = {
  listInbounds: { read: listInbounds },
  getInbound: { read: (input, scope) => reply(scope, inboundOf(scope, input.id)) },
  createInbound: { prepare: prepareKey, write: createInbound },
  updateInbound: { prepare: prepareKey, write: updateInbound },
  makeRealityKeys: { read: makeRealityKeys },
  deleteInbound: { write: deleteInbound },
} satisfies Handlers<
  'listInbounds' | 'getInbound' | 'createInbound' | 'updateInbound' | 'deleteInbound' | 'makeRealityKeys'
>;
