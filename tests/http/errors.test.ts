// Every row of the table of errors, provoked by a real request whose reply is read in full.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERRORS, type ErrorCode } from '../../src/contract/errors.ts';
import { apiErrorCodes } from '../../src/contract/openapi/problems.ts';
import { PanelError } from '../../src/core/kernel/panel-error.ts';
import { createTestClock } from '../support/clock.ts';
import { type Fixtures, fill } from '../support/fixtures.ts';
import type { Answer, Sent } from '../support/http-client.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const clock = createTestClock(Date.parse('2026-11-20T10:00:00Z'));

let panel: TestPanel;
let fixtures: Fixtures;
/** Thrown by the next write, if set. */
let fault: Error | null = null;

beforeAll(async () => {
  panel = await startPanel({
    clock,
    wrapStore: (store) => ({
      ...store,
      write(work) {
        const failing = fault;
        fault = null;
        return store.write(() => {
          const result = work();
          if (failing) throw failing;
          return result;
        });
      },
    }),
    wrapHeavy: (heavy) => ({ ...heavy, run: (...args) => held.then(() => heavy.run(...args)) }),
  });
  fixtures = await fill(panel);
});
afterAll(() => panel.stop());

/** While it is held, bulk writes wait for it, and all others behind them. */
let held: Promise<void> = Promise.resolve();

const post = (path: string, body: unknown, headers = {}): Sent => ({
  method: 'POST',
  path,
  headers: { ...JSON_TYPE, ...headers },
  body: JSON.stringify(body),
});
const patch = (path: string, body: unknown, headers = {}): Sent => ({ ...post(path, body, headers), method: 'PATCH' });
const get = (path: string, headers = {}): Sent => ({ method: 'GET', path, headers });
const user = () => `/users/${fixtures.users.active.id}`;
const newUser = () => ({ name: 'Anna', tariff_id: fixtures.tariffs.monthly });
const createTwice = async (fields: object): Promise<[Answer, Expected]> => {
  await panel.full.send(post('/users', { ...newUser(), ...fields }));
  const answer = await panel.full.send(post('/users', { ...newUser(), ...fields }));
  return [answer, { errors: [{ pointer: `#/${Object.keys(fields)[0]}`, code: 'taken' }] }];
};

interface Expected {
  readonly errors?: readonly object[];
  readonly headers?: Readonly<Record<string, string>>;
}
type Provoke = () => Promise<readonly [Answer, Expected?]>;

