// 3x-ui: clients are in the JSON of their inbounds, later also in tables of their own; use is in `client_traffics`.
import type { DocumentHost, DocumentInbound, DocumentUser, ImportLoss } from '../../contract/imports/document.ts';
import type { ResetStrategy } from '../../contract/users/users.ts';
import type { ForeignDatabase, Row } from './foreign-database.ts';
import { fitFamilies, fitSecret } from './secrets.ts';
import {
  buildUser,
  createLosses,
  type LeftOut,
  type OwnCredential,
  type SourceDocument,
  type SourceFiles,
  type UserTerms,
} from './source-document.ts';
import {
  cleanText,
  findNamed,
  isOn,
  type Json,
  toArray,
  toBytes,
  toInstant,
  toInteger,
  toObject,
  toText,
} from './values.ts';
import { mapXrayInbound } from './xray-inbound.ts';

export function isThreeXui(db: ForeignDatabase): boolean {
  return db.has('client_traffics') && db.columns('inbounds').has('stream_settings');
}

const RESETS: Readonly<Record<string, ResetStrategy>> = { daily: 'day', weekly: 'week', monthly: 'month' };

/** One client in the settings of one inbound. */
interface Occurrence {
  readonly inbound: SourceInbound;
  readonly entry: Json;
}

interface SourceInbound {
  readonly id: string;
  readonly protocol: string;
  readonly method: string;
  /** Null: this panel cannot have it. */
  readonly mapped: DocumentInbound | null;
}

/** A client: what 3x-ui counts and limits. It is in several inbounds since 3.1. */
interface Client {
  readonly key: string;
  readonly name: string;
  readonly subId: string;
  readonly occurrences: readonly Occurrence[];
  readonly traffic: Row;
  readonly record: Row;
}

export function readThreeXui(db: ForeignDatabase, { parse, now }: SourceFiles): SourceDocument {
  const settings = new Map([...db.rows('settings')].map(({ key, value }) => [toText(key), toText(value)]));
  const traffics = new Map([...db.rows('client_traffics')].map((row) => [toText(row.email), row]));
  const records = new Map([...db.rows('clients')].map((row) => [toText(row.email), row]));
  const devices = new Map<string, number>();
  for (const row of db.rows('client_hwids')) {
    const id = toText(row.sub_id);
    devices.set(id, (devices.get(id) ?? 0) + 1);
  }
  const leftOut: LeftOut[] = [];
  const inbounds: DocumentInbound[] = [];
  const hosts: DocumentHost[] = [];
  const byKey = new Map<string, { name: string; subId: string; occurrences: Occurrence[] }>();
  const tags = new Set<string>();
  for (const row of db.rows('inbounds')) {
    const id = cleanText(toText(row.id), 300) || '-';
    const own = toObject(parse(toText(row.settings) || '{}'));
    const stream = toObject(parse(toText(row.stream_settings) || '{}'));
    const name = toText(row.remark) || toText(row.tag);
    const mapped = mapXrayInbound(
      {
        id,
        tag: toText(row.tag) || `inbound-${id}`,
        name,
        listen: toText(row.listen),
        port: toInteger(row.port),
        protocol: toText(row.protocol),
        settings: own,
        stream,
        enabled: isOn(row.enable),
        losses: inboundLosses(row, stream),
      },
      tags,
    );
    if ('inbound' in mapped) inbounds.push(mapped.inbound);
    else leftOut.push({ kind: 'inbound', id, name, reason: mapped.reason });
    for (const proxy of toArray(stream.externalProxy)) hosts.push(toHost(id, toObject(proxy)));
    const inbound: SourceInbound = {
      id,
      protocol: toText(row.protocol),
      method: toText(own.method),
      mapped: 'inbound' in mapped ? mapped.inbound : null,
    };
    toArray(own.clients).forEach((entry, index) => {
      const client = toObject(entry);
      const email = toText(client.email);
      const key = email === '' ? `inbound:${id}/#${index}` : email;
      const known = byKey.get(key) ?? { name: email, subId: toText(client.subId), occurrences: [] };
      known.occurrences.push({ inbound, entry: client });
      byKey.set(key, known);
    });
  }
  // Since 3.1 a client may be in no inbound.
  for (const [email, record] of records) {
    if (email !== '' && !byKey.has(email))
      byKey.set(email, { name: email, subId: toText(record.sub_id), occurrences: [] });
  }
  const clients = [...byKey].map(
    ([key, { name, subId, occurrences }]): Client => ({
      key,
      name,
      subId,
      occurrences,
      traffic: traffics.get(name) ?? {},
      record: records.get(name) ?? {},
    }),
  );
  setFlows(inbounds, clients);
  return {
    source: '3x-ui',
    instance: settings.get('secret') ?? 'unknown',
    inbounds,
    leftOut,
    hosts,
    links: { kind: 'constant', path: cleanText(settings.get('subPath') || '/sub/', 200), secret: null },
    users: groupClients(clients, now).map((person) => readPerson(person, devices, now)),
  };
}

