// Hiddify: the backup that its panel writes. A user's UUID is credential and link; connections are behind its own web server.
import type { DocumentUser } from '../../contract/imports/document.ts';
import type { ResetStrategy } from '../../contract/users/users.ts';
import { fitFamilies, hashId } from './secrets.ts';
import { buildUser, createLosses, type LeftOut, type SourceDocument } from './source-document.ts';
import { cleanText, findNamed, isOn, type Json, parseUtc, toArray, toInteger, toObject, toText } from './values.ts';

const GIB = 1024 ** 3;
/** The largest limit that its panel takes: none. */
const NO_LIMIT_GB = 1_000_000;
const DAY_MS = 86_400_000;
const DAY_SECONDS = 86_400;

const RESETS: Readonly<Record<string, ResetStrategy>> = {
  no_reset: 'none',
  daily: 'day',
  weekly: 'week',
  monthly: 'month',
};
/** It counts 7 and 30 days from the last reset. */
const ROLLING = ['weekly', 'monthly'];

export function isHiddify(json: Json): boolean {
  return Array.isArray(json.users) && Array.isArray(json.hconfigs) && Array.isArray(json.admin_users);
}

export function readHiddify(json: Json, now: number): SourceDocument {
  const settings = new Map(
    toArray(json.hconfigs)
      .map(toObject)
      .map(({ key, value }) => [toText(key), toText(value)]),
  );
  const admins = new Map(
    toArray(json.admin_users)
      .map(toObject)
      .map(({ uuid, name }) => [toText(uuid), toText(name)]),
  );
  return {
    source: 'hiddify',
    instance: settings.get('unique_id') || settings.get('proxy_path_client') || 'unknown',
    links: { kind: 'constant', path: `/${cleanText(settings.get('proxy_path_client') ?? '', 190)}/`, secret: null },
    inbounds: [],
    leftOut: toArray(json.proxies)
      .map(toObject)
      .filter(({ enable }) => isOn(enable))
      .map(toLeftOut),
    hosts: [],
    users: toArray(json.users).map((user) => readUser(toObject(user), admins, now)),
  };
}

function toLeftOut({ name }: Json, index: number): LeftOut {
  return {
    kind: 'inbound',
    id: `${index}`,
    name: toText(name) || `${index}`,
    reason: 'shares port 443 behind its web server',
  };
}

/** Doubles of its gigabytes are rounded to the byte. */
function toBytesOf(gigabytes: unknown): number {
  const bytes = typeof gigabytes === 'number' ? Math.round(gigabytes * GIB) : 0;
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, bytes));
}

function readUser(user: Json, admins: ReadonlyMap<string, string>, now: number): DocumentUser {
  const { losses, lose } = createLosses();
  const uuid = toText(user.uuid);
  const mode = toText(user.mode) || 'no_reset';
  if (findNamed(RESETS, mode) === undefined || ROLLING.includes(mode)) lose('reset_replaced', mode);
  const used = toBytesOf(user.current_usage_GB);
  const isUnlimited = typeof user.usage_limit_GB !== 'number' || user.usage_limit_GB >= NO_LIMIT_GB;
  const admin = admins.get(toText(user.added_by_uuid)) ?? '';
  return buildUser(
    {
      id: uuid === '' ? '' : hashId(uuid),
      name: toText(user.name),
      note: toText(user.comment),
      tags: admin === '' ? [] : [admin],
      telegram: user.telegram_id,
      metadata: {},
      enabled: user.enable !== false,
      ...readTerm(user),
      // 0 is not unlimited there: the first byte ends it.
      limitBytes: isUnlimited ? null : Math.max(1, toBytesOf(user.usage_limit_GB)),
      usedUp: 0,
      usedDown: used,
      totalUp: 0,
      totalDown: used,
      reset: findNamed(RESETS, mode) ?? 'none',
      deviceLimit: null,
      concurrentLimit: null,
      credentials: null,
      families: fitFamilies({ uuid, password: uuid, wireguard: toText(user.wg_pk) }),
      links: [{ token: uuid, notBefore: null }],
      onlineAt: parseUtc(user.last_online),
      createdAt: null,
    },
    losses,
    now,
  );
}

/** Terms are days of the source's own time zone, which the backup does not name: they end at midnight in UTC. */
function readTerm(user: Json): { readonly expiresAt: number | null; readonly holdSeconds: number | null } {
  const days = toInteger(user.package_days);
  const start = parseUtc(user.start_date);
  if (start !== null) return { expiresAt: Math.max(0, start + (days + 1) * DAY_MS), holdSeconds: null };
  if (days < 0) return { expiresAt: parseUtc(user.last_reset_time) ?? 0, holdSeconds: null };
  return { expiresAt: null, holdSeconds: Math.max(1, days) * DAY_SECONDS };
}
