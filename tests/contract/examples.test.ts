// The examples of the document are true: each request is sent to a real panel, and what it answers is what the example says, but for
// ids, times, bytes and secrets.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NODE_PORT } from '../../src/contract/nodes/nodes.ts';
import { HEADERS } from '../../src/contract/openapi/text.ts';
import { type ApiOperation, acceptsIdempotencyKey } from '../../src/contract/operation.ts';
import { API_OPERATIONS, OPERATIONS } from '../../src/contract/table.ts';
import { tariffExample } from '../../src/contract/tariffs.ts';
import { userExample } from '../../src/contract/users/users.ts';
import { createTestClock } from '../support/clock.ts';
import { type Answer, type ApiId, buildRequest } from '../support/http-client.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';

const NOW = Date.parse('2026-11-20T10:15:00.000Z');
const GB = 1_000_000_000;
const PRIVATE_KEY = '6Fh1ZxNa9rCjQ0jvM3bT5yWk2sE8uLpD4oIfGzXqR0A';

/** A panel that holds the records of the examples under their ids. */
async function preparePanel(): Promise<TestPanel> {
  const clock = createTestClock(NOW - 900_000);
  const panel = await startPanel({ clock, rateLimit: { perMinute: 1200, burst: 100 } });
  const { act, store } = panel;
  const node = await act('createNode', { name: 'Frankfurt', address: 'de1.example.com' });
  const inbound = OPERATIONS.createInbound.example.body as Parameters<typeof act<'createInbound'>>[1];
  await act('createInbound', { ...inbound, private_key: PRIVATE_KEY, public_key: null });
  const { name, traffic_limit, duration, device_limit, concurrent_limit, reset_strategy, price } = tariffExample;
  const { id: tariff_id } = await act('createTariff', {
    name,
    traffic_limit,
    duration,
    device_limit,
    concurrent_limit,
    reset_strategy,
    price,
  });
  for (let id = 1; id < userExample.id; id += 1) {
    const { id: other } = await act('createUser', { name: 'Other', tariff_id });
    if (id < 3) await act('createGrant', { id: other, bytes: GB, lifetime: 'used' });
    await act('deleteUser', { id: other });
  }
  const { tags, external_id, telegram_id, metadata, contact } = userExample;
  const ids = { tags, external_id, telegram_id, metadata, contact };
  const { id: userId } = await act('createUser', { name: userExample.name, tariff_id, ...ids });
  const { id: otherId } = await act('createUser', { name: 'Boris', tariff_id, expires_at: null });
  await act('createGrant', { id: userId, bytes: 10 * GB, lifetime: 'used', note: 'Top-up 4411' });
  clock.set(NOW);
  const row = store.nodes.get(node.id);
  if (!row) throw new Error('no node');
  const core = { coreName: 'xray', coreVersion: '26.9.11', engineStartedAt: NOW - 86_400_000 } as const;
  const agentPin = '4f2a91bc07de5a1033c8'.padEnd(64, '0');
  const agent = { agentPort: NODE_PORT, agentPin, agentProtocol: '1.0', agentVersion: '0.1.0' };
  const links = { linksEndsAt: Date.parse('2027-02-18T09:00:00.000Z'), linksLate: false, linksFailure: null };
  const waiting = { waitingEntries: 9, waitingBytes: 48_000_000, waitingSince: NOW - 10_000 };
  const measured = { load: 37, clockOffset: -12, ...links, ...waiting };
  const restart = { at: NOW, reason: 'cut_off', inboundId: null, userIds: [userId] } as const;
  store.write(() =>
    store.nodes.save({
      ...row,
      ...core,
      ...agent,
      ...measured,
      restart,
      status: 'up',
      lastSeenAt: NOW,
      usersOnline: 12,
    }),
  );
  const begun = { boot: 'boot', position: store.sync.latest(), cautiousUntil: 0 };
  store.write(() => store.sync.begin(node.id, begun));
  const hash = (number: number) => String(number).padStart(44, '0');
  const seen = (id: number, network: string, number: number) => ({ userId: id, network, hash: hash(number) });
  const others = Array.from({ length: 14 }, (_, number) => seen(otherId, '203.0.*.*', number));
  store.write(() => {
    store.connected.recordSeen(node.id, [seen(userId, '2001:db8:*', 1)], NOW - GB / 20);
    store.connected.recordSeen(node.id, [seen(userId, '203.0.*.*', 2), ...others], NOW);
    store.connected.finish(node.id, NOW);
  });
  const moved = { up: GB / 10, down: GB };
  panel.move({ nodeId: node.id, total: moved, users: [{ userId, ...moved }], inbounds: [{ inboundId: 1, ...moved }] });
  return panel;
}

type Input = Readonly<Record<string, unknown>>;