function inboundLosses(row: Row, stream: Json): readonly ImportLoss[] {
  const { losses, lose } = createLosses();
  if (toInteger(row.total) > 0) lose('traffic_limit', toText(row.total));
  if (toInteger(row.expiry_time) > 0) lose('term', toInstant(toInteger(row.expiry_time)) ?? '');
  if (toArray(stream.externalProxy).length > 0) lose('hosts', String(toArray(stream.externalProxy).length));
  return losses;
}

function toHost(inbound: string, proxy: Json): DocumentHost {
  const port = toInteger(proxy.port);
  return {
    inbound,
    name: cleanText(toText(proxy.remark), 500),
    address: cleanText(toText(proxy.dest), 1000),
    port: port >= 0 && port <= 65_535 ? port : null,
    sni: null,
    host: null,
    path: null,
    security: cleanText(toText(proxy.forceTls), 50) || null,
    enabled: true,
  };
}

/** The flow of an inbound is that of most of its clients; others have their own. */
function setFlows(inbounds: readonly DocumentInbound[], clients: readonly Client[]): void {
  const occurrences = Map.groupBy(
    clients.flatMap((client) => client.occurrences),
    (each) => each.inbound.id,
  );
  for (const inbound of inbounds) {
    if (inbound.protocol !== 'vless' || inbound.network !== 'tcp' || inbound.security === 'none') continue;
    const flows = (occurrences.get(inbound.id) ?? []).map(({ entry }) => readFlow(entry));
    const vision = flows.filter((flow) => flow !== '').length;
    if (vision * 2 > flows.length) inbound.flow = 'xtls-rprx-vision';
  }
}

function readFlow(entry: Json): '' | 'xtls-rprx-vision' {
  return toText(entry.flow).startsWith('xtls-rprx-vision') ? 'xtls-rprx-vision' : '';
}

interface ClientFacts extends UserTerms {
  readonly client: Client;
  readonly up: number;
  readonly down: number;
  readonly total: number;
  /** As the source has it, before it is fitted to this panel. */
  readonly limit: number;
  readonly expiry: number;
}

function readClient(client: Client, now: number): ClientFacts {
  const { traffic, record, occurrences } = client;
  const entry = occurrences[0]?.entry ?? {};
  const up = toBytes(traffic.up);
  const down = toBytes(traffic.down);
  const first = (...values: readonly unknown[]) => values.map(toInteger).find((value) => value !== 0) ?? 0;
  const limit = first(traffic.total, record.total_gb, entry.totalGB);
  const expiry = first(traffic.expiry_time, record.expiry_time, entry.expiryTime);
  const isEnded = (expiry > 0 && expiry <= now) || (limit > 0 && up + down >= limit);
  const hasOff = (values: readonly unknown[]) => values.some((value) => value !== undefined && !isOn(value));
  const isOffInSettings = hasOff(occurrences.map((each) => each.entry.enable));
  // Since 3.1 a client that ended is off in its settings too.
  const isOffByPanel = isEnded && (record.enable !== undefined || !isOffInSettings);
  const isOff = !isOffByPanel && (isOffInSettings || hasOff([traffic.enable, record.enable]));
  return {
    client,
    up,
    down,
    total: Math.max(up + down, toBytes(traffic.all_time)),
    limit,
    expiry,
    enabled: !isOff,
    expiresAt: expiry > 0 ? expiry : null,
    holdSeconds: expiry < 0 ? -expiry / 1000 : null,
    limitBytes: limit > 0 ? limit : null,
  };
}

interface Person {
  readonly group: readonly ClientFacts[];
  /** Other clients of the subscription, who are users of their own. */
  readonly apart: readonly string[];
}

/** Clients of one subscription are one user where they are copies of each other, each in another inbound. */
function groupClients(clients: readonly Client[], now: number): Person[] {
  const groups = new Map<string, ClientFacts[]>();
  for (const client of clients) {
    const key = client.subId === '' ? `client ${client.key}` : `sub ${client.subId}`;
    const facts = readClient(client, now);
    const group = groups.get(key);
    if (group) group.push(facts);
    else groups.set(key, [facts]);
  }
  return [...groups.values()].flatMap((group): Person[] =>
    areCopies(group)
      ? [{ group, apart: [] }]
      : group.map((facts) => ({ group: [facts], apart: group.filter((each) => each !== facts).map(nameOf) })),
  );
}

const nameOf = ({ client }: ClientFacts) => client.name || client.key;

