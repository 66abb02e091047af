// The order of checks: a request that fails in several ways at once is told the first of them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../src/contract/errors.ts';
import { createTestClock } from '../support/clock.ts';
import { type Fixtures, fill } from '../support/fixtures.ts';
import type { Client, Sent } from '../support/http-client.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';

const clock = createTestClock(Date.parse('2026-11-20T10:00:00Z'));
/** Never spent by what these tests send. */
const PLENTY = { perMinute: 60_000, burst: 60_000 };

let panel: TestPanel;
let fixtures: Fixtures;
beforeAll(async () => {
  panel = await startPanel({ clock });
  fixtures = await fill(panel);
  await panel.act('createTariff', { name: 'Of a connection', inbounds: [...fixtures.inboundIds] });
});
afterAll(() => panel.stop());

const BIG = 'x'.repeat(1_048_577);
const html = { accept: 'text/html' };
const json = { 'content-type': 'application/json' };
const plain = { 'content-type': 'text/plain' };
const badKey = { 'idempotency-key': '\u00e9' };
const stale = { 'if-match': '"0-0"' };
const malformed = { 'if-match': 'no entity tag' };

const request = (method: string, path: string, headers = {}, body?: string): Sent => ({ method, path, headers, body });
const unlimited = async () => {
  const { id } = await panel.act('createUser', { name: 'Anna', tariff_id: fixtures.tariffs.free });
  return id;
};

type Case = readonly [wins: ErrorCode, over: string, request: () => Sent | Promise<Sent>, client?: () => Client];

const noKey = () => panel.full.as(null);
const read = () => panel.read;