/** How each code is provoked, and what its reply holds besides what all have. */
const PROVOKED: Partial<Record<ErrorCode, Provoke>> = {
  bad_json: async () => [
    await panel.full.send({ ...post('/users', {}), body: '{"name":"Anna","name":"Eve"}' }),
    { errors: [{ pointer: '#/name', code: 'duplicate' }] },
  ],
  bad_header: async () => [
    await panel.full.send(post('/users', newUser(), { 'idempotency-key': 'x'.repeat(256) })),
    { errors: [{ parameter: 'Idempotency-Key', code: 'format' }] },
  ],
  unauthorized: async () => [
    await panel.full.as(null).send(get('/users')),
    { headers: { 'www-authenticate': 'Bearer' } },
  ],
  read_only_key: async () => [await panel.read.send(post('/users', newUser()))],
  panel_only: async () => [await panel.full.send(get('/keys'))],
  not_found: async () => [await panel.full.send(get('/users/4000000'))],
  method_not_allowed: async () => [
    await panel.full.send({ method: 'PUT', path: user() }),
    { headers: { allow: 'GET, HEAD, PATCH, DELETE, OPTIONS' } },
  ],
  not_acceptable: async () => [await panel.full.send(get('/users', { accept: 'text/html' }))],
  body_too_large: async () => [
    await panel.full.send(post('/users', { note: 'x'.repeat(1_048_576) })),
    { headers: { connection: 'close' } },
  ],
  unsupported_media_type: async () => [
    await panel.full.send(patch(user(), {}, { 'content-type': 'text/plain' })),
    { headers: { 'accept-patch': 'application/merge-patch+json, application/json' } },
  ],
  term_unlimited: async () => {
    const { id } = (await panel.full.call('createUser', { name: 'Anna', tariff_id: fixtures.tariffs.free })).body;
    return [await panel.full.send(post(`/users/${id}/extend`, { days: 1 }))];
  },
  external_id_taken: () => createTwice({ external_id: 'taken' }),
  telegram_id_taken: () => createTwice({ telegram_id: 77 }),
  tariff_in_use: async () => [
    await panel.full.send({ method: 'DELETE', path: `/tariffs/${fixtures.tariffs.monthly}` }),
  ],
  inbound_in_use: async () => {
    const [id = 0] = fixtures.inboundIds;
    await panel.act('createTariff', { name: 'Of one connection', inbounds: [id] });
    return [await panel.full.send({ method: 'DELETE', path: `/inbounds/${id}` })];
  },
  idempotency_in_flight: async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    held = promise;
    const request = post(
      '/users/bulk',
      { action: 'reset', filter: { q: 'nobody' } },
      { 'idempotency-key': 'in flight' },
    );
    const first = panel.full.send(request);
    let second = await panel.full.send(request);
    // Whichever of the two came in first is held; the other has its answer.
    if (second.status === 200) second = await first;
    resolve();
    expect((await first).status).toBe(200);
    return [second];
  },
  bulk_failed: async () => [
    await panel.full.send(
      post('/users/bulk', { action: 'disable', ids: [fixtures.users.active.id, 4000000], atomic: true }),
    ),
    { errors: [{ pointer: '#/ids/1', code: 'not_found' }] },
  ],
  bulk_changed: async () => [
    await panel.full.send(
      post('/users/bulk', { action: 'disable', ids: [fixtures.users.active.id], expect_matched: 2 }),
    ),
  ],
  events_gone: async () => {
    panel.store.write(() => panel.store.events.prune(clock.now() + 1));
    return [await panel.read.send(get('/events?after=1'))];
  },
  precondition_failed: async () => [await panel.full.send(patch(user(), { note: 'x' }, { 'if-match': '"0-0"' }))],
  validation: async () => [
    await panel.full.send(post('/users?limit=1', { name: '', tariff_id: '1', is_admin: true })),
    {
      errors: [
        { parameter: 'limit', code: 'unknown' },
        { pointer: '#/name', code: 'too_small' },
        { pointer: '#/tariff_id', code: 'type' },
        { pointer: '#/is_admin', code: 'unknown' },
      ],
    },
  ],
  extend_amount: async () => [await panel.full.send(post(`${user()}/extend`, {})), { errors: [{ pointer: '#' }] }],
  tariff_not_found: async () => [
    await panel.full.send(post('/users', { name: 'Anna', tariff_id: 4000000 })),
    { errors: [{ pointer: '#/tariff_id', code: 'tariff_not_found' }] },
  ],
  inbound_not_found: async () => [
    await panel.full.send(patch(user(), { inbounds: [fixtures.inboundIds[0], 4000000] })),
    { errors: [{ pointer: '#/inbounds/1', code: 'inbound_not_found' }] },
  ],
  node_not_found: async () => [
    await panel.full.send(get('/stats/traffic?node_id=4000000')),
    { errors: [{ parameter: 'node_id', code: 'node_not_found' }] },
  ],
  idempotency_mismatch: async () => {
    const headers = { 'idempotency-key': 'mismatch' };
    expect((await panel.full.send(post('/users', newUser(), headers))).status).toBe(201);
    return [await panel.full.send(post('/users', { ...newUser(), name: 'Eve' }, headers))];
  },
  rate_limited: async () => {
    await using limited = await startPanel({ clock, rateLimit: { perMinute: 60, burst: 1 } });
    expect((await limited.read.send(get('/settings'))).status).toBe(200);
    const answer = await limited.read.send(get('/settings'));
    return [answer, { headers: { 'retry-after': '1', 'ratelimit-policy': '"burst";q=1;w=1, "minute";q=60;w=60' } }];
  },
  internal: async () => {
    fault = new TypeError(`cannot read secret ${panel.secretPath}`);
    return [await panel.full.send(post('/users', newUser()))];
  },
  // The real one: tests/panel/superseded.test.ts.
  superseded: async () => {
    fault = new PanelError('superseded');
    return [await panel.full.send(post('/users', newUser()))];
  },
  unavailable: async () => {
    fault = new PanelError('unavailable', undefined, 5);
    return [await panel.full.send(post('/users', newUser())), { headers: { 'retry-after': '5' } }];
  },
  vault_unavailable: async () => {
    const reality = { protocol: 'vless', security: 'reality', sni: 'a.example', private_key: 'A'.repeat(43) };
    const connection = { node_id: 1, tag: 'sealed', name: 'Sealed', port: 443, ...reality };
    await using plain = await startPanel({ clock, vault: 'none' });
    return [await plain.full.send(post('/inbounds', connection))];
  },
  storage_full: async () => {
    panel.fillDisk(true);
    // The first writes still find room on pages that are half empty.
    let answer = await panel.full.send(post('/users', newUser()));
    while (answer.status === 201)
      answer = await panel.full.send(post('/users', { ...newUser(), note: 'x'.repeat(2000) }));
    panel.fillDisk(false);
    return [answer];
  },
};

