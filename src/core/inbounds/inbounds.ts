// Inbounds: the connections of users. A read-only key sees that they exist, but no addresses.

import type { FieldError } from '../../contract/errors.ts';
import type { INBOUND_READ_FIELDS, Inbound, InboundWarning, TargetFinding } from '../../contract/inbounds.ts';
import type { Input, Output } from '../../contract/table.ts';
import { canOfferPort, defaultShape, type InboundShape, sharedTransports } from '../../domain/nodes/inbound-shape.ts';
import { inboundWarnings, realityTarget } from '../../domain/nodes/inbound-warnings.ts';
import { nodeStatusAt } from '../../domain/nodes/node-status.ts';
import { hasKeys, STORED_KEY_BYTES, toStoredKey } from '../../domain/nodes/shadowsocks.ts';
import { findSharingProblem, mergePortOwner } from '../../domain/nodes/shared-port.ts';
import { DEFAULT_POOL } from '../../domain/nodes/wireguard.ts';
import type { Context, Env, Handlers, Transaction } from '../kernel/context.ts';
import { pageById } from '../kernel/paging.ts';
import { bodyError, inUseError, PanelError, requireAll } from '../kernel/panel-error.ts';
import {
  changedMembers,
  etagOf,
  isSameJson,
  patchReader,
  requireMatch,
  toBase64,
  toInstant,
  toInstantOrNull,
} from '../kernel/wire.ts';
import type { Result } from '../ports/call.ts';
import type { InboundRow } from '../ports/inbounds.ts';
import type { NodeRow, UnservedInbound } from '../ports/nodes.ts';
import type { Store } from '../ports/ports.ts';
import { findEngineVersion, requireServable } from './engine-rules.ts';
import { requireHosts, toHost, viewHost } from './hosts.ts';
import {
  type CertificateEnv,
  type CertificateFacts,
  type CertificateInput,
  isNewCertificate,
  type PreparedCertificate,
  prepareCertificate,
} from './inbound-certificates.ts';
import { makeMldsa65Pair, makeVlessPair, NO_PAIRS, type PairInput, resolvePairs } from './inbound-key-pairs.ts';
import { hasKeyPair, requireConsistent } from './inbound-rules.ts';
import { copySecret, hasSecret, removeSecrets, saveSecret } from './inbound-secrets.ts';

type InboundEnv = CertificateEnv & Pick<Env, 'targetProbe'>;

const MAX_NAME = 100;
/** How many of the records that use an inbound a refusal names. */
const MAX_USES = 5;

function computeStatus({ store, now }: Context, row: InboundRow): Inbound['status'] {
  const node = store.nodes.get(row.nodeId);
  if (!node) return 'unknown';
  const owner = findPortOwner(store, row);
  const isServed = node.enabled && [row, owner ?? row].every((one) => one.enabled && findUnserved(node, one) === null);
  return isServed ? nodeStatusAt(node, now) : 'down';
}

/** The inbound whose port it shares. */
function findPortOwner({ inbounds }: Pick<Store, 'inbounds'>, { sharesPortOf }: InboundRow): InboundRow | null {
  return (sharesPortOf !== null && inbounds.get(sharesPortOf)) || null;
}

/** Why the engine of its node does not serve it as recorded; null: it does, or was not started. */
function findUnserved({ unserved }: NodeRow, { id, enabled }: InboundRow): UnservedInbound | null {
  return unserved.find(({ inboundId }) => enabled && inboundId === id) ?? null;
}

/** Possible reasons why users cannot connect to it. */
export function listWarnings({ store, now }: Context, row: InboundRow): InboundWarning[] {
  const node = store.nodes.get(row.nodeId);
  const lastUserId = row.addressPool === null ? 0 : store.users.lastId();
  const owner = findPortOwner(store, row);
  const reached = owner ? mergePortOwner(row, owner) : row;
  const facts = {
    ...reached,
    address: reached.host ?? node?.address ?? '',
    targetFindings: row.targetFindings ?? [],
    lastUserId,
  };
  const warnings = inboundWarnings(facts, findEngineVersion(node), now);
  const unserved = node ? findUnserved(node, row) : null;
  if (unserved === null || warnings.includes('not_served')) return [...warnings];
  return [unserved.code === 'port_taken' ? 'port_taken' : 'refused', ...warnings];
}