/** Each row fails by `wins` and by every check named in `over`. */
const CASES: readonly Case[] = [
  ['unauthorized', '403 panel_only', () => request('GET', '/keys'), noKey],
  ['unauthorized', '404 route', () => request('GET', '/nothing'), noKey],
  ['unauthorized', '405', () => request('PUT', '/users'), noKey],
  ['unauthorized', '406, 415', () => request('POST', '/users', { ...html, ...plain }, 'x'), noKey],
  ['unauthorized', '413', () => request('POST', '/users', json, BIG), noKey],
  ['unauthorized', '400', () => request('POST', '/users', { ...json, ...badKey }, '{'), noKey],
  ['panel_only', '404 route', () => request('GET', '/keys/1/nothing')],
  ['panel_only', '405', () => request('PUT', '/sessions')],
  ['panel_only', '403 read_only_key', () => request('POST', '/audit'), read],
  ['panel_only', '413', () => request('POST', '/payments', json, BIG)],
  ['not_found', '405: no route', () => request('PUT', '/nothing')],
  ['not_found', '403 read_only_key: no route', () => request('POST', '/nothing'), read],
  ['not_found', '405: a malformed id', () => request('PUT', '/users/007')],
  ['not_found', '413: no route', () => request('POST', '/nothing', json, BIG)],
  ['method_not_allowed', '403 read_only_key', () => request('PUT', '/users'), read],
  ['method_not_allowed', '406', () => request('POST', '/nodes', html)],
  ['method_not_allowed', '415', () => request('PUT', '/users', plain, 'x')],
  ['method_not_allowed', '404 record', () => request('PUT', '/users/4000000')],
  ['read_only_key', '406', () => request('POST', '/users', { ...json, ...html }, '{}'), read],
  ['read_only_key', '413', () => request('POST', '/users', json, BIG), read],
  ['read_only_key', '415', () => request('POST', '/users', plain, 'x'), read],
  ['read_only_key', '400', () => request('POST', '/users', { ...json, ...badKey }, '{'), read],
  ['read_only_key', '422', () => request('POST', '/users?x=1', json, '{"x":1}'), read],
  ['read_only_key', '404 record', () => request('DELETE', '/users/4000000'), read],
  ['not_acceptable', '413', () => request('POST', '/users', { ...json, ...html }, BIG)],
  ['not_acceptable', '415', () => request('POST', '/users', { ...plain, ...html }, 'x')],
  ['not_acceptable', '400', () => request('POST', '/users', { ...json, ...html, ...badKey }, '{')],
  ['not_acceptable', '422 of the query', () => request('GET', '/users?limit=0', html)],
  ['not_acceptable', '404 record', () => request('GET', '/users/4000000', html)],
  ['body_too_large', '415', () => request('POST', '/users', plain, BIG)],
  ['body_too_large', '400 of a header', () => request('POST', '/users', { ...json, ...badKey }, BIG)],
  ['body_too_large', '422 of the query', () => request('POST', '/users?x=1', json, BIG)],
  ['unsupported_media_type', '400 of a header', () => request('POST', '/users', { ...plain, ...badKey }, 'x')],
  ['unsupported_media_type', '422 of the query', () => request('POST', '/users?x=1', plain, 'x')],
  ['unsupported_media_type', '404 record', () => request('PATCH', '/users/4000000', plain, 'x')],
  ['bad_header', '400 of the body', () => request('POST', '/users', { ...json, ...badKey }, '{')],
  ['bad_header', '422 of the query', () => request('POST', '/users?x=1', { ...json, ...badKey }, '{}')],
  ['bad_header', '404 record', () => request('PATCH', '/users/4000000', { ...json, ...malformed }, '{}')],
  ['bad_json', '422 of the query', () => request('POST', '/users?x=1', json, '{')],
  ['bad_json', '404 record', () => request('PATCH', '/users/4000000', json, '{')],
  ['validation', '404 record', () => request('PATCH', '/users/4000000', json, '{"name":1}')],
  [
    'validation',
    '412',
    () => request('PATCH', `/users/${fixtures.users.active.id}`, { ...json, ...stale }, '{"name":1}'),
  ],
  ['validation', '404 record: the query', () => request('GET', '/users/4000000?x=1')],
  ['validation', '422 of meaning', () => request('POST', '/users', json, '{"name":"","tariff_id":4000000}')],
  ['not_found', '412: no record', () => request('PATCH', '/users/4000000', { ...json, ...stale }, '{}')],
  ['not_found', '422 of meaning', () => request('PATCH', '/users/4000000', json, '{"tariff_id":4000000}')],
  ['not_found', '409', () => request('POST', '/users/4000000/extend', json, '{"days":1}')],
  [
    'precondition_failed',
    '422 of meaning',
    () => request('PATCH', `/users/${fixtures.users.active.id}`, { ...json, ...stale }, '{"tariff_id":4000000}'),
  ],
  ['precondition_failed', '409', () => request('DELETE', `/tariffs/${fixtures.tariffs.monthly}`, stale)],
  ['precondition_failed', '409: a connection', () => request('DELETE', `/inbounds/${fixtures.inboundIds[0]}`, stale)],
  [
    'extend_amount',
    '409',
    async () => request('POST', `/users/${await unlimited()}/extend`, json, '{"days":1,"months":1}'),
  ],
];

describe('the first check that fails answers', () => {
  it.each(CASES.map((row) => [row[0], row[1], row] as const))('%s over %s', async (wins, _over, [, , make, client]) => {
    const answer = await (client ?? (() => panel.full))().send(await make());
    expect(answer.problem.detail, answer.text).toBe(wins);
  });

  it('rate_limited over everything behind it, but not over unauthorized for another key', async () => {
    await using limited = await startPanel({ clock, rateLimit: { perMinute: 60, burst: 1 } });
    expect((await limited.read.call('getSettings')).status).toBe(200);
    for (const [method, path] of [
      ['GET', '/keys'],
      ['GET', '/nothing'],
      ['PUT', '/users'],
      ['POST', '/users'],
    ] as const) {
      expect((await limited.read.send({ method, path })).problem.detail).toBe('rate_limited');
    }
    expect((await limited.read.as(null).call('getSettings')).problem.detail).toBe('unauthorized');
  });

  it('a Read key is told so before its Idempotency-Key is looked at', async () => {
    await using roomy = await startPanel({ clock, rateLimit: PLENTY });
    const { id } = await roomy.act('createTariff', { name: 'T' });
    const headers = { 'idempotency-key': 'k' };
    const input = { name: 'Anna', tariff_id: id };
    expect((await roomy.full.call('createUser', input, headers)).status).toBe(201);
    expect((await roomy.read.call('createUser', input, headers)).problem.detail).toBe('read_only_key');
  });
});
