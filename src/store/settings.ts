// Settings, one row each. A missing or unreadable one has its default, so that the panel starts with any value.

import { ADMIN_NOTICES } from '../contract/bot/bot-admins.ts';
import { USER_NOTICES } from '../contract/bot/bot-notices.ts';
import { ROLLBACK_REASONS, UPDATE_PROBLEMS, UPDATE_RESULTS } from '../contract/updates.ts';
import { NO_ORDERS } from '../core/ports/acme.ts';
import type { SettingStore, SettingValues } from '../core/ports/settings.ts';
import { isLanguage, LANGUAGES } from '../i18n/languages.ts';
import type { Connection } from './database.ts';

/** `secretPath` and `instanceId` have no real default: they are made at the first start. */
const DEFAULTS: SettingValues = {
  timeZone: 'UTC',
  language: LANGUAGES[0].code,
  panelTitle: 'Gatehouse',
  subscriptionTitle: 'Gatehouse',
  updateIntervalHours: 12,
  supportUrl: null,
  announcement: '',
  rateLimit: 1200,
  expiringNoticeDays: [7, 3, 1],
  eventsKeptDays: 30,
  auditKeptDays: 365,
  enginePath: null,
  cutOffConcurrent: false,
  restartToCutOff: true,
  selling: false,
  referrals: { on: false, referrerDays: 7, friendDays: 3, mostPerMonth: 5 },
  botNotices: { on: [...USER_NOTICES], quiet: { from: 22, until: 8 }, texts: {} },
  adminNotices: { on: [...ADMIN_NOTICES], quiet: null },
  botRequests: { on: false, buysFirst: false },
  userViews: { lastId: 0, items: [] },
  host: '127.0.0.1',
  port: 8443,
  secretPath: '',
  subPath: 'sub',
  publicUrl: null,
  publicAddress: null,
  linksPort: null,
  linksHost: '0.0.0.0',
  hostNames: [],
  trustedProxies: [],
  instanceId: '',
  acme: null,
  acmeState: NO_ORDERS,
  backupSchedule: { everyHours: 24, keep: 7, encrypted: false, toChat: false },
  backupLast: { at: null, error: null },
  updateChecks: true,
  updateSeen: { at: null, problem: null, release: null },
  updateLast: null,
};

const isText = (value: unknown) => typeof value === 'string';
const isTextOrNull = (value: unknown) => value === null || isText(value);
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText);
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
const isTimeOrNull = (value: unknown) => value === null || isBetween(0, Number.MAX_SAFE_INTEGER)(value);
const isBetween = (least: number, most: number) => (value: unknown) =>
  Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most;

/** Whether a stored value has the right type and range; the operation that sets it has the exact rules. */
const READABLE: Readonly<Record<keyof SettingValues, (value: unknown) => boolean>> = {
  timeZone: isTimeZone,
  language: isLanguage,
  panelTitle: isText,
  subscriptionTitle: isText,
  updateIntervalHours: isBetween(1, 8760),
  supportUrl: isTextOrNull,
  announcement: isText,
  rateLimit: isBetween(0, Number.MAX_SAFE_INTEGER),
  expiringNoticeDays: isNotices,
  eventsKeptDays: isBetween(1, 36_500),
  auditKeptDays: isBetween(1, 36_500),
  enginePath: isTextOrNull,
  cutOffConcurrent: (value) => typeof value === 'boolean',
  restartToCutOff: (value) => typeof value === 'boolean',
  selling: (value) => typeof value === 'boolean',
  referrals: areReferrals,
  botNotices: areNotices,
  adminNotices: areAdminNotices,
  botRequests: (value) => isRecord(value) && typeof value.on === 'boolean' && typeof value.buysFirst === 'boolean',
  userViews: areViews,
  host: isText,
  port: isBetween(0, 65_535),
  secretPath: isText,
  subPath: isText,
  publicUrl: isTextOrNull,
  publicAddress: isTextOrNull,
  linksPort: (value) => value === null || isBetween(1, 65_535)(value),
  linksHost: isText,
  hostNames: isTexts,
  trustedProxies: isTexts,
  instanceId: isText,
  acme: (value) => value === null || isAcme(value),
  acmeState: isAcmeState,
  backupSchedule: isSchedule,
  backupLast: isOutcome,
  updateChecks: (value) => typeof value === 'boolean',
  updateSeen: isSeen,
  updateLast: (value) => value === null || isUpdate(value),
};

function isNotices(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isBetween(1, 90))) return false;
  return value.every((days, index) => index === 0 || days < value[index - 1]);
}

