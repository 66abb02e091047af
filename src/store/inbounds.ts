// Inbounds that nodes offer. Their private keys are in the vault, not here.

import type { TargetFinding } from '../contract/inbounds.ts';
import type { XhttpExtra } from '../contract/xhttp.ts';
import type { InboundRow, InboundStore, OfferedInbound, ServedCertificate } from '../core/ports/inbounds.ts';
import { mergePortOwner } from '../domain/nodes/shared-port.ts';
import { parseOwnJson } from '../domain/own-json.ts';
import type { Host } from '../domain/subscription/hosts.ts';
import type { Connection } from './database.ts';
import { limitTo } from './statements.ts';
import { untilWritten } from './until-written.ts';

type Lists = 'alpn' | 'xhttpExtra' | 'moreShortIds' | 'moreServerNames' | 'targetFindings' | 'certificate' | 'hosts';
type InboundCells = Omit<InboundRow, Lists | 'enabled'> & {
  readonly hosts: string;
  readonly xhttpExtra: string | null;
  readonly moreShortIds: string;
  readonly moreServerNames: string;
  readonly alpn: string | null;
  readonly targetFindings: string | null;
  readonly certificate: string | null;
  readonly enabled: number;
};

/** Columns by field. */
const COLUMN = {
  nodeId: 'node_id',
  groupId: 'group_id',
  tag: 'tag',
  name: 'name',
  protocol: 'protocol',
  network: 'network',
  security: 'security',
  host: 'host',
  port: 'port',
  sni: 'sni',
  path: 'path',
  xhttpMode: 'xhttp_mode',
  xhttpExtra: 'xhttp_extra',
  serviceName: 'service_name',
  proxyHeader: 'proxy_header',
  flow: 'flow',
  fingerprint: 'fingerprint',
  alpn: 'alpn',
  publicKey: 'public_key',
  encryption: 'encryption',
  mldsa65Verify: 'mldsa65_verify',
  shortId: 'short_id',
  moreShortIds: 'more_short_ids',
  moreServerNames: 'more_server_names',
  method: 'method',
  obfsPassword: 'obfs_password',
  hopPorts: 'hop_ports',
  masquerade: 'masquerade',
  fragment: 'fragment',
  noise: 'noise',
  mux: 'mux',
  sharesPortOf: 'shares_port_of',
  fallback: 'fallback',
  fallbackProxyProtocol: 'fallback_proxy_protocol',
  addressPool: 'address_pool',
  mtu: 'mtu',
  target: 'target',
  minClientVersion: 'min_client_version',
  targetFindings: 'target_findings',
  certificate: 'certificate',
  hosts: 'hosts',
  hostOrder: 'host_order',
  note: 'note',
  enabled: 'enabled',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  version: 'version',
} as const satisfies Record<keyof Omit<InboundRow, 'id'>, string>;

const FIELDS = Object.entries(COLUMN);
const SELECT = `SELECT id, ${FIELDS.map(([field, column]) => `${column} AS ${field}`).join(', ')} FROM inbounds`;

function decode(cells: InboundCells): InboundRow {
  const alpn = cells.alpn === null ? null : (parseOwnJson(cells.alpn) as string[]);
  const moreShortIds = parseOwnJson(cells.moreShortIds) as string[];
  const moreServerNames = parseOwnJson(cells.moreServerNames) as string[];
  const xhttpExtra = cells.xhttpExtra === null ? null : (parseOwnJson(cells.xhttpExtra) as XhttpExtra);
  const { targetFindings: found } = cells;
  const targetFindings = found === null ? null : (parseOwnJson(found) as TargetFinding[]);
  const certificate = cells.certificate === null ? null : (parseOwnJson(cells.certificate) as ServedCertificate);
  const hosts = parseOwnJson(cells.hosts) as Host[];
  const lists = { alpn, xhttpExtra, moreShortIds, moreServerNames, targetFindings, certificate, hosts };
  return { ...cells, ...lists, enabled: cells.enabled === 1 };
}

function encode(inbound: Omit<InboundRow, 'id'>): Omit<InboundCells, 'id'> {
  const alpn = inbound.alpn === null ? null : JSON.stringify(inbound.alpn);
  const xhttpExtra = inbound.xhttpExtra === null ? null : JSON.stringify(inbound.xhttpExtra);
  const targetFindings = inbound.targetFindings === null ? null : JSON.stringify(inbound.targetFindings);
  const certificate = inbound.certificate === null ? null : JSON.stringify(inbound.certificate);
  const hosts = JSON.stringify(inbound.hosts);
  const moreShortIds = JSON.stringify(inbound.moreShortIds);
  const moreServerNames = JSON.stringify(inbound.moreServerNames);
  const lists = { alpn, xhttpExtra, moreShortIds, moreServerNames, targetFindings, certificate, hosts };
  return { ...inbound, ...lists, enabled: inbound.enabled ? 1 : 0 };
}