export function viewInbound(context: Context, row: InboundRow): Inbound {
  const full: Inbound = {
    id: row.id,
    node_id: row.nodeId,
    group_id: row.groupId,
    tag: row.tag,
    name: row.name,
    protocol: row.protocol,
    network: row.network,
    security: row.security,
    host: row.host,
    port: row.port,
    sni: row.sni,
    path: row.path,
    xhttp_mode: row.xhttpMode,
    xhttp_extra: row.xhttpExtra,
    service_name: row.serviceName,
    proxy_header: row.proxyHeader,
    flow: row.flow,
    fingerprint: row.fingerprint,
    alpn: row.alpn as string[] | null,
    public_key: row.publicKey,
    has_private_key: hasSecret(context, row.id, 'private_key'),
    encryption: row.encryption,
    mldsa65_verify: row.mldsa65Verify,
    short_id: row.shortId,
    more_short_ids: [...row.moreShortIds],
    more_server_names: [...row.moreServerNames],
    method: row.method,
    obfs_password: row.obfsPassword,
    hop_ports: row.hopPorts,
    masquerade: row.masquerade,
    fragment: row.fragment,
    noise: row.noise,
    mux: row.mux,
    shares_port_of: row.sharesPortOf,
    fallback: row.fallback,
    fallback_proxy_protocol: row.fallbackProxyProtocol,
    address_pool: row.addressPool,
    mtu: row.mtu,
    target: row.target,
    min_client_version: row.minClientVersion,
    certificate: row.certificate?.isOwn ? row.certificate.chain : null,
    certificate_sha256: row.certificate?.sha256 ?? null,
    certificate_ends_at: toInstantOrNull(row.certificate?.endsAt ?? null),
    certificate_self_signed: row.certificate?.isSelfSigned ?? null,
    hosts: row.hosts.map(viewHost),
    host_order: row.hostOrder,
    note: row.note,
    warnings: listWarnings(context, row),
    enabled: row.enabled,
    status: computeStatus(context, row),
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

function buildResult(context: Context, row: InboundRow): Result<Inbound> {
  return { body: viewInbound(context, row), etag: etagOf(row) };
}

export function requireInbound({ store }: Context, id: number): InboundRow {
  const inbound = store.inbounds.get(id);
  if (!inbound) throw new PanelError('not_found');
  return inbound;
}

/** Refuses with `inbound_not_found` unless all these inbounds exist. */
export function requireInbounds({ store }: Context, ids: readonly number[] | null | undefined): void {
  if (!ids || ids.length === 0) return;
  const missing = new Set(store.inbounds.missing(ids));
  if (missing.size === 0) return;
  const errors = ids.map((id, index): FieldError | null => {
    if (!missing.has(id)) return null;
    return { pointer: `#/inbounds/${index}`, code: 'inbound_not_found', message: 'there is no such inbound' };
  });
  const failures = errors.filter((error) => error !== null);
  throw new PanelError('inbound_not_found', failures);
}

type ColumnInput = Omit<
  Input<'updateInbound'>,
  'id' | 'private_key' | 'certificate' | 'certificate_key' | 'hosts' | keyof PairInput
>;

// Keys are sealed and in no column; a certificate is described by its parsed fields.
const readColumns = patchReader<ColumnInput, InboundRow>({
  tag: 'tag',
  name: 'name',
  network: 'network',
  security: 'security',
  host: 'host',
  port: 'port',
  sni: 'sni',
  path: 'path',
  xhttp_mode: 'xhttpMode',
  xhttp_extra: 'xhttpExtra',
  service_name: 'serviceName',
  proxy_header: 'proxyHeader',
  flow: 'flow',
  fingerprint: 'fingerprint',
  alpn: 'alpn',
  public_key: 'publicKey',
  short_id: 'shortId',
  more_short_ids: 'moreShortIds',
  more_server_names: 'moreServerNames',
  method: 'method',
  obfs_password: 'obfsPassword',
  hop_ports: 'hopPorts',
  masquerade: 'masquerade',
  fragment: 'fragment',
  noise: 'noise',
  mux: 'mux',
  shares_port_of: 'sharesPortOf',
  fallback: 'fallback',
  fallback_proxy_protocol: 'fallbackProxyProtocol',
  address_pool: 'addressPool',
  mtu: 'mtu',
  target: 'target',
  min_client_version: 'minClientVersion',
  host_order: 'hostOrder',
  note: 'note',
  enabled: 'enabled',
});

function toColumns({ hosts, ...patch }: ColumnInput & Pick<Input<'updateInbound'>, 'hosts'>): Partial<InboundRow> {
  return { ...readColumns(patch), ...(hosts !== undefined && { hosts: hosts.map(toHost) }) };
}

type KeyInput = { readonly private_key?: string | null | undefined; readonly public_key?: string | null | undefined };

/** The public key of the given private key. */
function resolvePublicKey({ crypto }: Transaction, input: KeyInput, present: string | null): string | null {
  const { private_key: privateKey, public_key: given } = input;
  if (!privateKey) return given === undefined ? present : given;
  return crypto.x25519PublicKey(privateKey);
}

/** If both keys are given, they must match. */
function requireKeyPair({ public_key: given, private_key: privateKey }: KeyInput, own: string | null): void {
  if (given && privateKey && given !== own)
    throw bodyError('validation', '#/public_key', 'key_mismatch', 'is not that of the private key');
}

/** A WireGuard inbound always needs a key of the node. */
function makeKey({ crypto }: Transaction, { protocol }: Input<'createInbound'>): string | null {
  return protocol === 'wireguard' ? crypto.newX25519().privateKey : null;
}

/** WireGuard's key can be replaced but not removed: links would contain a public key that the node does not have. */
function requireSameKey(before: InboundRow, wanted: InboundRow, { private_key: privateKey }: KeyInput): void {
  if (before.protocol !== 'wireguard' || privateKey) return;
  const refuse = (pointer: string) =>
    bodyError('validation', pointer, 'inconsistent', 'is changed by another private key only');
  if (privateKey === null) throw refuse('#/private_key');
  if (wanted.publicKey !== before.publicKey) throw refuse('#/public_key');
}

function requireNode({ store }: Transaction, id: number): void {
  if (!store.nodes.get(id)) throw bodyError('node_not_found', '#/node_id', 'node_not_found', 'there is no such node');
}

/** Rejects certificate errors found before the transaction. */
function requireCertificate({ errors }: PreparedCertificate): void {
  if (errors.length > 0) throw new PanelError('validation', errors);
}

/** Creates the server key when the inbound gets a Shadowsocks 2022 cipher, and removes it otherwise. */
function saveServerKey(tx: Transaction, { id, method }: InboundRow, supplied: string | null = null): void {
  const hasOne = hasSecret(tx, id, 'server_key');
  if (hasKeys(method) === hasOne) return;
  const made = () => supplied ?? toBase64(tx.crypto.randomBytes(STORED_KEY_BYTES));
  saveSecret(tx, id, 'server_key', hasOne ? null : made());
}

/** A supplied server key in the stored length. */
function readServerKey({ method, server_key: supplied }: Input<'createInbound'>): string | null {
  if (supplied === null) return null;
  const refuse = (message: string) => bodyError('validation', '#/server_key', 'inconsistent', message);
  if (method === null || !hasKeys(method)) throw refuse('goes with a cipher of 2022 only');
  const stored = toStoredKey(method, supplied);
  if (stored === null) throw refuse('has not the length that the cipher needs');
  return stored;
}

/** The placeholder for keys and certificates in the audit log. */
function maskGiven(value: string | null | undefined): string | undefined {
  return typeof value === 'string' ? 'given' : undefined;
}

function requireFreeTag({ store }: Transaction, nodeId: number, tag: string, ownId: number | null): void {
  const other = store.inbounds.byTag(nodeId, tag);
  if (other && other.id !== ownId) throw bodyError('validation', '#/tag', 'taken', 'is taken on this node');
}

/** Two inbounds of a node cannot use the same TCP or UDP port, even if one of them is disabled. */
function requireFreePort(
  { store }: Transaction,
  wanted: Pick<InboundRow, 'nodeId' | 'port' | 'protocol' | 'sharesPortOf'>,
  ownId: number | null,
): void {
  if (wanted.sharesPortOf !== null) return;
  const other = store.inbounds
    .atPort(wanted.nodeId, wanted.port)
    .find(
      ({ id, protocol, sharesPortOf }) =>
        id !== ownId && sharesPortOf === null && sharedTransports(protocol, wanted.protocol).length > 0,
    );
  if (other) throw bodyError('validation', '#/port', 'taken', `is that of ${other.tag} on this node`);
}

/** Refuses a port that cannot be shared, and a change of one that is shared after which it could not be. */
function requireSharing({ store }: Transaction, wanted: Omit<InboundRow, 'id'>, ownId: number | null): void {
  const refuse = (message: string) => bodyError('validation', '#/shares_port_of', 'inconsistent', message);
  if (wanted.sharesPortOf !== null) {
    const owner = store.inbounds.get(wanted.sharesPortOf);
    if (!owner || owner.id === ownId) throw refuse('must be the id of another inbound');
    const others = store.inbounds.sharing(owner.id).filter(({ id }) => id !== ownId);
    const problem = findSharingProblem(wanted, owner, others);
    if (problem !== null) throw refuse(problem);
  }
  const [sharer] = ownId === null ? [] : store.inbounds.sharing(ownId);
  if (!sharer) return;
  if (wanted.sharesPortOf !== null) throw refuse(`${sharer.tag} shares its port`);
  if (canOfferPort(wanted)) return;
  const pointer = canOfferPort({ ...wanted, encryption: null }) ? '#/encryption' : '#/network';
  const message = `must be ${pointer === '#/network' ? 'tcp' : 'null'}: ${sharer.tag} shares its port`;
  throw bodyError('validation', pointer, 'inconsistent', message);
}

/** The inbound on another node whose port a copy shares: the one of the same group. */
function findOwnerOn({ store }: Pick<Transaction, 'store'>, ownerId: number | null, nodeId: number): number | null {
  if (ownerId === null) return null;
  const owner = store.inbounds.get(ownerId);
  const found = owner?.groupId
    ? store.inbounds.ofGroup(owner.groupId).find((other) => other.nodeId === nodeId)
    : undefined;
  if (owner?.nodeId === nodeId) return ownerId;
  if (found) return found.id;
  const message = `${owner?.tag ?? ownerId} must be on this node too`;
  throw bodyError('validation', '#/shares_port_of', 'inconsistent', message);
}

/** Refuses to delete inbounds whose ports others share. */
export function requireUnshared({ store }: Pick<Transaction, 'store'>, leaving: readonly InboundRow[]): void {
  const left = new Set(leaving.map(({ id }) => id));
  const sharers = leaving.flatMap(({ id }) => store.inbounds.sharing(id)).filter(({ id }) => !left.has(id));
  if (sharers.length === 0) return;
  const first = sharers.slice(0, MAX_USES).map(({ id, name }) => ({ id, name }));
  throw inUseError('inbound_in_use', { inbounds: { total: sharers.length, first } });
}

function listInbounds(input: Input<'listInbounds'>, context: Context): Result<Output<'listInbounds'>> {
  const { inbounds } = context.store;
  const conditions = { nodeId: input.node_id };
  const total = inbounds.count(conditions);
  const read = (limit: number, offset: number, after?: number) => inbounds.page(conditions, limit, offset, after);
  return { body: pageById('inbounds', input, total, read, (row) => viewInbound(context, row)) };
}

/** The master key must exist before a transaction that seals, and creating certificates takes too long for a transaction. */
async function prepareSecrets(
  env: CertificateEnv,
  input: KeyInput & PairInput & CertificateInput,
  wanted: CertificateFacts & Pick<InboundRow, 'method' | 'protocol'>,
): Promise<PreparedCertificate> {
  const isGiven = input.private_key || input.decryption || input.mldsa65_seed;
  if (isGiven || hasKeys(wanted.method) || wanted.protocol === 'wireguard') await env.vault.prepare();
  return prepareCertificate(env, input, wanted);
}

/** Results of the work before the transaction of a write. */
interface Prepared extends PreparedCertificate {
  /** Findings about the REALITY target; null: it was not probed. */
  readonly findings: readonly TargetFinding[] | null;
}

const NOTHING_PREPARED: Prepared = { made: null, errors: [], findings: null };

/** Probes the target whenever a write names it, even if it is unchanged: the site may have changed. */
async function probeInboundTarget(
  { targetProbe }: Pick<Env, 'targetProbe'>,
  input: Pick<Input<'updateInbound'>, 'security' | 'sni' | 'target'>,
  { security, sni, target }: Pick<InboundRow, 'security' | 'sni' | 'target'>,
): Promise<readonly TargetFinding[] | null> {
  const isNamed = input.security !== undefined || input.sni !== undefined || input.target !== undefined;
  if (!targetProbe || !isNamed || security !== 'reality' || sni === null) return null;
  return targetProbe.probeTarget({ ...realityTarget(sni, target), name: sni });
}

async function prepare(
  env: InboundEnv,
  input: Omit<Input<'updateInbound'>, 'id'>,
  wanted: CertificateFacts & Pick<InboundRow, 'method' | 'target' | 'protocol'>,
): Promise<Prepared> {
  const [secrets, findings] = await Promise.all([
    prepareSecrets(env, input, wanted),
    probeInboundTarget(env, input, wanted),
  ]);
  return { ...secrets, findings };
}

function resolveShape({ protocol, network, security }: Input<'createInbound'>): InboundShape {
  const shape = defaultShape(protocol);
  return { protocol, network: network ?? shape.network, security: security ?? shape.security };
}

function createInbound(
  input: Input<'createInbound'>,
  tx: Transaction,
  prepared: Prepared,
  copies: ReadonlyMap<number, PreparedCertificate>,
): Result<Inbound> {
  const { store, now } = tx;
  const {
    certificate,
    certificate_key: certificateKey,
    private_key: givenKey,
    server_key: serverKey,
    decryption,
    mldsa65_seed,
    ...shown
  } = input;
  const privateKey = givenKey ?? makeKey(tx, input);
  const publicKey = resolvePublicKey(tx, { ...input, private_key: privateKey }, null);
  const pairs = resolvePairs(tx.crypto, input, NO_PAIRS);
  const shape = resolveShape(input);
  const fields: Omit<InboundRow, 'id'> = {
    nodeId: input.node_id,
    groupId: null,
    tag: input.tag,
    name: input.name,
    protocol: input.protocol,
    network: shape.network,
    security: shape.security,
    host: input.host,
    port: input.port,
    sni: input.sni,
    path: input.path,
    xhttpMode: input.xhttp_mode,
    xhttpExtra: input.xhttp_extra,
    serviceName: input.service_name,
    proxyHeader: input.proxy_header,
    flow: input.flow,
    fingerprint: input.fingerprint,
    alpn: input.alpn,
    publicKey,
    ...pairs,
    shortId: input.short_id,
    moreShortIds: input.more_short_ids,
    moreServerNames: input.more_server_names,
    method: input.method,
    obfsPassword: input.obfs_password,
    hopPorts: input.hop_ports,
    masquerade: input.masquerade,
    fragment: input.fragment,
    noise: input.noise,
    mux: input.mux,
    sharesPortOf: input.shares_port_of,
    fallback: input.fallback,
    fallbackProxyProtocol: input.fallback_proxy_protocol,
    addressPool: input.address_pool ?? (input.protocol === 'wireguard' ? DEFAULT_POOL : null),
    mtu: input.mtu,
    target: input.target,
    minClientVersion: input.min_client_version,
    hosts: input.hosts.map(toHost),
    hostOrder: input.host_order,
    targetFindings: prepared.findings,
    certificate: prepared.made?.served ?? null,
    note: input.note,
    enabled: input.enabled,
    createdAt: now,
    updatedAt: now,
    version: 1,
  };
  const imported = { privateKey: privateKey !== null, certificate: certificate !== null };
  requireAll(
    () => requireNode(tx, fields.nodeId),
    () => requireKeyPair({ ...input, private_key: privateKey }, publicKey),
    () => requireConsistent(fields, imported),
    () => requireHosts(tx, fields, []),
    () => requireServable(store.nodes.get(fields.nodeId), fields),
    () => requireCertificate(prepared),
    () => readServerKey(input),
    () => requireFreeTag(tx, fields.nodeId, fields.tag, null),
    () => requireFreePort(tx, fields, null),
    () => requireSharing(tx, fields, null),
  );
  let row: InboundRow = { ...fields, id: store.inbounds.insert(fields) };
  if (privateKey !== null) saveSecret(tx, row.id, 'private_key', privateKey);
  if (decryption !== null) saveSecret(tx, row.id, 'decryption', decryption);
  if (mldsa65_seed !== null) saveSecret(tx, row.id, 'mldsa65_seed', mldsa65_seed);
  if (prepared.made) saveSecret(tx, row.id, 'certificate_key', prepared.made.key);
  saveServerKey(tx, row, readServerKey(input));
  tx.emit('inbound.created', { inbound_id: row.id, node_id: row.nodeId, name: row.name });
  const keys = {
    private_key: maskGiven(givenKey),
    certificate_key: maskGiven(certificateKey),
    server_key: maskGiven(serverKey),
    decryption: maskGiven(decryption),
    mldsa65_seed: maskGiven(mldsa65_seed),
  };
  const obfs_password = maskGiven(input.obfs_password) ?? null;
  tx.audit(`inbound:${row.id}`, { ...shown, obfs_password, certificate: maskGiven(certificate), ...keys });
  const others = input.more_node_ids.filter((nodeId) => nodeId !== row.nodeId);
  row = copyInbound(tx, row, others, copies).source;
  return { ...buildResult(tx, row), location: `/inbounds/${row.id}` };
}

/** Ids that are known in the transaction only. */
type OwnIds = Partial<Pick<Input<'createInbound'>, 'node_id' | 'shares_port_of'>>;

/**
 * Does the slow work before a transaction, and returns the part that runs in one. `host`: the address of a node that is created in the same
 * transaction.
 */
export async function prepareInbound(
  env: InboundEnv,
  input: Input<'createInbound'>,
  host = input.host,
): Promise<(tx: Transaction, ids?: OwnIds) => Result<Inbound>> {
  const { node_id, sni, method, target, protocol } = input;
  const { security } = resolveShape(input);
  const sharesPortOf = input.shares_port_of;
  const wanted = { nodeId: node_id, protocol, security, host, sni, method, target, certificate: null, sharesPortOf };
  const prepared = await prepare(env, input, wanted);
  const source = { ...wanted, certificate: prepared.made?.served ?? null };
  const others = input.more_node_ids.filter((other) => other !== node_id);
  const copies = await prepareCopies(env, source, others);
  return (tx, ids) => createInbound({ ...input, ...ids }, tx, prepared, copies);
}

/** The name of a copy on another node: the old node's name in it is replaced by the new one, or the new one is appended. */
function nameOn(name: string, own: string, other: string): string {
  const named = name.includes(own) ? name.replaceAll(own, other) : `${name} · ${other}`;
  return [...named].slice(0, MAX_NAME).join('').trim();
}

/** Certificates for copies of an inbound on other nodes; a supplied certificate is copied. */
export async function prepareCopies(
  env: InboundEnv,
  source: CertificateFacts & Pick<InboundRow, 'protocol' | 'method'>,
  nodeIds: readonly number[],
): Promise<ReadonlyMap<number, PreparedCertificate>> {
  if (nodeIds.length > 0) await env.vault.prepare();
  const made = new Map<number, PreparedCertificate>();
  if (source.certificate?.isOwn) return made;
  for (const nodeId of nodeIds) {
    made.set(nodeId, await prepareCertificate(env, {}, { ...source, nodeId, host: null, certificate: null }));
  }
  return made;
}

/** Copies settings and keys of an inbound to other nodes, except its address. `source`: its state after the change. */
export function copyInbound(
  tx: Transaction,
  source: InboundRow,
  nodeIds: readonly number[],
  prepared: ReadonlyMap<number, PreparedCertificate>,
): { readonly source: InboundRow; readonly copies: readonly InboundRow[] } {
  const { store, now } = tx;
  if (nodeIds.length === 0) return { source, copies: [] };
  const groupId = source.groupId ?? source.id;
  const first = source.groupId === null ? { ...source, groupId, updatedAt: now, version: source.version + 1 } : source;
  if (first !== source) store.inbounds.save(first);
  const own = store.nodes.get(source.nodeId)?.name ?? '';
  const copies = nodeIds.map((nodeId): InboundRow => {
    const node = store.nodes.get(nodeId);
    if (!node) throw bodyError('node_not_found', '#/node_ids', 'node_not_found', `there is no node ${nodeId}`);
    const { id: _, ...columns } = source;
    const certificate = source.certificate?.isOwn ? source.certificate : (prepared.get(nodeId)?.made?.served ?? null);
    const fields: Omit<InboundRow, 'id'> = {
      ...columns,
      nodeId,
      groupId,
      sharesPortOf: onNode(node.name, () => findOwnerOn(tx, source.sharesPortOf, nodeId)),
      name: nameOn(source.name, own, node.name),
      host: null,
      hosts: [],
      hostOrder: 'listed',
      certificate,
      createdAt: now,
      updatedAt: now,
      version: 1,
    };
    onNode(node.name, () =>
      requireAll(
        () => requireServable(node, fields),
        () => requireFreeTag(tx, nodeId, fields.tag, null),
        () => requireFreePort(tx, fields, null),
        () => requireSharing(tx, fields, null),
      ),
    );
    const row = { ...fields, id: store.inbounds.insert(fields) };
    store.users.copyInboundCredentials(source.id, row.id);
    copySecret(tx, source.id, row.id, 'private_key');
    copySecret(tx, source.id, row.id, 'decryption');
    copySecret(tx, source.id, row.id, 'mldsa65_seed');
    if (certificate?.isOwn) copySecret(tx, source.id, row.id, 'certificate_key');
    else saveSecret(tx, row.id, 'certificate_key', prepared.get(nodeId)?.made?.key ?? null);
    saveServerKey(tx, row);
    tx.emit('inbound.created', { inbound_id: row.id, node_id: row.nodeId, name: row.name });
    return row;
  });
  return { source: first, copies };
}

/** Adds the name of the node to error messages. */
function onNode<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof PanelError) || !error.errors) throw error;
    const errors = error.errors.map((each) => ({ ...each, message: `${each.message} (${name})` }));
    throw new PanelError(error.code, errors);
  }
}