describe('the table of errors', () => {
  it('has no row that no request provokes', () => {
    expect(Object.keys(PROVOKED).toSorted()).toEqual([...apiErrorCodes()].toSorted());
  });

  it.each(apiErrorCodes())('%s', async (code) => {
    const provoke = PROVOKED[code];
    if (!provoke) throw new Error(`nothing provokes ${code}`);
    const [answer, { errors, headers = {} } = {}] = await provoke();
    const { status, title } = ERRORS[code];
    expect(answer.status, answer.text).toBe(status);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'content-length': String(Buffer.byteLength(answer.text)),
      ...headers,
    });
    const id = String(answer.headers['x-request-id']);
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    const { errors: told, in_use: inUse, ...members } = answer.problem;
    expect(inUse !== undefined).toBe(code === 'tariff_in_use' || code === 'inbound_in_use');
    expect(members).toEqual({
      type: `urn:panel:problem:${code}`,
      title,
      status,
      detail: code,
      instance: `urn:panel:request:${id}`,
    });
    expect(told?.length ?? 0, JSON.stringify(told)).toBe(errors?.length ?? 0);
    for (const error of errors ?? []) expect(told).toContainEqual(expect.objectContaining(error));
    for (const error of told ?? []) expect(error.message).toMatch(/^[a-z].*[^.]$/);
  });
});

describe('a write that fails within', () => {
  it.each([
    ['internal', new Error('unexpected')],
    ['storage_full', new PanelError('storage_full')],
  ] as const)('%s: nothing of it is kept, and reading goes on', async (code, error) => {
    const headers = { 'idempotency-key': `fault ${code}` };
    const total = async () => (await panel.read.call('listUsers', { limit: 1 })).body.total;
    const before = { users: await total(), event: panel.store.events.latestId() };
    fault = error;
    expect((await panel.full.send(post('/users', newUser(), headers))).problem.detail).toBe(code);
    expect({ users: await total(), event: panel.store.events.latestId() }).toEqual(before);
    const repeated = await panel.full.send(post('/users', newUser(), headers));
    expect(repeated.status, 'a failed effect is not remembered').toBe(201);
    expect(repeated.headers['idempotency-replayed']).toBeUndefined();
  });

  it('writes what happened into the log by the request id, and nowhere else', async () => {
    fault = new Error('the inner cause');
    const answer = await panel.full.send(post('/users', newUser()));
    expect(answer.text).not.toContain('inner cause');
    const line = panel.log.lines.find((text) => text.includes(String(answer.headers['x-request-id'])));
    expect(line).toContain('the inner cause');
  });
});
