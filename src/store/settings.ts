// Settings, one row each. A missing or invalid one has its default, so that the panel starts with any value.

import { z } from 'zod';
import { ADMIN_NOTICES } from '../contract/bot/bot-admins.ts';
import { USER_NOTICES } from '../contract/bot/bot-notices.ts';
import { ACME_CHALLENGES, ACME_FAILURES } from '../contract/settings/acme.ts';
import { CERTIFICATE_TARGETS } from '../contract/settings/certificates.ts';
import { APP_CORES, SYSTEMS } from '../contract/subscription/apps.ts';
import { CONFIGURATION_FORMATS } from '../contract/subscription/formats.ts';
import {
  DEFAULT_SUBSCRIPTION_HEADERS,
  FRAGMENT_PACKETS,
  NOISE_KINDS,
  NOISE_TARGETS,
} from '../contract/subscription/headers.ts';
import { RULE_ACTIONS } from '../contract/subscription/rules.ts';
import { ROLLBACK_REASONS, UPDATE_PROBLEMS, UPDATE_RESULTS } from '../contract/updates.ts';
import { NO_ORDERS } from '../core/ports/acme.ts';
import type { SettingStore, SettingValues } from '../core/ports/settings.ts';
import { MAX_EPOCH } from '../domain/nodes/panel-claim.ts';
import { parseOwnJson } from '../domain/own-json.ts';
import { isTimeZone } from '../domain/time-zone.ts';
import { LANGUAGE_CODES, LANGUAGES } from '../i18n/languages.ts';
import type { Connection } from './database.ts';

/** `secretPath` and `instanceId` have no real default: they are generated at the first start. */
const DEFAULTS: SettingValues = {
  timeZone: 'UTC',
  language: LANGUAGES[0].code,
  panelTitle: 'Gatehouse',
  subscriptionTitle: 'Gatehouse',
  updateIntervalHours: 12,
  supportUrl: null,
  announcement: '',
  subscriptionRules: [],
  subscriptionHeaders: DEFAULT_SUBSCRIPTION_HEADERS,
  subscriptionTemplates: { items: [], chosen: null, choices: [] },
  subscriptionApps: null,
  rateLimit: 1200,
  expiringNoticeDays: [7, 3, 1],
  eventsKeptDays: 30,
  auditKeptDays: 365,
  enginePath: null,
  cutOffConcurrent: false,
  restartToCutOff: true,
  nodeLineGbps: 100,
  selling: false,
  starsOnlyInTelegram: true,
  referrals: { on: false, referrerDays: 7, friendDays: 3, maxPerMonth: 5 },
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
  authority: null,
  backupSchedule: { everyHours: 24, keep: 7, encrypted: false },
  backupLast: { at: null, error: null },
  backupLeftAt: null,
  backupLateAt: null,
  updateChecks: true,
  updateSeen: { at: null, problem: null, release: null },
  updateLast: null,
  knownAt: null,
  epoch: 1,
  startedAt: 0,
};

const text = z.string();
const flag = z.boolean();
const time = z.int().min(0);
const hour = z.int().min(0).max(23);
const quiet = z.object({ from: hour, until: hour }).nullable();
const span = z.object({ from: time, to: time });
const rewardDays = z.int().min(0).max(365);

const offeredApp = z.object({
  name: text,
  core: z.enum(APP_CORES).nullable(),
  link: text,
  format: z.enum(CONFIGURATION_FORMATS).nullable(),
  stores: z.array(z.object({ system: z.enum(SYSTEMS), url: text })),
});
const ownTemplate = z.object({ id: text, name: text, mihomo: text, sing_box: text, xray: text });

const subscriptionRule = z.object({
  id: z.int().min(1),
  name: text,
  enabled: flag,
  apps: z.array(text),
  requires: z.array(z.object({ name: text, pattern: text })),
  action: z.enum(RULE_ACTIONS),
  format: z.enum(CONFIGURATION_FORMATS).nullable(),
  template: text.nullable(),
  text,
  headers: z.array(z.object({ name: text, value: text })),
});

const subscriptionHeaders = z.object({
  web_page_url: text.nullable(),
  announce_url: text.nullable(),
  update_always: flag,
  happ_routing: text.nullable(),
  v2raytun_routing: text.nullable(),
  incy_routing: text.nullable(),
  happ_provider_id: text.nullable(),
  happ_hide_settings: flag,
  happ_always_device: flag,
  happ_expiry_notices: flag,
  happ_fragment: z.object({ packets: z.enum(FRAGMENT_PACKETS), length: text, interval: text }).nullable(),
  happ_noise: z
    .object({ kind: z.enum(NOISE_KINDS), packet: text, delay: text, apply_to: z.enum(NOISE_TARGETS) })
    .nullable(),
});