/** The certificate after a change: the prepared one, or the current one if it still applies. */
function certificateAfter(
  input: CertificateInput,
  { security, certificate, sharesPortOf }: InboundRow,
  { made }: PreparedCertificate,
): InboundRow['certificate'] {
  if (security !== 'tls' || sharesPortOf !== null) return null;
  if (made) return made.served;
  return input.certificate === null && certificate?.isOwn ? null : certificate;
}

/** The findings after a change: null for a new target until it is probed. */
function findingsAfter(before: InboundRow, wanted: InboundRow, { findings }: Prepared): InboundRow['targetFindings'] {
  if (wanted.security !== 'reality' || wanted.sharesPortOf !== null) return null;
  if (findings !== null) return findings;
  return wanted.target === before.target && wanted.sni === before.sni ? before.targetFindings : null;
}

/** Members of a group have their own values of these; everything else is shared. */
const OWN_MEMBERS = ['name', 'host', 'hosts', 'host_order', 'note', 'enabled'] as const;

type Patch = Omit<Input<'updateInbound'>, 'id'>;

/** The part of a change that also applies to the other members of the group. */
function pickDefinition({ ...definition }: Patch): Patch {
  for (const member of OWN_MEMBERS) delete definition[member];
  return definition;
}

/** The other members of its group. */
function listSiblings({ inbounds }: Pick<Store, 'inbounds'>, { id, groupId }: InboundRow): readonly InboundRow[] {
  return groupId === null ? [] : inbounds.ofGroup(groupId).filter((other) => other.id !== id);
}

