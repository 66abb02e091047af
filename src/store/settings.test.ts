// Stored settings as they are read. Wrong values are computed from the samples: a setting without samples does not compile, and a schema
// that is looser or stricter than the samples fails.
import { afterAll, expect, it } from 'vitest';
import { tempStore } from '../../tests/support/temp-store.ts';
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
import type { SettingValues } from '../core/ports/settings.ts';
import { MAX_EPOCH } from '../domain/nodes/panel-claim.ts';
import { LANGUAGE_CODES } from '../i18n/languages.ts';

const MAX = Number.MAX_SAFE_INTEGER;
const FLAGS = [true, false];
const TEXTS = ['', 'text'];
const LISTS = [[], TEXTS];
const RELEASE = { version: '', publishedAt: '', signedAt: '', notes: '', platforms: TEXTS };
const UPDATE = { from: '', to: '', reason: null, restored: true } as const;
const FAILURE = { name: '', type: '', detail: '', at: 0 };
const ORDERED = { directoryUrl: '', names: TEXTS, validity: { from: 0, to: 0 } };
const ACME = { directoryUrl: '', email: '', names: TEXTS, challenge: 'http-01', httpPort: 1, targets: [] } as const;
const RULE: SettingValues['subscriptionRules'][number] = {
  id: 1,
  name: '',
  enabled: false,
  apps: TEXTS,
  requires: TEXTS.map((one) => ({ name: one, pattern: one })),
  action: 'serve',
  format: 'links',
  template: '',
  text: '',
  headers: TEXTS.map((one) => ({ name: one, value: one })),
};
const STATE: SettingValues['acmeState'] = {
  orders: [],
  failures: 0,
  failure: null,
  notBefore: 0,
  issued: null,
  renewAt: null,
  window: null,
  polledAt: null,
  isEndAnnounced: false,
};

/**
 * Values that cover all that each setting allows: numbers at both ends of their range, null and empty lists if they are allowed, and '' if
 * a text may be any.
 */