const acme = z.object({
  directoryUrl: text,
  email: text.nullable(),
  names: z.array(text),
  challenge: z.enum(ACME_CHALLENGES),
  httpPort: z.int().min(1).max(65_535),
  targets: z.array(z.enum(CERTIFICATE_TARGETS)),
});

const acmeState = z.object({
  orders: z.array(time),
  failures: z.int().min(0),
  failure: z
    .object({
      code: z.enum(ACME_FAILURES),
      name: text.nullable(),
      type: text.nullable(),
      detail: text.nullable(),
      at: time,
    })
    .nullable(),
  notBefore: time,
  issued: z.object({ directoryUrl: text, names: z.array(text), validity: span }).nullable(),
  renewAt: time.nullable(),
  window: span.nullable(),
  polledAt: time.nullable(),
  isEndAnnounced: flag,
});

const release = z.object({
  version: text,
  publishedAt: text,
  signedAt: text,
  notes: text,
  platforms: z.array(text),
});

const update = z.object({
  at: time,
  from: text,
  to: text,
  result: z.enum(UPDATE_RESULTS),
  reason: z.enum(ROLLBACK_REASONS).nullable(),
  restored: flag,
});

/** The type and range of each stored value; the exact rules are in the operation that sets it. */
const SCHEMAS: { readonly [Name in keyof SettingValues]: z.ZodType<SettingValues[Name]> } = {
  timeZone: text.refine(isTimeZone),
  language: z.enum(LANGUAGE_CODES),
  panelTitle: text,
  subscriptionTitle: text,
  updateIntervalHours: z.int().min(1).max(8760),
  supportUrl: text.nullable(),
  announcement: text,
  subscriptionRules: z.array(subscriptionRule),
  subscriptionHeaders,
  subscriptionApps: z.array(offeredApp).nullable(),
  subscriptionTemplates: z.object({
    items: z.array(ownTemplate),
    chosen: text.nullable(),
    choices: z.array(z.object({ template: text, tariffs: z.array(z.int().min(1)), tags: z.array(text) })),
  }),
  rateLimit: z.int().min(0),
  expiringNoticeDays: z
    .array(z.int().min(1).max(90))
    .min(1)
    .refine((list) => list.every((days, index) => index === 0 || days < (list[index - 1] ?? 0))),
  eventsKeptDays: z.int().min(1).max(36_500),
  auditKeptDays: z.int().min(1).max(36_500),
  enginePath: text.nullable(),
  cutOffConcurrent: flag,
  restartToCutOff: flag,
  nodeLineGbps: z.int().min(1),
  selling: flag,
  starsOnlyInTelegram: flag,
  referrals: z.object({
    on: flag,
    referrerDays: rewardDays,
    friendDays: rewardDays,
    maxPerMonth: z.int().min(1).max(1000),
  }),
  botNotices: z.object({
    on: z.array(z.enum(USER_NOTICES)),
    quiet,
    texts: z.record(text, z.record(text, text)),
  }),
  adminNotices: z.object({ on: z.array(z.enum(ADMIN_NOTICES)), quiet }),
  botRequests: z.object({ on: flag, buysFirst: flag }),
  userViews: z.object({
    lastId: z.int().min(0),
    items: z.array(z.object({ id: z.int().min(0), name: text, query: text, columns: z.array(text) })),
  }),
  host: text,
  port: z.int().min(0).max(65_535),
  secretPath: text,
  subPath: text,
  publicUrl: text.nullable(),
  publicAddress: text.nullable(),
  linksPort: z.int().min(1).max(65_535).nullable(),
  linksHost: text,
  hostNames: z.array(text),
  trustedProxies: z.array(text),
  instanceId: text,
  acme: acme.nullable(),
  acmeState,
  authority: z
    .object({ fingerprint: text, former: z.object({ fingerprint: text, replacedAt: time }).nullable() })
    .nullable(),
  backupSchedule: z.object({
    everyHours: z.int().min(1).max(8760).nullable(),
    keep: z.int().min(1).max(1000),
    encrypted: flag,
  }),
  backupLast: z.object({ at: time.nullable(), error: text.nullable() }),
  backupLeftAt: time.nullable(),
  backupLateAt: time.nullable(),
  updateChecks: flag,
  updateSeen: z.object({
    at: time.nullable(),
    problem: z.enum(UPDATE_PROBLEMS).nullable(),
    release: release.nullable(),
  }),
  updateLast: update.nullable(),
  knownAt: time.nullable(),
  epoch: z.int().min(1).max(MAX_EPOCH),
  startedAt: time,
};

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
      for (const [name, json] of all.all()) {
        const stored = isSetting(name) ? SCHEMAS[name].safeParse(parseOwnJson(json)) : null;
        if (stored?.success) values[name] = stored.data;
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
