// Marzban: users with one credential for each protocol; its inbounds are in xray_config.json.
import {
  type DocumentHost,
  type DocumentInbound,
  type DocumentUser,
  MAX_LINK_SECRET,
} from '../../contract/imports/document.ts';
import type { ResetStrategy } from '../../contract/users/users.ts';
import { type ForeignDatabase, groupRows, type Row } from './foreign-database.ts';
import { fitFamilies, fitSecret } from './secrets.ts';
import {
  buildUser,
  createLosses,
  type OwnCredential,
  type SourceDocument,
  type SourceFiles,
  type SourceUser,
} from './source-document.ts';
import {
  cleanText,
  findNamed,
  isOn,
  type Json,
  parseUtc,
  toArray,
  toBytes,
  toInteger,
  toObject,
  toText,
} from './values.ts';
import { canHaveFlow, findMost, mapXrayConfig } from './xray-config.ts';

export function isMarzban(db: ForeignDatabase): boolean {
  return db.has('proxies') && db.has('exclude_inbounds_association') && db.columns('users').has('used_traffic');
}

interface Proxy {
  readonly id: string;
  readonly type: string;
  readonly settings: Json;
}

/** Also of the panels made of Marzban. */
export const RESETS: Readonly<Record<string, ResetStrategy>> = {
  no_reset: 'none',
  day: 'day',
  week: 'week',
  month: 'month',
};

export function readMarzban(db: ForeignDatabase, { config, env, parse, now }: SourceFiles): SourceDocument {
  const proxies = groupRows(db.rows('proxies'), 'user_id', (row) => ({
    id: toText(row.id),
    type: toText(row.type).toLowerCase(),
    settings: toObject(parse(toText(row.settings) || '{}')),
  }));
  const excluded = groupRows(db.rows('exclude_inbounds_association'), 'proxy_id', (row) => toText(row.inbound_tag));
  const former = new Map<string, number>();
  for (const row of db.rows('user_usage_logs')) {
    const id = toText(row.user_id);
    former.set(id, (former.get(id) ?? 0) + toBytes(row.used_traffic_at_reset));
  }
  const plans = new Set([...db.rows('next_plans')].map((row) => toText(row.user_id)));
  const admins = new Map([...db.rows('admins')].map((row) => [toText(row.id), toText(row.username)]));
  const { inbounds, leftOut } = readInbounds(config, proxies);
  const users = [...db.rows('users')].map((row): DocumentUser => {
    const id = toText(row.id);
    const { losses, lose } = createLosses();
    const seconds = toText(row.status) === 'on_hold' ? toInteger(row.on_hold_expire_duration) : 0;
    if (seconds > 0 && toText(row.on_hold_timeout) !== '') lose('hold_deadline', toText(row.on_hold_timeout));
    if (config === null) lose('connections_unknown', 'xray_config.json');
    if (plans.has(id)) lose('next_plan');
    if (toInteger(row.auto_delete_in_days) > 0) lose('auto_delete', `${toText(row.auto_delete_in_days)} days`);
    const reset = toText(row.data_limit_reset_strategy) || 'no_reset';
    if (findNamed(RESETS, reset) === undefined) lose('reset_replaced', reset);
    const own = proxies.get(id) ?? [];
    const credentials =
      config && own.flatMap((proxy) => listCredentials(proxy, inbounds, excluded.get(proxy.id) ?? [], lose));
    const used = toBytes(row.used_traffic);
    const expire = toInteger(row.expire);
    const admin = admins.get(toText(row.admin_id)) ?? '';
    return buildUser(
      {
        id,
        name: toText(row.username),
        note: toText(row.note),
        tags: admin === '' ? [] : [admin],
        telegram: null,
        metadata: {},
        enabled: toText(row.status) !== 'disabled',
        expiresAt: expire > 0 ? expire * 1000 : null,
        holdSeconds: seconds > 0 ? seconds : null,
        limitBytes: toBytes(row.data_limit) || null,
        usedUp: 0,
        usedDown: used,
        totalUp: 0,
        totalDown: used + (former.get(id) ?? 0),
        reset: findNamed(RESETS, reset) ?? 'none',
        deviceLimit: null,
        concurrentLimit: null,
        credentials,
        families: readFamilies(own),
        links: [
          {
            token: toText(row.username),
            notBefore: Math.max(parseUtc(row.created_at) ?? 0, parseUtc(row.sub_revoked_at) ?? 0),
          },
        ],
        onlineAt: parseUtc(row.online_at),
        createdAt: parseUtc(row.created_at),
      },
      losses,
      now,
    );
  });
  const secret = readLinkSecret(db);
  return {
    source: 'marzban',
    instance: secret ?? 'unknown',
    links: { kind: 'marzban', path: readLinkPath(env), secret },
    inbounds,
    leftOut,
    hosts: [...db.rows('hosts')].map((row) => toHost(row, toText(row.inbound_tag))),
    users,
  };
}

