// Nodes: read through both doors, changed in the panel only.
import type { Node } from '../contract/nodes.ts';
import type { Input, Output } from '../contract/table.ts';
import type { Reply, Scope } from './context.ts';
import type { Handlers } from './handler.ts';
import { PanelError } from './panel-error.ts';
import type { NodeRow } from './ports/plans.ts';
import { definedOnly, toInstant, toInstantOrNull } from './wire.ts';

function viewNode({ call, now }: Scope, row: NodeRow): Node {
  const isFull = call.actor.access === 'full';
  const { coreName, coreVersion, engineStartedAt, status } = row;
  const view: Node = {
    id: row.id,
    name: row.name,
    kind: row.kind,
    enabled: row.enabled,
    status,
    core: coreName === null ? null : { name: coreName, version: coreVersion ?? '' },
    uptime_s:
      status === 'up' && engineStartedAt !== null ? Math.max(0, Math.floor((now - engineStartedAt) / 1000)) : null,
    users_online: status === 'up' ? row.usersOnline : 0,
    last_seen_at: toInstantOrNull(row.lastSeenAt),
    error: isFull ? (row.errorText ?? row.errorCode) : row.errorCode,
    created_at: toInstant(row.createdAt),
    updated_at: toInstant(row.updatedAt),
  };
  return isFull ? { ...view, address: row.address } : view;
}

function nodeOf({ store }: Scope, id: number): NodeRow {
  const node = store.nodes.get(id);
  if (!node) throw new PanelError('not_found');
  return node;
}

function listNodes({ limit, offset }: Input<'listNodes'>, scope: Scope): Reply {
  const { nodes } = scope.store;
  const items = nodes.page(limit, offset).map((row) => viewNode(scope, row));
  const body: Output<'listNodes'> = { items, total: nodes.count(), limit, offset, next_cursor: null };
  return { status: 200, body };
}

function createNode(input: Input<'createNode'>, scope: Scope): Reply {
  const { store, now } = scope;
  const fields: Omit<NodeRow, 'id'> = {
    name: input.name,
    kind: input.kind,
    address: input.address,
    enabled: input.enabled,
    status: 'unknown',
    coreName: null,
    coreVersion: null,
    engineStartedAt: null,
    usersOnline: 0,
    lastSeenAt: null,
    errorCode: null,
    errorText: null,
    createdAt: now,
    updatedAt: now,
  };
  const row = { ...fields, id: store.nodes.insert(fields) };
  scope.emit('node.created', { node_id: row.id, name: row.name });
  scope.audit(`node:${row.id}`, { ...input });
  return { status: 201, body: viewNode(scope, row) };
}

function updateNode(input: Input<'updateNode'>, scope: Scope): Reply {
  const { id, ...asked } = input;
  const row: NodeRow = { ...nodeOf(scope, id), ...definedOnly(asked), updatedAt: scope.now };
  scope.store.nodes.save(row);
  scope.emit('node.changed', { node_id: id, name: row.name });
  scope.audit(`node:${id}`, asked);
  return { status: 200, body: viewNode(scope, row) };
}

function deleteNode(input: Input<'deleteNode'>, scope: Scope): Reply {
  const { store } = scope;
  const row = nodeOf(scope, input.id);
  if (store.inbounds.count({ nodeId: row.id }) > 0) throw new PanelError('node_in_use');
  store.nodes.remove(row.id);
  scope.emit('node.deleted', { node_id: row.id, name: row.name });
  scope.audit(`node:${row.id}`, { name: row.name });
  return { status: 204 };
}

export const NODE_HANDLERS = {
  listNodes: { read: listNodes },
  getNode: { read: (input, scope) => ({ status: 200, body: viewNode(scope, nodeOf(scope, input.id)) }) },
  createNode: { write: createNode },
  updateNode: { write: updateNode },
  deleteNode: { write: deleteNode },
} satisfies Handlers<'listNodes' | 'getNode' | 'createNode' | 'updateNode' | 'deleteNode'>;
