// Marzneshin: one key for each user, of which credentials are derived; services between users and inbounds. Keys of inbounds are in the
// configuration of its node.
import type { DocumentInbound, DocumentUser } from '../../contract/imports/document.ts';
import type { ForeignDatabase } from './foreign-database.ts';
import { groupRows } from './foreign-database.ts';
import { RESETS, toHost } from './marzban.ts';
import { fitFamilies } from './secrets.ts';
import { buildUser, createLosses, listCredentials, type SourceDocument, type SourceFiles } from './source-document.ts';
import { cleanText, findNamed, isOn, parseUtc, toArray, toBytes, toInteger, toObject, toText } from './values.ts';
import { mapXrayConfig } from './xray-config.ts';
import { hashXxh128 } from './xxh128.ts';

export function isMarzneshin(db: ForeignDatabase): boolean {
  return db.has('users_services') && db.columns('users').has('key');
}

/** Its node uses it where an inbound names none. */
const METHOD = 'chacha20-ietf-poly1305';

export function readMarzneshin(db: ForeignDatabase, { config, env, parse, now }: SourceFiles): SourceDocument {
  const rows = [...db.rows('inbounds')].map((row) => ({
    id: toText(row.id),
    tag: cleanText(toText(row.tag), 300),
    summary: toObject(parse(toText(row.config) || '{}')),
  }));
  const flows = new Map(rows.map(({ tag, summary }) => [tag, toText(summary.flow)]));
  const { inbounds, leftOut } = mapXrayConfig(toArray(config?.inbounds), {
    method: METHOD,
    flowOf: ({ tag }) => flows.get(cleanText(toText(tag), 300)) ?? '',
  });
  const tagOf = new Map(rows.map(({ id, tag }) => [id, tag]));
  const ofService = groupRows(db.rows('inbounds_services'), 'service_id', (row) => tagOf.get(toText(row.inbound_id)));
  const ofUser = groupRows(db.rows('users_services'), 'user_id', (row) => toText(row.service_id));
  const admins = new Map([...db.rows('admins')].map((row) => [toText(row.id), toText(row.username)]));
  // A removed user stays in the table, without a name.
  const present = [...db.rows('users')].filter((row) => !isOn(row.removed) && toText(row.username) !== '');
  const users = present.map((row): DocumentUser => {
    const id = toText(row.id);
    const { losses, lose } = createLosses();
    const strategy = toText(row.expire_strategy).toUpperCase();
    const seconds = strategy === 'START_ON_FIRST_USE' ? toInteger(row.usage_duration) : 0;
    if (seconds > 0 && toText(row.activation_deadline) !== '') lose('hold_deadline', toText(row.activation_deadline));
    if (config === null) lose('connections_unknown', 'xray_config.json');
    const reset = toText(row.data_limit_reset_strategy) || 'no_reset';
    if (findNamed(RESETS, reset) === undefined) lose('reset_replaced', reset);
    const { uuid, password } = deriveCredentials(toText(row.key), env.AUTH_GENERATION_ALGORITHM);
    const tags = new Set((ofUser.get(id) ?? []).flatMap((service) => ofService.get(service) ?? []));
    const used = toBytes(row.used_traffic);
    const admin = admins.get(toText(row.admin_id)) ?? '';
    const secretOf = ({ protocol }: DocumentInbound) =>
      protocol === 'vless' || protocol === 'vmess' ? uuid : password;
    return buildUser(
      {
        id,
        name: toText(row.username),
        note: toText(row.note),
        tags: admin === '' ? [] : [admin],
        telegram: null,
        metadata: {},
        enabled: isOn(row.enabled),
        expiresAt: strategy === 'FIXED_DATE' ? parseUtc(row.expire_date) : null,
        holdSeconds: seconds > 0 ? seconds : null,
        limitBytes: toBytes(row.data_limit) || null,
        usedUp: 0,
        usedDown: used,
        totalUp: 0,
        totalDown: Math.max(used, toBytes(row.lifetime_used_traffic)),
        reset: findNamed(RESETS, reset) ?? 'none',
        deviceLimit: null,
        concurrentLimit: toInteger(row.ip_limit) > 0 ? toInteger(row.ip_limit) : null,
        credentials:
          config &&
          listCredentials(
            inbounds.filter((inbound) => tags.has(inbound.id)),
            secretOf,
            lose,
          ),
        families: fitFamilies({ uuid, password }),
        links: [{ token: `${toText(row.username)}/${toText(row.key)}`, notBefore: null }],
        onlineAt: parseUtc(row.online_at),
        createdAt: parseUtc(row.created_at),
      },
      losses,
      now,
    );
  });
  return {
    source: 'marzneshin',
    instance: [...db.rows('jwt')].map((row) => toText(row.secret_key))[0] || 'unknown',
    links: { kind: 'constant', path: '/sub/', secret: null },
    inbounds,
    leftOut,
    hosts: [...db.rows('hosts')].map((row) => toHost(row, tagOf.get(toText(row.inbound_id)) ?? '')),
    users,
  };
}

/** `plain`: the key itself; else its hash. Empty: the key is none of 32 digits. */
function deriveCredentials(key: string, algorithm = ''): { readonly uuid: string; readonly password: string } {
  if (algorithm.toLowerCase() === 'plain') return { uuid: key, password: key };
  const hash = hashXxh128(key) ?? '';
  return { uuid: hash, password: hash };
}
