// Nodes: their settings, and their status at the last contact.

import type { NodeRestart, NodeRow, NodeStore, UnservedInbound } from '../../core/ports/nodes.ts';
import { parseOwnJson } from '../../domain/own-json.ts';
import type { Connection } from '../database.ts';
import { limitTo } from '../statements.ts';

type NodeCells = Omit<NodeRow, 'enabled' | 'allowsPrivate' | 'draining' | 'linksLate' | 'unserved' | 'restart'> & {
  readonly enabled: number;
  readonly allowsPrivate: number;
  readonly draining: number;
  readonly linksLate: number | null;
  readonly unserved: string;
  readonly restart: string | null;
};

/** Columns by field. */
const COLUMN = {
  name: 'name',
  kind: 'kind',
  address: 'address',
  enabled: 'enabled',
  allowsPrivate: 'allows_private',
  draining: 'draining',
  weight: 'weight',
  note: 'note',
  status: 'status',
  coreName: 'core_name',
  coreVersion: 'core_version',
  engineStartedAt: 'engine_started_at',
  usersOnline: 'users_online',
  lastSeenAt: 'last_seen_at',
  errorCode: 'error_code',
  errorText: 'error_text',
  unserved: 'unserved',
  restart: 'last_restart',
  agentPort: 'agent_port',
  agentPin: 'agent_pin',
  agentProtocol: 'agent_protocol',
  load: 'machine_load',
  clockOffset: 'clock_offset',
  agentVersion: 'agent_version',
  linksEndsAt: 'links_ends_at',
  linksLate: 'links_late',
  linksFailure: 'links_failure',
  waitingEntries: 'waiting_entries',
  waitingBytes: 'waiting_bytes',
  waitingSince: 'waiting_since',
  restoredAt: 'restored_at',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
} as const satisfies Record<keyof Omit<NodeRow, 'id'>, string>;

const FIELDS = Object.entries(COLUMN);
const SELECT = `SELECT id, ${FIELDS.map(([field, column]) => `${column} AS ${field}`).join(', ')} FROM nodes`;

function decode(cells: NodeCells): NodeRow {
  const restart = cells.restart === null ? null : (parseOwnJson(cells.restart) as NodeRestart);
  const { enabled, allowsPrivate, draining, linksLate } = cells;
  return {
    ...cells,
    enabled: enabled === 1,
    allowsPrivate: allowsPrivate === 1,
    draining: draining === 1,
    linksLate: linksLate === null ? null : linksLate === 1,
    unserved: parseOwnJson(cells.unserved) as UnservedInbound[],
    restart,
  };
}

function encode<Node extends Omit<NodeRow, 'id'>>(node: Node) {
  const restart = node.restart && JSON.stringify(node.restart);
  const { enabled, allowsPrivate, draining, linksLate } = node;
  return {
    ...node,
    enabled: Number(enabled),
    allowsPrivate: Number(allowsPrivate),
    draining: Number(draining),
    linksLate: linksLate === null ? null : Number(linksLate),
    unserved: JSON.stringify(node.unserved),
    restart,
  };
}

export function createNodeStore(db: Connection): NodeStore {
  const insert = db.prepare(
    `INSERT INTO nodes (${FIELDS.map(([, column]) => column).join(', ')})
     VALUES (${FIELDS.map(([field]) => `:${field}`).join(', ')})`,
  );
  const update = db.prepare(
    `UPDATE nodes SET ${FIELDS.map(([field, column]) => `${column} = :${field}`).join(', ')} WHERE id = :id`,
  );
  // The traffic of a deleted node stays in the sums of all nodes until it is pruned by age.
  const removals = ['DELETE FROM node_totals WHERE node_id = ?', 'DELETE FROM nodes WHERE id = ?'].map((sql) =>
    db.prepare<[number]>(sql),
  );
  const get = db.prepare<[number], NodeCells>(`${SELECT} WHERE id = ?`);
  const page = db.prepare<[number, number, number], NodeCells>(
    `${SELECT} WHERE id > ? ORDER BY id ${limitTo('?')} OFFSET ?`,
  );
  const count = db.prepare<[], number>('SELECT count(*) FROM nodes').pluck();
  return {
    insert: (node) => Number(insert.run(encode(node)).lastInsertRowid),
    get: (id) => {
      const cells = get.get(id);
      return cells && decode(cells);
    },
    save: (node) => {
      update.run(encode(node));
    },
    remove: (id) => {
      for (const removal of removals) removal.run(id);
    },
    page: (limit, offset, after = 0) => page.all(after, limit, offset).map(decode),
    count: () => count.get() ?? 0,
  };
}