function isQuietTime(value: unknown): boolean {
  const isHour = isBetween(0, 23);
  return value === null || (isRecord(value) && isHour(value.from) && isHour(value.until));
}

function areOf(known: readonly string[], value: unknown): boolean {
  return isTexts(value) && (value as readonly string[]).every((each) => known.includes(each));
}

function areNotices(value: unknown): boolean {
  if (!isRecord(value) || !areOf(USER_NOTICES, value.on) || !isQuietTime(value.quiet)) return false;
  const { texts } = value;
  return isRecord(texts) && Object.values(texts).every((own) => isRecord(own) && Object.values(own).every(isText));
}

function areAdminNotices(value: unknown): boolean {
  return isRecord(value) && areOf(ADMIN_NOTICES, value.on) && isQuietTime(value.quiet);
}

function areReferrals(value: unknown): boolean {
  if (!isRecord(value) || typeof value.on !== 'boolean') return false;
  const isDays = isBetween(0, 365);
  return isDays(value.referrerDays) && isDays(value.friendDays) && isBetween(1, 1000)(value.mostPerMonth);
}

function areViews(value: unknown): boolean {
  if (!isRecord(value) || !Array.isArray(value.items)) return false;
  const isId = isBetween(0, Number.MAX_SAFE_INTEGER);
  return isId(value.lastId) && value.items.every((one) => isRecord(one) && isId(one.id) && isView(one));
}

function isView({ name, query, columns }: Readonly<Record<string, unknown>>): boolean {
  return isText(name) && isText(query) && isTexts(columns);
}

/** Both are written whole, by the panel alone. */
function isAcme(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { directoryUrl, email, names, challenge, httpPort, targets } = value as Readonly<Record<string, unknown>>;
  const areTexts = isText(directoryUrl) && isTextOrNull(email) && isTexts(names) && isTexts(targets);
  return areTexts && (challenge === 'http-01' || challenge === 'tls-alpn-01') && isBetween(1, 65_535)(httpPort);
}

function isAcmeState(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { orders, failures, notBefore, renewAt } = value as Readonly<Record<string, unknown>>;
  const isMoment = isBetween(0, Number.MAX_SAFE_INTEGER);
  const areMoments = Array.isArray(orders) && orders.every(isMoment) && isMoment(notBefore);
  return areMoments && isMoment(failures) && (renewAt === null || isMoment(renewAt));
}

function isSchedule(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { everyHours, keep, encrypted, toChat } = value;
  const isEvery = everyHours === null || isBetween(1, 8760)(everyHours);
  return isEvery && isBetween(1, 1000)(keep) && typeof encrypted === 'boolean' && typeof toChat === 'boolean';
}

function isOutcome(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { at, error } = value;
  return isTimeOrNull(at) && isTextOrNull(error);
}

function isSeen(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { at, problem, release } = value;
  const isProblem = problem === null || UPDATE_PROBLEMS.some((each) => each === problem);
  return isTimeOrNull(at) && isProblem && (release === null || isRelease(release));
}

function isRelease(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { version, publishedAt, signedAt, notes, platforms } = value;
  return [version, publishedAt, signedAt, notes].every(isText) && isTexts(platforms);
}

function isUpdate(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { at, from, to, result, reason, restored } = value;
  const isReason = reason === null || ROLLBACK_REASONS.some((each) => each === reason);
  const isResult = UPDATE_RESULTS.some((each) => each === result);
  return (
    isTimeOrNull(at) && at !== null && isText(from) && isText(to) && isResult && isReason && restored === !!restored
  );
}

function isTimeZone(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: value });
    return true;
  } catch {
    return false;
  }
}

function isSetting(name: string): name is keyof SettingValues {
  return Object.hasOwn(DEFAULTS, name);
}

export function createSettingStore(db: Connection): SettingStore {
  const all = db.prepare<[], [name: string, value: string]>('SELECT name, value FROM settings').raw();
  const has = db.prepare<[string], number>('SELECT 1 FROM settings WHERE name = ?').pluck();
  const set = db.prepare<[string, string]>('INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)');
  return {
    get: () => {
      const values: Record<string, unknown> = { ...DEFAULTS };
      for (const [name, text] of all.all()) {
        const value: unknown = JSON.parse(text);
        if (isSetting(name) && READABLE[name](value)) values[name] = value;
      }
      return values as unknown as SettingValues;
    },
    has: (name) => has.get(name) !== undefined,
    set: (values) => {
      for (const [name, value] of Object.entries(values)) {
        if (isSetting(name) && value !== undefined) set.run(name, JSON.stringify(value));
      }
    },
  };
}