/** Changes one inbound; returns the same row if nothing changed. */
function changeInbound(tx: Transaction, before: InboundRow, input: Patch, prepared: Prepared): InboundRow {
  const { store, now } = tx;
  const { id } = before;
  const { private_key: privateKey, certificate, certificate_key: _key, ...rest } = input;
  const { decryption, mldsa65_seed: mldsa65Seed, encryption: _e, mldsa65_verify: _v, ...patch } = rest;
  const publicKey = resolvePublicKey(tx, input, before.publicKey);
  const pairs = resolvePairs(tx.crypto, input, before);
  const wanted: InboundRow = { ...before, ...toColumns(patch), publicKey, ...pairs };
  const after: InboundRow = {
    ...wanted,
    targetFindings: findingsAfter(before, wanted, prepared),
    certificate: certificateAfter(input, wanted, prepared),
  };
  const given = { private_key: privateKey, decryption, mldsa65_seed: mldsa65Seed };
  const givenNames = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const isUnchanged = isSameJson(after, before) && givenNames.length === 0 && prepared.errors.length === 0;
  if (isUnchanged && !isNewCertificate(input, before.certificate)) return before;
  const imported = {
    privateKey: typeof privateKey === 'string',
    ...(certificate !== undefined && { certificate: certificate !== null }),
  };
  requireAll(
    () => requireKeyPair(input, publicKey),
    () => requireSameKey(before, wanted, input),
    () => requireConsistent(wanted, imported),
    () => requireHosts(tx, wanted, before.hosts),
    () => requireServable(store.nodes.get(wanted.nodeId), wanted, before),
    () => requireCertificate(prepared),
    () => requireFreeTag(tx, wanted.nodeId, wanted.tag, id),
    () => requireFreePort(tx, wanted, id),
    () => requireSharing(tx, wanted, id),
  );
  const shown = viewInbound(tx, before);
  const row = { ...after, updatedAt: now, version: before.version + 1 };
  store.inbounds.save(row);
  if (!hasKeyPair(row)) saveSecret(tx, id, 'private_key', null);
  else if (privateKey !== undefined) saveSecret(tx, id, 'private_key', privateKey);
  if (row.encryption === null) saveSecret(tx, id, 'decryption', null);
  else if (decryption) saveSecret(tx, id, 'decryption', decryption);
  if (row.mldsa65Verify === null) saveSecret(tx, id, 'mldsa65_seed', null);
  else if (mldsa65Seed) saveSecret(tx, id, 'mldsa65_seed', mldsa65Seed);
  if (row.certificate === null) saveSecret(tx, id, 'certificate_key', null);
  else if (prepared.made) saveSecret(tx, id, 'certificate_key', prepared.made.key);
  saveServerKey(tx, row);
  const changed = changedMembers(shown, viewInbound(tx, row));
  const names = [...changed, ...givenNames].sort();
  tx.emit('inbound.changed', { inbound_id: id, node_id: row.nodeId, name: row.name }, names);
  if (row.port !== before.port || row.security !== before.security) {
    const { port, security } = row;
    for (const sharer of store.inbounds.sharing(id)) changeInbound(tx, sharer, { port, security }, NOTHING_PREPARED);
  }
  return row;
}

