// No member of a read is ignored: a condition that no record meets leaves none, and every other member makes a different answer. A new member without a value
// here fails the test, and so does one that its handler forgets.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { isReading, type Operation } from '../../src/contract/operation.ts';
import { API_OPERATIONS, OPERATIONS, type OperationId } from '../../src/contract/table.ts';
import { userFilter } from '../../src/contract/users/users.ts';
import { PanelError } from '../../src/core/kernel/panel-error.ts';
import { BOT_TOKEN, type FakeBotApi, openBotApi } from '../support/bot-api.ts';
import { createTestClock } from '../support/clock.ts';
import { type Fixtures, fill } from '../support/fixtures.ts';
import { PASSWORD, startPanel, type TestPanel } from '../support/panel.ts';

type Members = Readonly<Record<string, unknown>>;

const NOW = Date.parse('2026-11-20T10:00:00Z');
const ABSENT = 999_999;
const FUTURE = '2090-01-01T00:00:00Z';
const PAST = '2020-01-01T00:00:00Z';
const YESTERDAY = '2026-11-19T10:00:00Z';
const TODAY = '2026-11-20T09:00:00Z';

let api: FakeBotApi;
let panel: TestPanel;
let fixtures: Fixtures;
let broadcastId = 0;
let webhookId = 0;
let bulkEntry = 0;

beforeAll(async () => {
  api = await openBotApi();
  panel = await startPanel({ clock: createTestClock(NOW) });
  const { act, store } = panel;
  fixtures = await fill(panel);
  await act('saveBot', { token: BOT_TOKEN, api_root: api.root, allow_private: true, password: PASSWORD });
  const { active, expired } = fixtures.users;
  for (const [index, { id }] of [active, expired].entries())
    await act('updateUser', { id, telegram_id: 1001 + index, note: 'has an account' });
  await act('createGrant', { id: active.id, bytes: 1000, lifetime: 'used' });
  const ids = [active.id, expired.id];
  bulkEntry = (await act('bulkUsers', { action: 'add_tags', ids, tags: ['changed'] })).audit_id ?? 0;
  await act('createNode', { name: 'Helsinki', address: 'de9.example.com' });

  await act('updateSettings', { selling: true });
  const offer = { tariff_id: fixtures.tariffs.monthly, name: 'Month', sold: { kind: 'months', months: 1 } } as const;
  const { id: offerId } = await act('createOffer', {
    ...offer,
    prices: [{ amount: 499, currency: 'EUR' }],
    on_sale: true,
  });
  for (const { id } of [active, expired]) await act('createOrder', { user_id: id, offer_id: offerId });
  for (const code of ['FIRST', 'SECOND']) await act('createPromo', { code, effect: { kind: 'percent', percent: 10 } });
  for (const externalId of ['decided', 'undecided'])
    store.write(() => {
      const resolvedAt = externalId === 'decided' ? NOW : null;
      store.payments.insertPayment({ ...PAYMENT, externalId, resolvedAt, act: resolvedAt === null ? null : 'ignore' });
    });

  for (const key of ['broadcast-1', 'broadcast-2']) {
    const texts = [{ language: 'en' as const, text: 'Hello' }];
    broadcastId = (await act('createBroadcast', { key, texts, filter: { all: true } })).id;
    store.write(() => {
      for (const { id: userId } of [active, expired])
        store.broadcasts.savePerson({ broadcastId, userId, state: 'blocked', error: null, at: NOW });
    });
  }

  const url = 'https://hook.example/';
  webhookId = (await act('createWebhook', { url, types: null, password: PASSWORD })).webhook.id;
  store.write(() => {
    for (const type of ['user.created', 'user.expired'] as const)
      store.webhooks.addDelivery({ ...DELIVERY, webhookId, type });
  });
});
afterAll(async () => {
  await panel.stop();
  await api[Symbol.asyncDispose]();
});

