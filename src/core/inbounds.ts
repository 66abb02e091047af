// Connections (inbounds): what users connect to. A Read key sees which there are, never where.

import type { FieldError } from '../contract/errors.ts';
import type { INBOUND_READ_FIELDS, Inbound } from '../contract/inbounds.ts';
import type { Input, Output } from '../contract/table.ts';
import type { Result } from './call.ts';
import type { Context, Env, Handlers, Transaction } from './context.ts';
import { requireConsistent } from './inbound-rules.ts';
import { pageById } from './paging.ts';
import { bodyError, inUseError, PanelError, requireAll } from './panel-error.ts';
import type { InboundRow } from './ports/plans.ts';
import { changedMembers, etagOf, isSameJson, patchReader, requireMatch, toInstant } from './wire.ts';

function statusOf({ store }: Context, row: InboundRow): Inbound['status'] {
  const node = store.nodes.get(row.nodeId);
  if (!node) return 'unknown';
  return row.enabled && node.enabled ? node.status : 'down';
}

function viewInbound(context: Context, row: InboundRow): Inbound {
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
    has_private_key: context.store.sealed.get(keyPlace(row.id)) !== undefined,
    short_id: row.shortId,
    method: row.method,
    enabled: row.enabled,
    status: statusOf(context, row),
    created_at: toInstant(row.createdAt),
    updated_at: toInstant(row.updatedAt),
  };
  if (context.call.actor.access === 'full') return full;
  const { id, node_id, tag, name, protocol, network, security, enabled, status } = full;
  return { id, node_id, tag, name, protocol, network, security, enabled, status } satisfies Pick<
    Inbound,
    (typeof INBOUND_READ_FIELDS)[number]
  >;
}

function resultOf(context: Context, row: InboundRow): Result<Inbound> {
  return { body: viewInbound(context, row), etag: etagOf(row) };
}

function requireInbound({ store }: Context, id: number): InboundRow {
  const inbound = store.inbounds.get(id);
  if (!inbound) throw new PanelError('not_found');
  return inbound;
}

/** Refuses with `inbound_not_found` unless all these connections exist. */
export function requireInbounds({ store }: Context, ids: readonly number[] | null | undefined): void {
  if (!ids || ids.length === 0) return;
  const missing = new Set(store.inbounds.missing(ids));
  if (missing.size === 0) return;
  const errors = ids.map((id, index): FieldError | null => {
    if (!missing.has(id)) return null;
    return { pointer: `#/inbounds/${index}`, code: 'inbound_not_found', message: 'there is no such connection' };
  });
  const failures = errors.filter((error) => error !== null);
  throw new PanelError('inbound_not_found', failures);
}

// The private key is sealed, in no column.
const columnsOf = patchReader<Omit<Input<'updateInbound'>, 'id' | 'private_key'>, InboundRow>({
  tag: 'tag',
  name: 'name',
  network: 'network',
  security: 'security',
  host: 'host',
  port: 'port',
  sni: 'sni',
  path: 'path',
  service_name: 'serviceName',
  flow: 'flow',
  fingerprint: 'fingerprint',
  alpn: 'alpn',
  public_key: 'publicKey',
  short_id: 'shortId',
  method: 'method',
  enabled: 'enabled',
});

/** Where a connection's private key is sealed. */
function keyPlace(id: number): string {
  return `inbound:${id}:private_key`;
}

type KeyInput = { readonly private_key?: string | null | undefined; readonly public_key?: string | null | undefined };

/** The public key that a private one gives. */
function publicKeyOf({ crypto }: Transaction, input: KeyInput, present: string | null): string | null {
  const { private_key: privateKey, public_key: given } = input;
  if (!privateKey) return given === undefined ? present : given;
  return crypto.x25519PublicKey(privateKey);
}

/** A public key that is given beside a private one must be its own. */
function requireKeyPair({ public_key: given, private_key: privateKey }: KeyInput, own: string | null): void {
  if (given && privateKey && given !== own)
    throw bodyError('validation', '#/public_key', 'key_mismatch', 'is not that of the private key');
}

function requireNode({ store }: Transaction, id: number): void {
  if (!store.nodes.get(id)) throw bodyError('node_not_found', '#/node_id', 'node_not_found', 'there is no such node');
}

function savePrivateKey({ store, vault }: Transaction, id: number, privateKey: string | null | undefined): void {
  if (privateKey === null) store.sealed.remove(keyPlace(id));
  else if (privateKey !== undefined) store.sealed.put(vault.seal(keyPlace(id), privateKey));
}

function requireFreeTag({ store }: Transaction, nodeId: number, tag: string, ownId: number | null): void {
  const other = store.inbounds.byTag(nodeId, tag);
  if (other && other.id !== ownId) throw bodyError('validation', '#/tag', 'taken', 'is taken on this node');
}

/** Every network is TCP, so two connections of a node cannot listen on one port, not even while one of them is disabled. */
function requireFreePort({ store }: Transaction, nodeId: number, port: number, ownId: number | null): void {
  const other = store.inbounds.byPort(nodeId, port);
  if (other && other.id !== ownId)
    throw bodyError('validation', '#/port', 'taken', `is that of ${other.tag} on this node`);
}

