// Times in requests: RFC 3339 with any offset, stored and answered in UTC.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fixtures, fill } from '../support/fixtures.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';

let panel: TestPanel;
let fixtures: Fixtures;
beforeAll(async () => {
  panel = await startPanel();
  fixtures = await fill(panel);
});
afterAll(() => panel.stop());

it.each([
  ['2030-12-21T00:00:00+03:00', '2030-12-20T21:00:00.000Z'],
  ['2030-12-20T10:30:00.5-10:30', '2030-12-20T21:00:00.500Z'],
  ['2030-12-20t21:00:00z', '2030-12-20T21:00:00.000Z'],
  ['2030-12-20T21:00:00-00:00', '2030-12-20T21:00:00.000Z'],
  ['2028-03-01T00:30:00.123456+01:00', '2028-02-29T23:30:00.123Z'],
])('%s is %s', async (sent, utc) => {
  const input = { name: 'Offset', tariff_id: fixtures.tariffs.monthly, expires_at: sent };
  const made = await panel.full.call('createUser', input);
  expect([made.status, made.body.expires_at]).toEqual([201, utc]);
  const { id } = made.body;
  await panel.full.call('updateUser', { id, expires_at: null });
  expect((await panel.full.call('updateUser', { id, expires_at: sent })).body.expires_at).toBe(utc);
  const audit = JSON.stringify(await panel.act('listAudit', { target: `user:${id}` }));
  expect(audit).toContain(utc);
  expect(audit).not.toContain(sent);
});

it('takes them in filters, for the same users as in UTC', async () => {
  const total = async (query: string) =>
    (await panel.read.send<{ total: number }>({ method: 'GET', path: `/users?${query}` })).body.total;
  const expires_at = '2031-06-01T12:00:00Z';
  await panel.full.call('createUser', { name: 'Filtered', tariff_id: fixtures.tariffs.monthly, expires_at });
  const after = encodeURIComponent('2031-06-01T14:59:59+03:00');
  const before = encodeURIComponent('2031-06-01T15:00:01+03:00');
  expect(await total(`expires_after=${after}&expires_before=${before}`)).toBe(1);
  expect(await total('expires_after=2031-06-01T11:59:59z&expires_before=2031-06-01T12:00:01Z')).toBe(1);
});

it.each([
  '2030-02-29T00:00:00Z',
  '2030-12-20T24:00:00Z',
  '2030-12-20T21:00:60Z',
  '2030-12-20 21:00:00Z',
  '2030-12-20T21:00:00',
  '2030-12-20T21:00:00+3:00',
  '2030-12-20T21:00:00+24:00',
  '2030-12-20T21:00Z',
  '2030-12-20',
  '2100-01-01T00:00:00-00:01',
  '9999-12-31T23:59:59-23:59',
])('%s is refused', async (expires_at) => {
  const answer = await panel.full.call('createUser', { name: 'No', tariff_id: fixtures.tariffs.monthly, expires_at });
  expect([answer.status, answer.problem.errors?.[0]?.pointer]).toEqual([422, '#/expires_at']);
});