/** A connection as apps reach it; none where the one whose port it shares is not served. */
function asReached(row: InboundRow, byId: ReadonlyMap<number, InboundRow>): readonly InboundRow[] {
  if (row.sharesPortOf === null) return [row];
  const owner = byId.get(row.sharesPortOf);
  return owner?.enabled ? [mergePortOwner(row, owner)] : [];
}

export function createInboundStore(db: Connection): InboundStore {
  const insert = db.prepare(
    `INSERT INTO inbounds (${FIELDS.map(([, column]) => column).join(', ')})
     VALUES (${FIELDS.map(([field]) => `:${field}`).join(', ')})`,
  );
  const update = db.prepare(
    `UPDATE inbounds SET ${FIELDS.map(([field, column]) => `${column} = :${field}`).join(', ')} WHERE id = :id`,
  );
  const remove = db.prepare<[number]>('DELETE FROM inbounds WHERE id = ?');
  const get = db.prepare<[number], InboundCells>(`${SELECT} WHERE id = ?`);
  const byTag = db.prepare<[number, string], InboundCells>(`${SELECT} WHERE node_id = ? AND tag = ?`);
  const atPort = db.prepare<[number, number], InboundCells>(`${SELECT} WHERE node_id = ? AND port = ? ORDER BY id`);
  const sharing = db.prepare<[number], InboundCells>(`${SELECT} WHERE shares_port_of = ? ORDER BY id`);
  const ofGroup = db.prepare<[number], InboundCells>(`${SELECT} WHERE group_id = ? ORDER BY id`);
  const page = db.prepare<[{ nodeId: number | null; limit: number; offset: number; after: number }], InboundCells>(
    `${SELECT} WHERE id > :after AND (:nodeId IS NULL OR node_id = :nodeId) ORDER BY id ${limitTo(':limit')} OFFSET :offset`,
  );
  const count = db
    .prepare<[{ nodeId: number | null }], number>(
      'SELECT count(*) FROM inbounds WHERE :nodeId IS NULL OR node_id = :nodeId',
    )
    .pluck();
  // Every change increments a version, and ids are never reused.
  const mark = db
    .prepare<[], string>(
      `SELECT count(*) || ' ' || total(id) || ' ' || total(version) || ' ' || coalesce(max(updated_at), 0) FROM inbounds`,
    )
    .pluck();
  const addresses = db
    .prepare<
      [],
      [nodeId: number, address: string, draining: number, coreName: string | null, coreVersion: string | null]
    >('SELECT id, address, draining, core_name, core_version FROM nodes WHERE enabled = 1')
    .raw();
  let known: { readonly mark: string | undefined; readonly rows: readonly InboundRow[] } | null = null;
  /** Returns the same object for a row that did not change, so that caches can use it as a key. */
  const all = () => {
    const present = mark.get();
    if (known === null || known.mark !== present) {
      const rows = page.all({ nodeId: null, limit: -1, offset: 0, after: 0 }).map(decode);
      const byId = new Map(rows.map((row) => [row.id, row]));
      known = { mark: present, rows: rows.flatMap((row) => asReached(row, byId)) };
    }
    return known.rows;
  };
  const missing = db
    .prepare<[string], number>('SELECT value FROM json_each(?) WHERE value NOT IN (SELECT id FROM inbounds)')
    .pluck();
  return {
    insert: (inbound) => Number(insert.run(encode(inbound)).lastInsertRowid),
    get: (id) => {
      const cells = get.get(id);
      return cells && decode(cells);
    },
    save: (inbound) => {
      update.run({ ...encode(inbound), id: inbound.id });
    },
    remove: (id) => {
      remove.run(id);
    },
    page: ({ nodeId }, limit, offset, after = 0) =>
      page.all({ nodeId: nodeId ?? null, limit, offset, after }).map(decode),
    count: ({ nodeId }) => count.get({ nodeId: nodeId ?? null }) ?? 0,
    listOffered: untilWritten(db, () => {
      const byNode = new Map(
        addresses.all().map(([id, address, draining, name, version]) => {
          const engine = name === null ? null : { name, version: version ?? '' };
          return [id, { address, isDraining: draining === 1, engine }];
        }),
      );
      const offered: OfferedInbound[] = [];
      for (const inbound of all()) {
        const node = byNode.get(inbound.nodeId);
        if (!inbound.enabled || !node) continue;
        offered.push({ inbound, ...node, address: inbound.host ?? node.address });
      }
      return offered;
    }),
    byTag: (nodeId, tag) => {
      const cells = byTag.get(nodeId, tag);
      return cells && decode(cells);
    },
    ofGroup: (groupId) => ofGroup.all(groupId).map(decode),
    sharing: (id) => sharing.all(id).map(decode),
    atPort: (nodeId, port) => atPort.all(nodeId, port).map(decode),
    missing: (ids) => missing.all(JSON.stringify(ids)),
  };
}
