// Nodes: readable through both doors, writable in the panel only.

import type { Proof } from '../../contract/access/proof.ts';
import type { Node } from '../../contract/nodes/nodes.ts';
import type { Input, Output } from '../../contract/table.ts';
import { findCutOffs } from '../../domain/nodes/engine-facts.ts';
import { formatFingerprint } from '../../domain/nodes/join-token.ts';
import { nodeStatusAt } from '../../domain/nodes/node-status.ts';
import type { Context, Handlers, Transaction } from '../kernel/context.ts';
import { pageById } from '../kernel/paging.ts';
import { PanelError } from '../kernel/panel-error.ts';
import { changedMembers, patchReader, toInstant, toInstantOrNull } from '../kernel/wire.ts';
import type { Result } from '../ports/call.ts';
import type { NodeRow } from '../ports/nodes.ts';
import { trafficSlot } from '../users/traffic.ts';

/** Number of changes that were not pushed to the engine; null: it must be started with all users. */
export function pendingChanges({ store: { sync } }: Context, nodeId: number): number | null {
  const { position } = sync.get(nodeId);
  return position === null || !sync.hasAfter(position) ? null : sync.latest() - position;
}

function getTraffic({ store: { traffic }, now, settings }: Context, nodeId: number): Node['traffic'] {
  const { day, month } = trafficSlot(now, settings.timeZone);
  return { today: traffic.sumDays(day, day, nodeId), month: traffic.sumDays(`${month}-01`, day, nodeId) };
}

function viewNode(context: Context, row: NodeRow): Node {
  const { store, call, now } = context;
  const isFull = call.actor.access === 'full';
  const { coreName, coreVersion, engineStartedAt, lastSeenAt } = row;
  const status = nodeStatusAt(row, now);
  const core = coreName === null ? null : { name: coreName, version: coreVersion ?? '' };
  const cutOff = core && findCutOffs(core);
  const { restart } = row;
  const view: Node = {
    id: row.id,
    name: row.name,
    kind: row.kind,
    enabled: row.enabled,
    allows_private: row.allowsPrivate,
    draining: row.draining,
    weight_percent: row.weight,
    status,
    core,
    uptime_s:
      status === 'up' && engineStartedAt !== null ? Math.max(0, Math.floor((now - engineStartedAt) / 1000)) : null,
    users_online: status === 'up' ? row.usersOnline : 0,
    addresses_online: store.connected.countOnNode(row.id, now),
    last_seen_at: toInstantOrNull(lastSeenAt),
    poll_age_s: lastSeenAt === null ? null : Math.max(0, Math.floor((now - lastSeenAt) / 1000)),
    pending_changes: pendingChanges(context, row.id),
    cut_off: cutOff && [...cutOff],
    joined: row.kind === 'local' || row.agentPin !== null,
    fingerprint: row.agentPin && formatFingerprint(row.agentPin),
    protocol: row.agentProtocol,
    version: row.agentVersion,
    load_percent: status === 'up' ? row.load : null,
    clock_offset_ms: status === 'up' ? row.clockOffset : null,
    links_certificate:
      row.linksLate === null
        ? null
        : { not_after: toInstantOrNull(row.linksEndsAt), ends_soon: row.linksLate, failure: row.linksFailure },
    ledger:
      row.waitingEntries === null
        ? null
        : {
            entries: row.waitingEntries,
            bytes: row.waitingBytes ?? 0,
            since: toInstantOrNull(row.waitingSince),
          },
    traffic: getTraffic(context, row.id),
    restored_at: toInstantOrNull(row.restoredAt),
    implausible_traffic: viewImplausible(context, row.id),
    last_restart: restart && {
      at: toInstant(restart.at),
      reason: restart.reason,
      inbound_id: restart.inboundId,
      user_ids: [...restart.userIds],
    },
    error_code: row.errorCode,
    error: isFull ? (row.errorText ?? row.errorCode) : row.errorCode,
    created_at: toInstant(row.createdAt),
    updated_at: toInstant(row.updatedAt),
  };
  return isFull ? { ...view, address: row.address, note: row.note } : view;
}