const SAMPLES: { readonly [Name in keyof SettingValues]: readonly SettingValues[Name][] } = {
  timeZone: ['UTC', 'Europe/Riga'],
  language: LANGUAGE_CODES,
  panelTitle: TEXTS,
  subscriptionTitle: TEXTS,
  updateIntervalHours: [1, 8760],
  supportUrl: [null, ...TEXTS],
  announcement: TEXTS,
  subscriptionRules: [
    [],
    ...RULE_ACTIONS.map((action) => [{ ...RULE, id: MAX, action, format: null, template: null, enabled: true }]),
    CONFIGURATION_FORMATS.map((format) => ({ ...RULE, format })),
    [{ ...RULE, apps: [], requires: [], headers: [] }],
    [{ ...RULE, name: 'text', text: 'text', template: 'text' }],
  ],
  subscriptionApps: [
    null,
    [],
    APP_CORES.map((core) => ({ name: '', core, link: '', format: null, stores: [] })),
    CONFIGURATION_FORMATS.map((format) => ({
      name: 'text',
      core: null,
      link: 'text',
      format,
      stores: SYSTEMS.flatMap((system) => TEXTS.map((url) => ({ system, url }))),
    })),
  ],
  subscriptionTemplates: [
    { items: [], chosen: null, choices: [] },
    { items: [], chosen: null, choices: [{ template: '', tariffs: [], tags: [] }] },
    ...TEXTS.map((one) => ({
      items: [{ id: one, name: one, mihomo: one, sing_box: one, xray: one }],
      chosen: one,
      choices: [{ template: one, tariffs: [1, MAX], tags: [one] }],
    })),
  ],
  subscriptionHeaders: [
    DEFAULT_SUBSCRIPTION_HEADERS,
    ...TEXTS.map((one) => ({
      web_page_url: one,
      announce_url: one,
      update_always: true,
      happ_routing: one,
      v2raytun_routing: one,
      incy_routing: one,
      happ_provider_id: one,
      happ_hide_settings: true,
      happ_always_device: true,
      happ_expiry_notices: true,
      happ_fragment: { packets: 'tlshello', length: one, interval: one } as const,
      happ_noise: { kind: 'rand', packet: one, delay: one, apply_to: 'ip' } as const,
    })),
    ...FRAGMENT_PACKETS.map((packets) => ({
      ...DEFAULT_SUBSCRIPTION_HEADERS,
      happ_fragment: { packets, length: '', interval: '' },
    })),
    ...NOISE_KINDS.map((kind) => ({
      ...DEFAULT_SUBSCRIPTION_HEADERS,
      happ_noise: { kind, packet: '', delay: '', apply_to: 'ipv4' } as const,
    })),
    ...NOISE_TARGETS.map((apply_to) => ({
      ...DEFAULT_SUBSCRIPTION_HEADERS,
      happ_noise: { kind: 'str', packet: '', delay: '', apply_to } as const,
    })),
  ],
  rateLimit: [0, MAX],
  expiringNoticeDays: [[90, 1], [1]],
  eventsKeptDays: [1, 36_500],
  auditKeptDays: [1, 36_500],
  enginePath: [null, ...TEXTS],
  cutOffConcurrent: FLAGS,
  restartToCutOff: FLAGS,
  nodeLineGbps: [1, MAX],
  selling: FLAGS,
  starsOnlyInTelegram: FLAGS,
  referrals: [
    { on: true, referrerDays: 0, friendDays: 0, maxPerMonth: 1 },
    { on: false, referrerDays: 365, friendDays: 365, maxPerMonth: 1000 },
  ],
  botNotices: [
    { on: [], quiet: null, texts: {} },
    { on: USER_NOTICES, quiet: { from: 0, until: 0 }, texts: { en: { ended: '' } } },
    { on: USER_NOTICES, quiet: { from: 23, until: 23 }, texts: { en: { ended: 'text' } } },
  ],
  adminNotices: [
    { on: [], quiet: null },
    { on: ADMIN_NOTICES, quiet: { from: 0, until: 0 } },
    { on: ADMIN_NOTICES, quiet: { from: 23, until: 23 } },
  ],
  botRequests: [
    { on: true, buysFirst: false },
    { on: false, buysFirst: true },
  ],
  userViews: [
    { lastId: 0, items: [] },
    { lastId: MAX, items: [0, MAX].map((id) => ({ id, name: '', query: '', columns: TEXTS })) },
    { lastId: 1, items: [{ id: 1, name: '', query: '', columns: [] }] },
  ],
  host: TEXTS,
  port: [0, 65_535],
  secretPath: TEXTS,
  subPath: TEXTS,
  publicUrl: [null, ...TEXTS],
  publicAddress: [null, ...TEXTS],
  linksPort: [null, 1, 65_535],
  linksHost: TEXTS,
  hostNames: LISTS,
  trustedProxies: LISTS,
  instanceId: TEXTS,
  acme: [
    null,
    { ...ACME, email: null, names: [] },
    ...ACME_CHALLENGES.map((challenge) => ({ ...ACME, challenge, httpPort: 65_535, targets: CERTIFICATE_TARGETS })),
    ACME,
  ],
  acmeState: [
    STATE,
    ...ACME_FAILURES.map((code) => ({ ...STATE, failure: { ...FAILURE, code } })),
    { ...STATE, failure: { code: 'internal', name: null, type: null, detail: null, at: MAX } },
    { ...STATE, issued: { ...ORDERED, names: [], validity: { from: MAX, to: MAX } }, window: { from: MAX, to: MAX } },
    {
      orders: [0, MAX],
      failures: MAX,
      failure: { ...FAILURE, code: 'internal' },
      notBefore: MAX,
      issued: ORDERED,
      renewAt: MAX,
      window: { from: 0, to: 0 },
      polledAt: MAX,
      isEndAnnounced: true,
    },
    { ...STATE, renewAt: 0, polledAt: 0 },
  ],
  authority: [
    null,
    { fingerprint: '', former: null },
    { fingerprint: '', former: { fingerprint: '', replacedAt: 0 } },
    { fingerprint: '', former: { fingerprint: '', replacedAt: MAX } },
  ],
  backupSchedule: [
    { everyHours: null, keep: 1, encrypted: true },
    { everyHours: 1, keep: 1000, encrypted: false },
    { everyHours: 8760, keep: 1, encrypted: true },
  ],
  backupLast: [
    { at: null, error: null },
    { at: 0, error: '' },
    { at: MAX, error: '' },
  ],
  backupLeftAt: [null, 0, MAX],
  backupLateAt: [null, 0, MAX],
  updateChecks: FLAGS,
  updateSeen: [
    { at: null, problem: null, release: null },
    ...UPDATE_PROBLEMS.map((problem) => ({ at: 0, problem, release: { ...RELEASE, platforms: [] } })),
    { at: MAX, problem: 'expired', release: RELEASE },
  ],
  knownAt: [null, 0, MAX],
  epoch: [1, 7, MAX_EPOCH],
  startedAt: [0, MAX],
  updateLast: [
    null,
    ...UPDATE_RESULTS.map((result) => ({ ...UPDATE, at: 0, result })),
    ...ROLLBACK_REASONS.map((reason) => ({ ...UPDATE, at: MAX, result: 'rolled_back', reason }) as const),
  ],
};