function listInbounds(input: Input<'listInbounds'>, context: Context): Result<Output<'listInbounds'>> {
  const { inbounds } = context.store;
  const conditions = { nodeId: input.node_id };
  const total = inbounds.count(conditions);
  const read = (limit: number, offset: number, after?: number) => inbounds.page(conditions, limit, offset, after);
  return { body: pageById('inbounds', input, total, read, (row) => viewInbound(context, row)) };
}

/** The master key must exist before a transaction that seals a private key. */
async function prepareVault({ vault }: Env, input: KeyInput): Promise<void> {
  if (input.private_key) await vault.prepare();
}

function createInbound(input: Input<'createInbound'>, tx: Transaction): Result<Inbound> {
  const { store, now } = tx;
  const { private_key: privateKey, ...shown } = input;
  const publicKey = publicKeyOf(tx, input, null);
  const fields: Omit<InboundRow, 'id'> = {
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
    publicKey,
    shortId: input.short_id,
    method: input.method,
    enabled: input.enabled,
    createdAt: now,
    updatedAt: now,
    version: 1,
  };
  requireAll(
    () => requireNode(tx, fields.nodeId),
    () => requireKeyPair(input, publicKey),
    () => requireConsistent(fields, privateKey !== null),
    () => requireFreeTag(tx, fields.nodeId, fields.tag, null),
    () => requireFreePort(tx, fields.nodeId, fields.port, null),
  );
  const row = { ...fields, id: store.inbounds.insert(fields) };
  if (privateKey !== null) savePrivateKey(tx, row.id, privateKey);
  tx.emit('inbound.created', { inbound_id: row.id, node_id: row.nodeId, name: row.name });
  tx.audit(`inbound:${row.id}`, { ...shown, private_key: privateKey === null ? undefined : 'given' });
  return { ...resultOf(tx, row), location: `/inbounds/${row.id}` };
}

function updateInbound(input: Input<'updateInbound'>, tx: Transaction): Result<Inbound> {
  const { store, now } = tx;
  const { id, private_key: privateKey, ...asked } = input;
  const before = requireInbound(tx, id);
  requireMatch(tx.call.ifMatch, etagOf(before));
  const publicKey = publicKeyOf(tx, input, before.publicKey);
  const wanted: InboundRow = { ...before, ...columnsOf(asked), publicKey };
  if (isSameJson(wanted, before) && privateKey === undefined) return resultOf(tx, before);
  requireAll(
    () => requireKeyPair(input, publicKey),
    () => requireConsistent(wanted, typeof privateKey === 'string'),
    () => requireFreeTag(tx, wanted.nodeId, wanted.tag, id),
    () => requireFreePort(tx, wanted.nodeId, wanted.port, id),
  );
  const after = { ...wanted, updatedAt: now, version: before.version + 1 };
  const shown = viewInbound(tx, before);
  store.inbounds.save(after);
  savePrivateKey(tx, id, after.security === 'reality' ? privateKey : null);
  const changed = changedMembers(shown, viewInbound(tx, after));
  const names = privateKey === undefined ? changed : [...changed, 'private_key'].sort();
  tx.emit('inbound.changed', { inbound_id: id, node_id: after.nodeId, name: after.name }, names);
  tx.audit(`inbound:${id}`, { ...asked, private_key: privateKey === undefined ? undefined : 'given' });
  return resultOf(tx, after);
}

function deleteInbound(input: Input<'deleteInbound'>, tx: Transaction): Result<undefined> {
  const { store } = tx;
  const row = requireInbound(tx, input.id);
  requireMatch(tx.call.ifMatch, etagOf(row));
  const [users, tariffs] = [store.users.usesOfInbound(row.id), store.tariffs.usesOfInbound(row.id)];
  if (users.total + tariffs.total > 0) throw inUseError('inbound_in_use', { users, tariffs });
  store.inbounds.remove(row.id);
  store.sealed.remove(keyPlace(row.id));
  tx.emit('inbound.deleted', { inbound_id: row.id, node_id: row.nodeId, name: row.name });
  tx.audit(`inbound:${row.id}`, { name: row.name, tag: row.tag });
  return { body: undefined };
}

function makeRealityKeys(_input: unknown, { crypto }: Context): Result<Output<'makeRealityKeys'>> {
  const { privateKey, publicKey } = crypto.newX25519();
  return { body: { private_key: privateKey, public_key: publicKey } };
}

export const INBOUND_HANDLERS = {
  listInbounds: { read: listInbounds },
  getInbound: { read: (input, context) => resultOf(context, requireInbound(context, input.id)) },
  createInbound: {
    async run(input, { env, commit }) {
      await prepareVault(env, input);
      return commit((tx) => createInbound(input, tx));
    },
  },
  updateInbound: {
    async run(input, { env, commit }) {
      await prepareVault(env, input);
      return commit((tx) => updateInbound(input, tx));
    },
  },
  makeRealityKeys: { read: makeRealityKeys },
  deleteInbound: { write: deleteInbound },
} satisfies Handlers<
  'listInbounds' | 'getInbound' | 'createInbound' | 'updateInbound' | 'deleteInbound' | 'makeRealityKeys'
>;