function updateInbound(
  { id, ...input }: Input<'updateInbound'>,
  tx: Transaction,
  prepared: Prepared,
  getPrepared: (other: InboundRow) => Prepared,
): Result<Inbound> {
  const { store } = tx;
  const before = requireInbound(tx, id);
  requireMatch(tx.call.ifMatch, etagOf(before));
  const row = changeInbound(tx, before, input, prepared);
  const definition = pickDefinition(input);
  const others = listSiblings(store, before).filter((other) => {
    const name = store.nodes.get(other.nodeId)?.name ?? '';
    return onNode(name, () => {
      const { shares_port_of: ownerId } = definition;
      const owner = ownerId === undefined ? {} : { shares_port_of: findOwnerOn(tx, ownerId, other.nodeId) };
      return changeInbound(tx, other, { ...definition, ...owner }, getPrepared(other)) !== other;
    });
  });
  if (row === before && others.length === 0) return buildResult(tx, before);
  const { private_key: privateKey, certificate, certificate_key: certificateKey, ...rest } = input;
  const { decryption, mldsa65_seed, ...patch } = rest;
  const keys = {
    private_key: privateKey === undefined ? undefined : 'given',
    certificate_key: maskGiven(certificateKey),
    decryption: maskGiven(decryption) ?? decryption,
    mldsa65_seed: maskGiven(mldsa65_seed) ?? mldsa65_seed,
  };
  const obfs_password = maskGiven(patch.obfs_password) ?? patch.obfs_password;
  const otherIds = others.length === 0 ? undefined : others.map((other) => other.id);
  const detail = {
    ...patch,
    obfs_password,
    certificate: maskGiven(certificate) ?? certificate,
    ...keys,
    also: otherIds,
  };
  tx.audit(`inbound:${id}`, detail);
  return buildResult(tx, row);
}