function viewImplausible({ store }: Context, nodeId: number): Node['implausible_traffic'] {
  const { implausible, implausibleAt = null } = store.sync.line(nodeId) ?? {};
  return implausible && implausibleAt !== null ? { ...implausible, last_at: toInstant(implausibleAt) } : null;
}

function requireNode({ store }: Context, id: number): NodeRow {
  const node = store.nodes.get(id);
  if (!node) throw new PanelError('not_found');
  return node;
}

function listNodes(input: Input<'listNodes'>, context: Context): Result<Output<'listNodes'>> {
  const { nodes } = context.store;
  return { body: pageById('nodes', input, nodes.count(), nodes.page, (row) => viewNode(context, row)) };
}

export function createNode(input: Input<'createNode'>, tx: Transaction): Result<Node> {
  const { store, now } = tx;
  const fields: Omit<NodeRow, 'id'> = {
    name: input.name,
    kind: input.kind,
    address: input.address,
    enabled: input.enabled,
    allowsPrivate: input.allows_private ?? false,
    draining: input.draining,
    weight: input.weight_percent,
    note: input.note,
    status: 'unknown',
    coreName: null,
    coreVersion: null,
    engineStartedAt: null,
    usersOnline: 0,
    lastSeenAt: null,
    errorCode: null,
    errorText: null,
    unserved: [],
    restart: null,
    agentPort: null,
    agentPin: null,
    agentProtocol: null,
    load: null,
    clockOffset: null,
    agentVersion: null,
    linksEndsAt: null,
    linksLate: null,
    linksFailure: null,
    waitingEntries: null,
    waitingBytes: null,
    waitingSince: null,
    restoredAt: null,
    createdAt: now,
    updatedAt: now,
  };
  const row = { ...fields, id: store.nodes.insert(fields) };
  tx.emit('node.created', { node_id: row.id, name: row.name });
  tx.audit(`node:${row.id}`, { ...input });
  return { body: viewNode(tx, row) };
}

const toColumns = patchReader<Omit<Input<'updateNode'>, 'id' | keyof Proof>, NodeRow>({
  name: 'name',
  address: 'address',
  enabled: 'enabled',
  allows_private: 'allowsPrivate',
  draining: 'draining',
  weight_percent: 'weight',
  note: 'note',
});

function updateNode(input: Input<'updateNode'>, tx: Transaction): Result<Node> {
  const { id, ...patch } = input;
  const before = requireNode(tx, id);
  const row: NodeRow = { ...before, ...toColumns(patch), updatedAt: tx.now };
  tx.store.nodes.save(row);
  tx.emit('node.changed', { node_id: id, name: row.name }, changedMembers(viewNode(tx, before), viewNode(tx, row)));
  tx.audit(`node:${id}`, patch);
  return { body: viewNode(tx, row) };
}

function deleteNode(input: Input<'deleteNode'>, tx: Transaction): Result<undefined> {
  const { store } = tx;
  const row = requireNode(tx, input.id);
  if (store.inbounds.count({ nodeId: row.id }) > 0) throw new PanelError('node_in_use');
  store.nodes.remove(row.id);
  tx.emit('node.deleted', { node_id: row.id, name: row.name });
  tx.audit(`node:${row.id}`, { name: row.name });
  return { body: undefined };
}

export const NODE_HANDLERS = {
  listNodes: { read: listNodes },
  getNode: { read: (input, context) => ({ body: viewNode(context, requireNode(context, input.id)) }) },
  getNodeLog: {
    read({ id }, context) {
      requireNode(context, id);
      return { body: { lines: [...(context.env.engineLog?.(id) ?? [])] } };
    },
  },
  createNode: { write: createNode },
  updateNode: { write: updateNode },
  deleteNode: { write: deleteNode },
} satisfies Handlers<'listNodes' | 'getNode' | 'getNodeLog' | 'createNode' | 'updateNode' | 'deleteNode'>;