const PAYMENT = {
  kind: 'stripe',
  providerId: null,
  isTest: false,
  orderId: null,
  refunded: 0,
  refundedAt: null,
  paidAt: NOW,
  buyer: null,
  raw: '{}',
  state: 'unapplied',
  providerState: 'paid',
  reason: 'unknown_order',
  note: '',
  refundKey: null,
  refundId: null,
  nextRefundAt: null,
  createdAt: NOW,
  amount: 499,
  currency: 'EUR',
} as const;
const DELIVERY = {
  eventId: null,
  body: '{}',
  state: 'failed',
  attempts: 1,
  failures: 1,
  createdAt: NOW,
  begunAt: NOW,
  nextAt: null,
  endedAt: NOW,
} as const;

/** A condition that no record meets. */
interface Condition {
  readonly nothing: unknown;
}
/** Another answer, beside these other members. */
interface Difference {
  readonly differs: unknown;
  readonly beside?: Members;
}

const differs = (value: unknown, beside?: Members): Difference => ({ differs: value, ...(beside && { beside }) });
const nothing = (value: unknown): Condition => ({ nothing: value });

const PAGED = { limit: differs(1), offset: differs(1), cursor: differs('unknown') };
const DAYS = { from: differs(YESTERDAY), to: differs(YESTERDAY) };
const WINDOW = {
  range: differs('7d'),
  from: differs(YESTERDAY),
  to: differs(TODAY, { from: YESTERDAY }),
  step: differs('day', { from: YESTERDAY }),
};

const IPHONE = { name: 'x-device-os', value: 'iOS' };
/** A rule for links that applies where a request says that it comes from an iPhone. */
const IPHONE_RULE = {
  id: 1,
  name: 'iPhones',
  enabled: true,
  apps: [],
  requires: [{ name: IPHONE.name, pattern: IPHONE.value }],
  action: 'refuse',
  format: null,
  template: null,
  text: '',
  headers: [],
};

/** What each read takes that can be left out. */
const READS: { readonly [Id in OperationId]?: Readonly<Record<string, Condition | Difference>> } = {
  listUsers: { ...PAGED, sort: differs('name') },
  listGrants: { ...PAGED, state: nothing('ended') },
  listTariffs: { ...PAGED, archived: nothing(true) },
  listInbounds: { ...PAGED, node_id: nothing(ABSENT) },
  listNodes: PAGED,
  getUserTraffic: WINDOW,
  getUserTrafficByNode: DAYS,
  getServerTraffic: { ...WINDOW, node_id: differs(ABSENT) },
  getUserStats: DAYS,
  listEvents: { after: differs(5), limit: differs(1), type: nothing('node.restored') },
  listWebhookDeliveries: { before: nothing(1), state: nothing('delivered'), limit: differs(1) },
  listBroadcasts: { before: nothing(1), limit: differs(1) },
  listBroadcastPeople: { state: nothing('failed'), after: nothing(ABSENT), limit: differs(1) },
  listOffers: { tariff_id: nothing(ABSENT) },
  listAttention: { before: nothing(1), limit: differs(1, { open: false }), open: differs(false) },
  listOrders: { before: nothing(1), limit: differs(1), user_id: nothing(ABSENT), state: nothing('refunded') },
  getSales: { days: differs(7) },
  listPromos: { before: nothing(1), limit: differs(1) },
  listAudit: {
    before: nothing(1),
    limit: differs(1),
    action: nothing('restoreBackup'),
    target: nothing('user:999999'),
    actor: nothing('bot'),
    key_id: nothing(ABSENT),
    since: nothing(FUTURE),
    until: nothing(PAST),
  },
  listAuditUsers: { after: nothing(ABSENT), limit: differs(1) },
  trySubscription: {
    accept: differs('text/html', { user_agent: 'Mozilla/5.0' }),
    format: differs('xray'),
    headers: differs([IPHONE], { rules: [IPHONE_RULE] }),
    rules: differs([{ ...IPHONE_RULE, requires: [] }]),
  },
};

/** What has a test of its own: the filter of users, how long a read waits, what a bulk takes, and what the door itself answers. */
const UNSEEN: { readonly [Id in OperationId]?: readonly string[] } = {
  listUsers: Object.keys(userFilter.shape),
  listEvents: ['wait'],
  tryApi: Object.keys(OPERATIONS.tryApi.input.shape),
  previewBulk: Object.keys(OPERATIONS.previewBulk.input.shape),
};

