// Making a user over the wire: what a plan gives, what may be said instead, and what is refused.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { User } from '../../src/contract/users/users.ts';
import { createTestClock } from '../support/clock.ts';
import { type Fixtures, fill } from '../support/fixtures.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';

const START = Date.parse('2026-11-20T10:00:00Z');
const MIB = 1_048_576;
const clock = createTestClock(START);

let panel: TestPanel;
let fixtures: Fixtures;
beforeAll(async () => {
  panel = await startPanel({ clock });
  fixtures = await fill(panel);
});
afterAll(() => panel.stop());

const create = async (more: object = {}): Promise<User> => {
  const answer = await panel.full.call('createUser', { name: 'Anna', tariff_id: fixtures.tariffs.monthly, ...more });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
};

describe('creating', () => {
  it('takes from the plan what is not said', async () => {
    const answer = await panel.full.call('createUser', {
      name: 'Anna',
      tariff_id: fixtures.tariffs.monthly,
      contact: '@anna',
    });
    const { id, sub_url, ...user } = answer.body;
    expect(user).toEqual({
      name: 'Anna',
      contact: '@anna',
      note: '',
      tags: [],
      external_id: null,
      telegram_id: null,
      metadata: {},
      state: 'active',
      tariff_id: fixtures.tariffs.monthly,
      enabled: true,
      expires_at: '2026-12-20T10:00:00.000Z',
      hold: null,
      traffic_limit: 100 * MIB,
      used_up: 0,
      used_down: 0,
      total_up: 0,
      total_down: 0,
      traffic_extra: 0,
      traffic_remaining: 100 * MIB,
      reset_strategy: 'month',
      resets_at: '2026-11-30T23:00:00.000Z',
      device_limit: 3,
      concurrent_limit: 4,
      concurrent_excess: null,
      inbounds: null,
      online: false,
      online_at: null,
      after_cut_up: 0,
      after_cut_down: 0,
      created_at: '2026-11-20T10:00:00.000Z',
      updated_at: '2026-11-20T10:00:00.000Z',
    });
    expect(sub_url).toBe(`${panel.origin}/sub/${panel.store.users.get(id)?.token}`);
    expect(answer.headers.location).toBe(`/${panel.secretPath}/api/v1/users/${id}`);
    const found = await panel.full.send({ method: 'GET', path: `${panel.origin}${answer.headers.location}` });
    expect(found.body).toEqual(answer.body);
  });

  it('lets everything be said', async () => {
    const said = {
      name: 'Бориc 🇩🇪',
      contact: '+49 30',
      note: 'two\nlines',
      tags: ['vip', 'семья'],
      external_id: 'crm/17',
      telegram_id: 2 ** 52,
      metadata: { source: 'a\nb', empty: '' },
      enabled: false,
      expires_at: '2027-01-01T00:00:00.000Z',
      traffic_limit: null,
      reset_strategy: 'none',
      device_limit: null,
      concurrent_limit: 100,
    } as const;
    const user = await create({ ...said, inbounds: [fixtures.inboundIds[0]] });
    expect(user).toMatchObject({ ...said, state: 'disabled', resets_at: null, traffic_remaining: null });
    expect(user.inbounds).toEqual([fixtures.inboundIds[0]]);
    expect((await panel.full.call('getUser', { id: user.id })).body).toEqual(user);
  });

  it('never gives an id twice, nor a link or credential', async () => {
    const users = [];
    for (let index = 0; index < 3; index++) users.push(await create());
    const readAccess = (id: number) => ({
      token: panel.store.users.get(id)?.token,
      ...panel.store.users.credentials(id),
    });
    const [first, second] = users.map(({ id }) => readAccess(id));
    const [, , third] = users;
    await panel.full.call('deleteUser', { id: third?.id ?? 0 });
    expect((await create()).id).toBeGreaterThan(third?.id ?? 0);
    for (const field of ['token', 'uuid', 'password', 'key'] as const) expect(first?.[field]).not.toBe(second?.[field]);
  });

  it('refuses an archived plan, and keeps it for its users', async () => {
    const { id } = await panel.act('createTariff', { name: 'Old' });
    const user = await create({ tariff_id: id });
    await panel.full.call('updateTariff', { id, archived: true });
    const answer = await panel.full.call('createUser', { name: 'Anna', tariff_id: id });
    expect(answer.problem).toMatchObject({ status: 422, detail: 'tariff_not_found' });
    expect((await panel.full.call('getUser', { id: user.id })).body.tariff_id).toBe(id);
    expect((await panel.full.call('updateUser', { id: user.id, tariff_id: id })).status, 'the same plan').toBe(200);
  });

  it('refuses what is out of bounds and clamps nothing', async () => {
    const wrong: [object, string][] = [
      [{ name: '' }, '#/name'],
      [{ name: 'x'.repeat(101) }, '#/name'],
      [{ name: 'a\u0000b' }, '#/name'],
      [{ note: 'x'.repeat(2001) }, '#/note'],
      [{ tags: Array.from({ length: 21 }, (_, index) => `t${index}`) }, '#/tags'],
      [{ tags: ['a', 'a'] }, '#/tags'],
      [{ external_id: '' }, '#/external_id'],
      [{ external_id: 'x'.repeat(101) }, '#/external_id'],
      [{ telegram_id: 0 }, '#/telegram_id'],
      [{ telegram_id: '7' }, '#/telegram_id'],
      [{ metadata: Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`k${index}`, ''])) }, '#/metadata'],
      [{ metadata: { a: null } }, '#/metadata/a'],
      [{ metadata: { a: 'x'.repeat(501) } }, '#/metadata/a'],
      [{ metadata: { ['k'.repeat(41)]: '' } }, `#/metadata/${'k'.repeat(41)}`],
      [{ metadata: JSON.parse('{"__proto__":"x"}') }, '#/metadata/__proto__'],
      [{ traffic_limit: 0 }, '#/traffic_limit'],
      [{ traffic_limit: 2 ** 50 + 1 }, '#/traffic_limit'],
      [{ traffic_limit: 1.5 }, '#/traffic_limit'],
      [{ device_limit: 101 }, '#/device_limit'],
      [{ concurrent_limit: 101 }, '#/concurrent_limit'],
      [{ concurrent_limit: 0 }, '#/concurrent_limit'],
      [{ expires_at: '2100-01-01T00:00:00.001Z' }, '#/expires_at'],
      [{ expires_at: '2026-12-20T10:00:00' }, '#/expires_at'],
      [{ expires_at: '2026-12-20T10:00:00+1:00' }, '#/expires_at'],
      [{ expires_at: 1_800_000_000 }, '#/expires_at'],
      [{ inbounds: [1, 1] }, '#/inbounds'],
      [{ state: 'active' }, '#/state'],
      [{ total_up: 0 }, '#/total_up'],
      [{ sub_url: 'https://x' }, '#/sub_url'],
    ];
    for (const [more, pointer] of wrong) {
      const answer = await panel.full.call('createUser', { name: 'A', tariff_id: fixtures.tariffs.monthly, ...more });
      expect(answer.problem, JSON.stringify(more)).toMatchObject({ status: 422, detail: 'validation' });
      expect(answer.problem.errors?.map((error) => error.pointer?.slice(0, pointer.length))).toEqual([pointer]);
    }
  });
});