/** Objects with arbitrary keys. */
const RECORDS = new Set(['botNotices.texts', 'botNotices.texts.en']);

/** Values that differ in one place from what the samples allow. */
function listWrongValues(path: string, samples: readonly unknown[]): unknown[] {
  const present = samples.filter((sample) => sample !== null);
  const wrong = present.length === samples.length ? [null] : [];
  return [...wrong, ...listWrongPresentValues(path, present)];
}

function listWrongPresentValues(path: string, samples: readonly unknown[]): unknown[] {
  if (samples.every((sample) => typeof sample === 'boolean')) return [0, 'true', {}];
  if (samples.every((sample) => typeof sample === 'number'))
    return [Math.min(...samples) - 1, Math.max(...samples) + 1, Math.min(...samples) + 0.5, '1', [1], true];
  if (samples.every((sample) => typeof sample === 'string'))
    return [1, [''], ...(samples.includes('') ? [] : ['', 'x'])];
  if (samples.every((sample) => Array.isArray(sample))) {
    const empty = samples.some((sample) => sample.length === 0) ? [] : [[]];
    return ['', {}, ...empty, ...listWrongValues(`${path}[]`, samples.flat()).map((item) => [item])];
  }
  const objects = samples as readonly Readonly<Record<string, unknown>>[];
  const whole = Object.assign({}, ...objects) as Readonly<Record<string, unknown>>;
  const members = Object.keys(whole).flatMap((name) => {
    const { [name]: _, ...rest } = whole;
    const values = objects.filter((object) => Object.hasOwn(object, name)).map((object) => object[name]);
    const wrong = listWrongValues(`${path}.${name}`, values).map((value) => ({ ...rest, [name]: value }));
    return RECORDS.has(path) ? wrong : [rest, ...wrong];
  });
  return ['', [], 1, ...members];
}

const temp = tempStore();
afterAll(() => temp[Symbol.dispose]());
const defaults = temp.store.settings.get();

/** Reads each value as if it alone were stored under the name. */
function readStored(name: keyof SettingValues, values: readonly unknown[]): unknown[] {
  const write = temp.db.prepare('INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)');
  return temp.db.transaction(() =>
    values.map((value) => {
      write.run(name, JSON.stringify(value));
      return temp.store.settings.get()[name];
    }),
  )();
}

const NAMES = Object.keys(SAMPLES) as (keyof SettingValues)[];

it('has samples of every setting', () => {
  expect(NAMES.sort()).toEqual(Object.keys(defaults).sort());
});

it.each(NAMES)('reads every allowed value of %s', (name) => {
  expect(readStored(name, SAMPLES[name])).toEqual(SAMPLES[name]);
});

it.each(NAMES)('reads the default in place of a wrong value of %s', (name) => {
  const wrong = listWrongValues(name, SAMPLES[name]);
  const read = readStored(name, wrong);
  expect(wrong.filter((_, index) => JSON.stringify(read[index]) !== JSON.stringify(defaults[name]))).toEqual([]);
});

it('ignores members that a setting does not have', () => {
  for (const name of NAMES) {
    const objects = SAMPLES[name].filter((sample) => typeof sample === 'object' && sample && !Array.isArray(sample));
    const extended = objects.map((sample) => ({ ...(sample as object), another: 1 }));
    expect(readStored(name, extended), name).toEqual(objects);
  }
});

it('refuses days of notice that do not fall', () => {
  const wrong = [
    [1, 2],
    [2, 2],
    [3, 1, 2],
  ];
  expect(readStored('expiringNoticeDays', wrong)).toEqual(wrong.map(() => defaults.expiringNoticeDays));
});