/** What has to be there, or not to be there, before the example of an operation; what it returns replaces members of the example. */
const BEFORE: { readonly [Id in ApiId]?: (panel: TestPanel) => Promise<Input | undefined> } = {
  createUser: async ({ act }) => {
    await act('deleteUser', { id: 7 });
    return undefined;
  },
  createUsers: async ({ act }) => {
    await act('deleteUser', { id: 7 });
    return undefined;
  },
  createInbound: async ({ act }) => {
    await act('deleteInbound', { id: 1 });
    return undefined;
  },
  deleteTariff: async ({ act }) => {
    for (const id of [7, 8]) await act('deleteUser', { id });
    return undefined;
  },
  findUserByLink: async ({ act }) => ({ link: (await act('getUser', { id: 7 })).sub_url }),
  listEvents: async ({ full, store }) => {
    await full.call('extendUser', { id: 7, months: 1 });
    return { after: store.events.latestId() - 1 };
  },
};

const BYTES = /^(?:up|down|(?:used|total)_(?:up|down)|traffic_(?:extra|remaining)|bytes_left)$/;

/** The value with what may differ from panel to panel replaced by what it is. */
function mask(value: unknown, name: string, isCounted: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => mask(item, name, isCounted));
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([key, member]) => [key, mask(member, key, isCounted)] as const);
    return Object.fromEntries(members);
  }
  if (typeof value === 'number') {
    if (/(?:^|_)id$|^next_after$/.test(name)) return '<id>';
    if (BYTES.test(name) || (isCounted && name !== 'limit') || name === 'users') return '<number>';
    return value;
  }
  if (typeof value !== 'string') return value;
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return '<time>';
  if (name === 'sub_url') return value.replace(/^https?:\/\/[^/]+\/sub\/[\w-]{22}$/, '<link>');
  if (name === 'request_id') return value.replace(/^[0-9a-f]{32}$/, '<request>');
  return name === 'version' && /^\d+\.\d+\.\d+$/.test(value) ? '<version>' : value;
}

/** A header as it looks on every panel. */
function maskHeader(name: string, value: string): string {
  if (name === 'RateLimit-Policy') return value;
  if (name === 'X-Request-Id') return value.replace(/^[0-9a-f]{32}$/, '<request>');
  if (name === 'Link') return value.replace(/<https?:[^>]+>/g, '<address>').split(', ')[0] ?? '';
  return value.replace(/^\/[\w-]{24,}/, '/<secret path>').replace(/\d+/g, 'N');
}

function compareHeaders(operation: ApiOperation, answer: Answer): void {
  const own = operation.headers.filter((name) => name !== 'Location' || answer.status === 201);
  for (const name of [...own, 'X-Request-Id', 'RateLimit-Policy', 'RateLimit'] as const) {
    const value = answer.headers[name.toLowerCase()];
    if (name === 'Link') expect(String(value), name).toMatch(/^<http/);
    else if (name === 'Location') expect(value, name).toMatch(/^\/[\w-]{24,}\/api\/v1\/\w+\/\d+/);
    else expect(maskHeader(name, String(value)), name).toBe(maskHeader(name, String(HEADERS[name].example)));
  }
  for (const name of ['etag', 'location', 'link']) {
    expect(name in answer.headers, name).toBe(own.some((one) => one.toLowerCase() === name));
  }
}

describe('the example of', () => {
  let panel: TestPanel;
  beforeAll(async () => {
    panel = await preparePanel();
  });
  afterAll(() => panel.stop());

  it.each(API_OPERATIONS.map((operation) => [operation.id as ApiId, operation] as const))(
    '%s',
    async (id, operation) => {
      // What changes nothing uses one panel.
      const isAlone = id in BEFORE || operation.method !== 'GET';
      const own = isAlone ? await preparePanel() : panel;
      try {
        const { params, query, body, reply } = operation.example;
        const replaced = await BEFORE[id]?.(own);
        const input = { ...params, ...query, ...(body as Input | undefined), ...replaced };
        const request = buildRequest(id, input as never);
        const headers = acceptsIdempotencyKey(operation) ? { 'Idempotency-Key': 'payment-4411' } : {};
        const answer = await own.full.send({ ...request, headers: { ...request.headers, ...headers } });
        expect(answer.status, answer.text).toBe(operation.status);
        compareHeaders(operation, answer);
        if (reply === undefined) expect(answer.text).toBe('');
        else compareBodies(operation, answer, reply);
      } finally {
        if (isAlone) await own.stop();
      }
    },
  );
});

function compareBodies(operation: ApiOperation, answer: Answer, reply: unknown): void {
  if (operation.id === 'getMetrics') {
    const lines = answer.text.replace(/\d+$/gm, 'N').split('\n');
    expect(lines).toEqual(expect.arrayContaining(String(reply).replace(/\d+$/gm, 'N').split('\n')));
  } else if (operation.id === 'getOpenApi') {
    expect(answer.body).toMatchObject(reply as object);
  } else {
    const isCounted = operation.tag === 'Statistics';
    expect(mask(answer.body, '', isCounted)).toEqual(mask(reply, '', isCounted));
  }
}
