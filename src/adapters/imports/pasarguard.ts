// PasarGuard: as Marzban, with its inbounds in the database, groups between them and users, and credentials in one column.
import { createHash } from 'node:crypto';
import type { DocumentInbound, DocumentUser } from '../../contract/imports/document.ts';
import { hasKeys } from '../../domain/nodes/shadowsocks.ts';
import { type ForeignDatabase, groupRows, type Row } from './foreign-database.ts';
import { RESETS, readLinkPath, readLinkSecret, toHost } from './marzban.ts';
import { fitFamilies } from './secrets.ts';
import {
  buildUser,
  createLosses,
  type LeftOut,
  listCredentials,
  type SourceDocument,
  type SourceFiles,
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
import { findMost, mapXrayConfig } from './xray-config.ts';

export function isPasarGuard(db: ForeignDatabase): boolean {
  return db.has('core_configs') && db.columns('users').has('proxy_settings');
}

/** One cipher takes keys of 32 bytes, which PasarGuard makes of the password. */
const KEY_METHOD = '2022-blake3-aes-256-gcm';

export function readPasarGuard(db: ForeignDatabase, { env, parse, now }: SourceFiles): SourceDocument {
  const rows = [...db.rows('users')].map((row) => ({
    row,
    proxies: toObject(parse(toText(row.proxy_settings) || '{}')),
  }));
  const { inbounds, leftOut } = readCores(
    db,
    parse,
    rows.map(({ proxies }) => toText(toObject(proxies.shadowsocks).method)),
  );
  const tagsOfUser = readTags(db);
  const former = groupRows(db.rows('user_usage_logs'), 'user_id', (row) => toBytes(row.used_traffic_at_reset));
  const devices = groupRows(db.rows('user_hwids'), 'user_id', () => 1);
  const plans = new Set([...db.rows('next_plans')].map((row) => toText(row.user_id)));
  const admins = new Map([...db.rows('admins')].map((row) => [toText(row.id), toText(row.username)]));
  const users = rows.map(({ row, proxies }): DocumentUser => {
    const id = toText(row.id);
    const { losses, lose } = createLosses();
    const seconds = toText(row.status) === 'on_hold' ? toInteger(row.on_hold_expire_duration) : 0;
    if (seconds > 0 && toText(row.on_hold_timeout) !== '') lose('hold_deadline', toText(row.on_hold_timeout));
    if (plans.has(id)) lose('next_plan');
    if (toInteger(row.auto_delete_in_days) > 0) lose('auto_delete', `${toText(row.auto_delete_in_days)} days`);
    const known = devices.get(id)?.length ?? 0;
    if (known > 0) lose('devices', String(known));
    const reset = toText(row.data_limit_reset_strategy) || 'no_reset';
    if (findNamed(RESETS, reset) === undefined) lose('reset_replaced', reset);
    const tags = tagsOfUser(id);
    const used = toBytes(row.used_traffic);
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
        expiresAt: parseUtc(row.expire),
        holdSeconds: seconds > 0 ? seconds : null,
        limitBytes: toBytes(row.data_limit) || null,
        usedUp: 0,
        usedDown: used,
        totalUp: 0,
        totalDown: (former.get(id) ?? []).reduce((sum, bytes) => sum + bytes, used),
        reset: findNamed(RESETS, reset) ?? 'none',
        deviceLimit: toInteger(row.hwid_limit) || null,
        concurrentLimit: null,
        credentials: listCredentials(
          inbounds.filter((inbound) => tags.has(inbound.id)),
          (inbound) => findSecret(inbound, proxies),
          lose,
        ),
        families: fitFamilies({
          uuid: toText(toObject(proxies.vless).id) || toText(toObject(proxies.vmess).id),
          password: toText(toObject(proxies.trojan).password),
          wireguard: toText(toObject(proxies.wireguard).private_key),
        }),
        links: listLinks(row),
        onlineAt: parseUtc(row.online_at),
        createdAt: parseUtc(row.created_at),
      },
      losses,
      now,
    );
  });
  const secret = readLinkSecret(db);
  return {
    source: 'pasarguard',
    instance: secret ?? 'unknown',
    links: { kind: 'pasarguard', path: readLinkPath(env), secret },
    inbounds,
    leftOut,
    hosts: [...db.rows('hosts')].map((row) => toHost(row, toText(row.inbound_tag))),
    users,
  };
}

/** Older forms of tokens have the name, newer ones the id. */
function listLinks(row: Row) {
  const notBefore = Math.max(parseUtc(row.created_at) ?? 0, parseUtc(row.sub_revoked_at) ?? 0);
  return [toText(row.username), `id:${toText(row.id)}`].map((token) => ({ token, notBefore }));
}

function readCores(db: ForeignDatabase, parse: SourceFiles['parse'], methods: readonly string[]) {
  const entries: unknown[] = [];
  const leftOut: LeftOut[] = [];
  for (const row of db.rows('core_configs')) {
    const core = toObject(parse(toText(row.config) || '{}'));
    for (const entry of toArray(core.inbounds)) entries.push(entry);
    const tag = cleanText(toText(core.interface_name), 300);
    if (tag !== '')
      leftOut.push({ kind: 'inbound', id: tag, name: tag, reason: 'WireGuard with addresses of the source' });
  }
  const mapped = mapXrayConfig(entries, {
    method: findMost(methods.filter((method) => method !== '')),
    flowOf: (entry) => toText(toObject(entry.settings).flow),
  });
  return { inbounds: mapped.inbounds, leftOut: [...mapped.leftOut, ...leftOut] };
}

/** The inbounds of a user: those of the groups that are on. */
function readTags(db: ForeignDatabase): (userId: string) => ReadonlySet<string> {
  const tags = new Map([...db.rows('inbounds')].map((row) => [toText(row.id), cleanText(toText(row.tag), 300)]));
  const off = new Set([...db.rows('groups')].filter((row) => isOn(row.is_disabled)).map((row) => toText(row.id)));
  const ofGroup = groupRows(
    db.rows('inbounds_groups_association'),
    'group_id',
    (row) => tags.get(toText(row.inbound_id)) ?? '',
  );
  const ofUser = groupRows(db.rows('users_groups_association'), 'user_id', (row) => toText(row.groups_id));
  return (userId) =>
    new Set((ofUser.get(userId) ?? []).filter((id) => !off.has(id)).flatMap((id) => ofGroup.get(id) ?? []));
}

function findSecret({ protocol, method }: DocumentInbound, proxies: Json): string | null {
  const of = (name: string, member: string) => toText(toObject(proxies[name])[member]);
  switch (protocol) {
    case 'vless':
    case 'vmess':
      return of(protocol, 'id');
    case 'trojan':
      return of('trojan', 'password');
    case 'hysteria2':
      return of('hysteria', 'auth');
    case 'shadowsocks': {
      const password = of('shadowsocks', 'password');
      if (!hasKeys(method)) return of('shadowsocks', 'method') === method ? password : null;
      return method === KEY_METHOD && password !== '' ? createHash('sha256').update(password).digest('base64') : null;
    }
    case 'wireguard':
      return null;
  }
}
