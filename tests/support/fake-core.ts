// A core without a store, for the doors' own tests: answers what a test tells it to and remembers what it was asked.

import { DEFAULT_SUBSCRIPTION_HEADERS } from '../../src/contract/subscription/headers.ts';
import type { OperationId } from '../../src/contract/table.ts';
import type { Core, Subscription } from '../../src/core/kernel/core.ts';
import { NO_ORDERS } from '../../src/core/ports/acme.ts';
import type { BotService } from '../../src/core/ports/bot.ts';
import type { Actor, Call, Reply } from '../../src/core/ports/call.ts';
import type { Clock, Log } from '../../src/core/ports/ports.ts';
import type { SettingValues } from '../../src/core/ports/settings.ts';
import type { UserRow } from '../../src/core/ports/users.ts';

export const SECRET_PATH = 'k3yW8dPq2nVtXr5sLb7mZc1f';
export const FULL_KEY = 'full-key';
export const READ_KEY = 'read-key';

export interface Asked {
  readonly operation: OperationId;
  readonly input: unknown;
  readonly call: Call;
}

export interface FakeCore extends Core {
  readonly asked: Asked[];
  /** What call answers; a throw is passed on. */
  answer: (asked: Asked) => Reply | Promise<Reply>;
  values: SettingValues;
  readonly links: Map<string, Subscription<UserRow>>;
  readonly keys: Map<string, Actor>;
  readonly used: (readonly [number, string])[];
}

export interface FakeClock extends Clock {
  ms: number;
}

export function fakeClock(ms = Date.parse('2026-11-20T10:00:00Z')): FakeClock {
  const clock = { ms, now: () => clock.ms };
  return clock;
}

export interface FakeLog extends Log {
  readonly lines: { readonly level: string; readonly event: string; readonly fields: unknown }[];
}

export function fakeLog(): FakeLog {
  const lines: FakeLog['lines'] = [];
  const at = (level: string) => (event: string, fields?: unknown) => {
    lines.push({ level, event, fields });
  };
  return { lines, info: at('info'), warn: at('warn'), error: at('error') };
}

export const SETTINGS: SettingValues = {
  timeZone: 'UTC',
  language: 'en',
  panelTitle: 'Gatehouse',
  subscriptionTitle: 'Gatehouse',
  updateIntervalHours: 12,
  supportUrl: null,
  announcement: '',
  subscriptionRules: [],
  subscriptionHeaders: DEFAULT_SUBSCRIPTION_HEADERS,
  subscriptionTemplates: { items: [], chosen: null, choices: [] },
  subscriptionApps: null,
  rateLimit: 0,
  expiringNoticeDays: [7, 3, 1],
  eventsKeptDays: 30,
  auditKeptDays: 365,
  enginePath: null,
  cutOffConcurrent: false,
  nodeLineGbps: 100,
  restartToCutOff: true,
  selling: false,
  starsOnlyInTelegram: true,
  referrals: { on: false, referrerDays: 7, friendDays: 3, maxPerMonth: 5 },
  botNotices: { on: [], quiet: null, texts: {} },
  adminNotices: { on: [], quiet: null },
  botRequests: { on: false, buysFirst: false },
  userViews: { lastId: 0, items: [] },
  host: '127.0.0.1',
  port: 8443,
  secretPath: SECRET_PATH,
  subPath: 'sub',
  publicUrl: null,
  linksPort: null,
  linksHost: '127.0.0.1',
  publicAddress: null,
  hostNames: [],
  trustedProxies: [],
  instanceId: 'a1b2c3',
  acme: null,
  acmeState: NO_ORDERS,
  authority: null,
  backupSchedule: { everyHours: null, keep: 7, encrypted: false },
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

const actor = (id: number, access: Actor['access']): Actor => ({ kind: 'key', id, name: access, access });

export function fakeCore(): FakeCore {
  const core: FakeCore = {
    asked: [],
    answer: () => ({ status: 200, body: {} }),
    values: SETTINGS,
    links: new Map(),
    used: [],
    keys: new Map([
      [FULL_KEY, actor(1, 'full')],
      [READ_KEY, actor(2, 'read')],
    ]),
    call: ((operation: OperationId, input: unknown, call: Call) => {
      const asked = { operation, input, call };
      core.asked.push(asked);
      return core.answer(asked);
    }) as Core['call'],
    authenticateKey: (key) => core.keys.get(key) ?? null,
    recordFailedKey: () => {},
    recordKeyUse: (id, address) => {
      core.used.push([id, address]);
    },
    authenticateSession: () => null,
    settings: () => core.values,
    baseUrl: () => `https://127.0.0.1:8443/${core.values.secretPath}/api/v1`,
    subscribe: () => () => {},
    onEndedSessions: () => () => {},
    eventsAfter: () => [],
    latestEventId: () => 0,
    figures: () => ({
      users: { active: 96, on_hold: 4, limited: 6, expired: 12, disabled: 2 },
      usersOnline: 31,
      traffic: { up: 10, down: 200 },
      nodes: [],
      nodeTraffic: [{ nodeId: 1, name: 'de "1"', up: 10, down: 200 }],
      inboundTraffic: [{ inboundId: 1, name: 'vless', up: 10, down: 200 }],
      keys: { read: 1, full: 2 },
      databaseBytes: 4096,
      isDiskFull: false,
      epoch: 1,
    }),
    subscription: (token) => core.links.get(token) ?? null,
    importedSubscription: () => null,
    linkPaths: () => [],
    shop: {
      order: () => null,
      pay: () => Promise.reject(new Error('nothing is sold')),
      pollOrder: () => Promise.resolve(),
      isWebhookToken: () => false,
      hint: () => Promise.resolve(false),
      enterPromo: () => Promise.reject(new Error('nothing is sold')),
      removePromo: () => Promise.reject(new Error('nothing is sold')),
      buy: () => Promise.reject(new Error('nothing is sold')),
    },
    recordLinkRead: () => {},
    local: {
      renewSetupToken: async () => null,
      isSetUp: () => true,
      hasSecondFactor: () => false,
      setUp: async () => {},
      resetPassword: async () => ({ keys: 0, sessions: 0, telegram: 0 }),
      rotateSecretPath: async () => {},
      orderCertificate: async () => {},
      acme: () => ({ settings: null, status: 'off', not_after: null, next_order_at: null, failures: 0, failure: null }),
      checkReleases: async () => ({ problem: 'no_source' }),
      recordUpdate: async () => {},
      recordStoredBackup: async () => {},
      checkBackup: () => Promise.reject(new Error('no backups here')),
      backUpToPlace: () => Promise.reject(new Error('no backups here')),
      openPlace: () => {
        throw new Error('no backups here');
      },
      restore: () => Promise.reject(new Error('no backups here')),
    },
    imports: {
      plan: () => Promise.reject(new Error('no imports here')),
      apply: () => Promise.reject(new Error('no imports here')),
      exportDocument: () => {
        throw new Error('no exports here');
      },
    },
    backupFiles: {
      open: () => Promise.reject(new Error('no backups here')),
      receive: () => Promise.reject(new Error('no backups here')),
    },
    bot: {} as BotService,
    start: () => {},
    catchUp: async () => {},
    saveEnergy() {},
    stop: async () => {},
  };
  return core;
}