/** What each read cannot do without. */
function required(id: OperationId): Members {
  if (id === 'listWebhookDeliveries') return { webhook_id: webhookId };
  if (id === 'listBroadcastPeople') return { id: broadcastId };
  if (id === 'listAuditUsers') return { id: bulkEntry };
  if (id === 'trySubscription') return { id: fixtures.users.active.id, user_agent: 'Happ/3.21.1' };
  const takesUser = id === 'listGrants' || id === 'getUserTraffic' || id === 'getUserTrafficByNode';
  return takesUser ? { id: fixtures.users.active.id } : {};
}

function listShapes(operation: Operation): readonly z.core.$ZodShape[] {
  const schemas = operation.door === 'api' ? [operation.query, operation.body] : [operation.input];
  return schemas.flatMap((schema) => (schema === null ? [] : [(schema as z.ZodObject).shape]));
}

function optionalMembers(operation: Operation): string[] {
  const members = listShapes(operation).flatMap((shape) => Object.entries(shape));
  const isOptional = (schema: z.core.$ZodType) => (schema as z.ZodType).safeParse(undefined).success;
  const unseen = UNSEEN[operation.id as OperationId] ?? [];
  return members.filter(([name, schema]) => isOptional(schema) && !unseen.includes(name)).map(([name]) => name);
}

const TAKERS = Object.values<Operation>(OPERATIONS).filter(
  (operation) => isReading(operation) && optionalMembers(operation).length > 0,
);

/** The answer, or the code of its refusal. */
async function callOperation(id: OperationId, input: Members): Promise<unknown> {
  try {
    return await panel.act(id as 'listUsers', input);
  } catch (error) {
    if (!(error instanceof PanelError)) throw error;
    return error.code;
  }
}

/** What an answer lists, without the times at which it was made. */
function getItems(answer: unknown): unknown {
  return (answer as { readonly items?: unknown }).items ?? answer;
}

it('is about every read and each of its members', () => {
  const present = Object.fromEntries(TAKERS.map((operation) => [operation.id, optionalMembers(operation).toSorted()]));
  const tried = Object.fromEntries(Object.entries(READS).map(([id, members]) => [id, Object.keys(members).toSorted()]));
  expect(tried).toEqual(present);
});

describe.each(Object.entries(READS) as [OperationId, Readonly<Record<string, Condition | Difference>>][])(
  '%s',
  (id, members) => {
    it.each(Object.entries(members))('heeds %s', async (name, value) => {
      if ('nothing' in value) {
        const all = getItems(await callOperation(id, required(id)));
        expect((all as readonly unknown[]).length).toBeGreaterThan(0);
        expect(getItems(await callOperation(id, { ...required(id), [name]: value.nothing }))).toEqual([]);
        return;
      }
      // A refusal by the schema would not show that the handler reads it.
      const [schema] = listShapes(OPERATIONS[id]).flatMap((shape) => shape[name] ?? []);
      expect((schema as z.ZodType).safeParse(value.differs).success).toBe(true);
      const base = { ...required(id), ...value.beside };
      const answer = await callOperation(id, { ...base, [name]: value.differs });
      expect(getItems(answer)).not.toEqual(getItems(await callOperation(id, base)));
    });
  },
);

describe('a query parameter that a program left empty', () => {
  const parameters = API_OPERATIONS.filter(isReading).flatMap((operation) =>
    Object.keys(operation.query.shape).map((name) => [operation.id, name] as const),
  );

  // An empty search is the search field of a page that nobody has typed into.
  it.each(parameters.filter(([, name]) => name !== 'q'))('of %s is refused: %s', async (id, name) => {
    const operation = API_OPERATIONS.find((one) => one.id === id);
    const path = operation?.path.replace('{id}', String(fixtures.users.active.id));
    const { status, problem } = await panel.read.send({ method: 'GET', path: `${path}?${name}=` });
    expect(status).toBe(422);
    expect(problem).toMatchObject({ detail: 'validation', errors: [{ parameter: expect.stringContaining(name) }] });
  });
});