function readInbounds(config: Json | null, proxies: ReadonlyMap<string, readonly Proxy[]>) {
  const all = [...proxies.values()].flat();
  const textsOf = (type: string, member: string) =>
    all.filter((proxy) => proxy.type === type).map(({ settings }) => toText(settings[member]));
  const flow = findMost(textsOf('vless', 'flow'));
  return mapXrayConfig(toArray(config?.inbounds), {
    method: findMost(textsOf('shadowsocks', 'method')),
    flowOf: () => flow,
  });
}

function listCredentials(
  { type, settings }: Proxy,
  inbounds: readonly DocumentInbound[],
  excluded: readonly string[],
  lose: ReturnType<typeof createLosses>['lose'],
): OwnCredential[] {
  return inbounds
    .filter((inbound) => inbound.protocol === type && !excluded.includes(inbound.id))
    .map((inbound): OwnCredential => {
      const text = type === 'vless' || type === 'vmess' ? toText(settings.id) : toText(settings.password);
      const isOtherCipher = type === 'shadowsocks' && toText(settings.method) !== inbound.method;
      const value = text === '' || isOtherCipher ? null : fitSecret(inbound, text);
      if (value === null) lose('credential_invalid', inbound.tag);
      const flow = toText(settings.flow) === '' ? '' : 'xtls-rprx-vision';
      return { inbound, value, flow: canHaveFlow(inbound) ? flow : null };
    });
}

/** Also of protocols that no inbound has at present. */
function readFamilies(proxies: readonly Proxy[]): NonNullable<SourceUser['families']> {
  const find = (type: string) => toObject(proxies.find((proxy) => proxy.type === type)?.settings);
  return fitFamilies({
    uuid: toText(find('vless').id) || toText(find('vmess').id),
    password: toText(find('trojan').password) || toText(find('shadowsocks').password),
  });
}

/** By which tokens of links are computed; null: unknown, so that no link can be checked. */
export function readLinkSecret(db: ForeignDatabase): string | null {
  const [first] = db.rows('jwt');
  const secret = toText(first?.secret_key);
  return secret.trim() === '' || secret.length > MAX_LINK_SECRET ? null : secret;
}

/** The path of links by the source's environment. */
export function readLinkPath({ XRAY_SUBSCRIPTION_PATH: path }: Readonly<Record<string, string>>): string {
  return `/${cleanText(path || 'sub', 190)}/`;
}

/** A row of `hosts`, as in Marzban and the panels made of it. */
export function toHost(row: Row, inbound: string): DocumentHost {
  const text = (value: unknown, max: number) => cleanText(toText(value), max) || null;
  const port = toInteger(row.port);
  return {
    inbound: text(inbound, 300) ?? '-',
    name: cleanText(toText(row.remark), 500),
    address: cleanText(toText(row.address), 1000),
    port: port > 0 && port <= 65_535 ? port : null,
    sni: text(row.sni, 1000),
    host: text(row.host, 1000),
    path: text(row.path, 1000),
    security: text(row.security, 50),
    enabled: !isOn(row.is_disabled),
  };
}