function areCopies(group: readonly ClientFacts[]): boolean {
  const signature = ({ client, limit, expiry, enabled }: ClientFacts) =>
    JSON.stringify([limit, expiry, enabled, toText(client.occurrences[0]?.entry.tgId), readReset(client).strategy]);
  const ended = (facts: ClientFacts) => facts.limit > 0 && facts.up + facts.down >= facts.limit;
  const ids = group.flatMap(({ client }) => client.occurrences.map(({ inbound }) => inbound.id));
  const isAlike = (values: readonly unknown[]) => new Set(values).size === 1;
  return isAlike(group.map(signature)) && isAlike(group.map(ended)) && new Set(ids).size === ids.length;
}

function readReset({ occurrences, record }: Client): {
  readonly strategy: ResetStrategy;
  readonly lost: string | null;
} {
  const days = toInteger(record.reset) || toInteger(occurrences[0]?.entry.reset);
  const every = toText(record.traffic_reset);
  const strategy = findNamed(RESETS, every) ?? 'none';
  return { strategy, lost: days > 0 ? `renewed every ${days} days` : null };
}

function sum(group: readonly ClientFacts[], of: (facts: ClientFacts) => number): number {
  return Math.min(
    Number.MAX_SAFE_INTEGER,
    group.reduce((total, facts) => total + of(facts), 0),
  );
}

function readPerson({ group, apart }: Person, devices: ReadonlyMap<string, number>, now: number): DocumentUser {
  const { losses, lose } = createLosses();
  const [first] = group as readonly [ClientFacts, ...ClientFacts[]];
  const { client } = first;
  const { record } = client;
  const entry = client.occurrences[0]?.entry ?? {};
  const names = group.map(nameOf);
  if (group.length > 1) lose('clients_merged', names.join(', '));
  if (apart.length > 0) lose('clients_apart', apart.join(', '));
  const known = devices.get(client.subId) ?? 0;
  if (client.subId !== '' && known > 0) lose('devices', String(known));
  const reset = readReset(client);
  if (reset.lost !== null) lose('reset_replaced', reset.lost);
  const occurrences = group.flatMap((facts) => facts.client.occurrences);
  const used = { up: sum(group, ({ up }) => up), down: sum(group, ({ down }) => down) };
  const total = sum(group, (facts) => facts.total);
  return buildUser(
    {
      id: `client:${[...names].sort()[0]}`,
      name: names[0] ?? client.key,
      note: toText(record.comment) || toText(entry.comment),
      tags: [toText(record.group_name)],
      telegram: toText(record.tg_id) === '0' || record.tg_id === undefined ? entry.tgId : record.tg_id,
      metadata: names.length > 1 ? { clients: names.join(', ') } : {},
      enabled: first.enabled,
      expiresAt: first.expiresAt,
      holdSeconds: first.holdSeconds,
      limitBytes: first.limitBytes === null ? null : sum(group, ({ limit }) => limit),
      usedUp: used.up,
      usedDown: used.down,
      totalUp: used.up,
      totalDown: used.down + Math.max(0, total - used.up - used.down),
      reset: reset.strategy,
      deviceLimit: toInteger(record.limit_hwid) || null,
      concurrentLimit: toInteger(record.limit_ip) || toInteger(entry.limitIp) || null,
      credentials: occurrences.flatMap((each): OwnCredential[] => readCredential(each, record, lose)),
      families:
        occurrences.length === 0 ? fitFamilies({ uuid: toText(record.uuid), password: toText(record.password) }) : {},
      links: client.subId === '' ? [] : [{ token: client.subId, notBefore: null }],
      onlineAt: toInteger(client.traffic.last_online) || null,
      createdAt: toInteger(record.created_at) || toInteger(entry.created_at) || null,
    },
    losses,
    now,
  );
}

function readCredential(
  { inbound, entry }: Occurrence,
  record: Row,
  lose: ReturnType<typeof createLosses>['lose'],
): OwnCredential[] {
  const { mapped } = inbound;
  if (mapped === null) {
    lose('connection_left_out', inbound.id);
    return [];
  }
  const text = readSecret(mapped, entry, record);
  const value = text === '' ? null : fitSecret(mapped, text);
  if (value === null) {
    lose('credential_invalid', mapped.tag);
    return [{ inbound: mapped, value: null, flow: null }];
  }
  const hasFlow = mapped.protocol === 'vless';
  return [{ inbound: mapped, value, flow: hasFlow ? readFlow(entry) : null }];
}

function readSecret({ protocol }: DocumentInbound, entry: Json, record: Row): string {
  if (protocol === 'vless' || protocol === 'vmess') return toText(entry.id) || toText(record.uuid);
  if (protocol === 'hysteria2') return toText(entry.auth) || toText(record.auth) || toText(entry.password);
  return toText(entry.password) || toText(record.password);
}