function deleteInbound(input: Input<'deleteInbound'>, tx: Transaction): Result<undefined> {
  const { store } = tx;
  const row = requireInbound(tx, input.id);
  requireMatch(tx.call.ifMatch, etagOf(row));
  const [users, tariffs] = [store.users.usesOfInbound(row.id), store.tariffs.usesOfInbound(row.id)];
  if (users.total + tariffs.total > 0) throw inUseError('inbound_in_use', { users, tariffs });
  requireUnshared(tx, [row]);
  store.inbounds.remove(row.id);
  removeSecrets(tx, row.id);
  tx.emit('inbound.deleted', { inbound_id: row.id, node_id: row.nodeId, name: row.name });
  tx.audit(`inbound:${row.id}`, { name: row.name, tag: row.tag });
  return { body: undefined };
}

function makeRealityKeys(_input: unknown, { crypto }: Context): Result<Output<'makeRealityKeys'>> {
  const { privateKey, publicKey } = crypto.newX25519();
  return { body: { private_key: privateKey, public_key: publicKey } };
}

function makeVlessEncryption(
  { authentication, appearance }: Input<'makeVlessEncryption'>,
  { crypto }: Context,
): Result<Output<'makeVlessEncryption'>> {
  return { body: makeVlessPair(crypto, authentication, appearance) };
}

function makeMldsa65(_input: unknown, { crypto }: Context): Result<Output<'makeMldsa65'>> {
  return { body: makeMldsa65Pair(crypto) };
}

export const INBOUND_HANDLERS = {
  listInbounds: { read: listInbounds },
  getInbound: { read: (input, context) => buildResult(context, requireInbound(context, input.id)) },
  createInbound: {
    run: async (input, { env, commit }) => commit(await prepareInbound(env, input)),
  },
  updateInbound: {
    async run(input, { env, commit }) {
      const { id, ...patch } = input;
      const before = env.store.inbounds.get(id);
      if (!before) throw new PanelError('not_found');
      const prepared = await prepare(env, patch, { ...before, ...toColumns(patch) });
      const definition = pickDefinition(patch);
      const secrets = new Map<number, PreparedCertificate>();
      for (const other of listSiblings(env.store, before)) {
        secrets.set(other.id, await prepareSecrets(env, definition, { ...other, ...toColumns(definition) }));
      }
      // A node that was added meanwhile gets its certificate from the periodic job.
      const { findings } = prepared;
      const getPrepared = (other: InboundRow) => ({ made: null, errors: [], ...secrets.get(other.id), findings });
      return commit((tx) => updateInbound(input, tx, prepared, getPrepared));
    },
  },
  makeRealityKeys: { read: makeRealityKeys },
  makeVlessEncryption: { read: makeVlessEncryption },
  makeMldsa65: { read: makeMldsa65 },
  deleteInbound: { write: deleteInbound },
} satisfies Handlers<
  | 'listInbounds'
  | 'getInbound'
  | 'createInbound'
  | 'updateInbound'
  | 'deleteInbound'
  | 'makeRealityKeys'
  | 'makeVlessEncryption'
  | 'makeMldsa65'
>;
