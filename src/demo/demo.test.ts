// A demonstration looks like a service that has run for months, and obeys the store's rules.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeCrypto } from '../adapters/crypto.ts';
import { isRefusal } from '../adapters/refusal.ts';
import { USER_STATES } from '../contract/users/users.ts';
import { DAY_MS } from '../domain/limits.ts';
import { type FileStore, openStore } from '../store/index.ts';
import { fillDemo } from './demo.ts';
import { prepareDemoFolder } from './folder.ts';
import { DETAILED_USERS, simulateLife } from './user-history.ts';

const NOW = Date.UTC(2026, 10, 20, 15, 30);
const USERS = 400;
let folder = '';
let store: FileStore;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-demo-'));
  store = openStore(join(folder, 'panel.db'));
  const { randomBytes } = nodeCrypto;
  fillDemo(store, { users: USERS, now: NOW, timeZone: 'Europe/Berlin', notices: [7, 3, 1], randomBytes });
});
afterAll(() => {
  store.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('a demonstration', () => {
  it('has users in every state, most of them active, with no stale ones', () => {
    const counts = store.users.countsByState(NOW);
    expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(USERS);
    expect(USER_STATES.filter((state) => counts[state] === 0)).toEqual([]);
    expect(counts.active).toBeGreaterThan(USERS / 2);
    expect(store.users.nextDueAt()).toBeGreaterThan(NOW);
  });

  it('finds its people by what they are called, in two scripts', () => {
    expect(store.users.count({ q: 'anna' }, NOW)).toBeGreaterThan(0);
    expect(store.users.count({ q: 'АННА' }, NOW)).toBeGreaterThan(0);
  });

  it('has a connection of each family, and shares of all of them that are the whole', () => {
    const protocols = store.inbounds.page({}, 100, 0).map(({ protocol }) => protocol);
    expect(new Set(protocols)).toEqual(new Set(['vless', 'trojan', 'hysteria2', 'wireguard']));
    expect(store.traffic.inboundTotals()).toHaveLength(protocols.length);
  });

  it('has a month of traffic of nodes and users, today included', () => {
    const days = store.traffic.nodeDays('2026-10-21', null);
    expect(days.length).toBeGreaterThanOrEqual(30);
    expect(days.at(-1)?.day).toBe('2026-11-20');
    expect(store.traffic.nodeHours(NOW - 24 * 3_600_000, 1).length).toBeGreaterThanOrEqual(24);
    const [top] = store.traffic.topUsers('2026-11', 1);
    expect(top?.down).toBeGreaterThan(0);
    expect(store.traffic.userDays(top?.id ?? 0, '2026-11-01').length).toBeGreaterThan(10);
  });

  it('gives each user a link and credentials of its own', () => {
    const ids = store.users.ids({}, NOW);
    const rows = ids.map((id) => store.users.get(id));
    expect(new Set(rows.map((row) => row?.token)).size).toBe(USERS);
    const credentials = ids.map((id) => store.users.credentials(id));
    for (const family of ['uuid', 'password', 'key'] as const) {
      expect(new Set(credentials.map((own) => own[family])).size).toBe(USERS);
    }
    const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    expect(credentials.every((own) => uuid.test(own.uuid))).toBe(true);
  });
});

/** All users, with each user's traffic summed by day. */
function everyUser() {
  return store.users.rows(store.users.ids({}, NOW)).map((user) => {
    const days = store.traffic.userDays(user.id, '2026-10-25');
    return { ...user, days };
  });
}
const sumTraffic = (all: readonly { readonly up: number; readonly down: number }[]) =>
  all.reduce((sum, { up, down }) => ({ up: sum.up + up, down: sum.down + down }), { up: 0, down: 0 });

describe('its figures agree', () => {
  it('with the state of each user', () => {
    const users = everyUser();
    const used = (user: (typeof users)[number]) => user.usedUp + user.usedDown;
    const listIds = (wrong: (user: (typeof users)[number]) => boolean) => users.filter(wrong).map(({ id }) => id);
    const isNever = ({ totalUp, totalDown, onlineAt, days }: (typeof users)[number]) =>
      totalUp + totalDown === 0 && onlineAt === null && days.length === 0;
    expect(listIds((user) => user.state === 'on_hold' && !(isNever(user) && user.termBeganAt === null))).toEqual([]);
    expect(listIds((user) => (user.onlineAt === null) !== (user.totalUp + user.totalDown === 0))).toEqual([]);
    const isAtLimit = (user: (typeof users)[number]) => user.trafficLimit !== null && used(user) >= user.trafficLimit;
    expect(listIds((user) => user.state === 'limited' && !isAtLimit(user))).toEqual([]);
    expect(listIds((user) => user.state === 'active' && isAtLimit(user))).toEqual([]);
    expect(listIds((user) => user.trafficLimit !== null && used(user) > user.trafficLimit)).toEqual([]);
    expect(listIds((user) => used(user) > user.totalUp + user.totalDown)).toEqual([]);
    expect(users.filter(({ state, tariffId }) => state === 'on_hold' && tariffId !== 1)).toEqual([]);
  });

  it('in time: created, then begun, then used, and over before the end', () => {
    const users = everyUser();
    const listIds = (wrong: (user: (typeof users)[number]) => boolean) => users.filter(wrong).map(({ id }) => id);
    expect(listIds((user) => user.createdAt > NOW || user.updatedAt < user.createdAt)).toEqual([]);
    expect(listIds((user) => user.termBeganAt !== null && user.termBeganAt < user.createdAt)).toEqual([]);
    expect(
      listIds(({ termBeganAt, expiresAt }) => expiresAt !== null && (termBeganAt ?? expiresAt) >= expiresAt),
    ).toEqual([]);
    expect(listIds(({ onlineAt, createdAt }) => onlineAt !== null && (onlineAt < createdAt || onlineAt > NOW))).toEqual(
      [],
    );
    expect(
      listIds(({ onlineAt, expiresAt }) => onlineAt !== null && expiresAt !== null && onlineAt > expiresAt),
    ).toEqual([]);
    const disabledAt = new Map(
      store.audit
        .page({ limit: 5000, action: 'updateUser' })
        .map(({ target, at }) => [Number(target?.slice('user:'.length)), at]),
    );
    expect(users.filter(({ enabled }) => !enabled).map(({ id }) => id)).toEqual(
      [...disabledAt.keys()].sort((a, b) => a - b),
    );
    expect(listIds(({ id, onlineAt }) => (onlineAt ?? 0) > (disabledAt.get(id) ?? NOW))).toEqual([]);
    // A trial is as long as its plan says.
    const isTooLong = (user: (typeof users)[number]) =>
      user.tariffId === 1 && user.expiresAt !== null && user.expiresAt - (user.termBeganAt ?? 0) > 3 * 24 * 3_600_000;
    expect(listIds(isTooLong)).toEqual([]);
    const places = store.nodes.page(10, 0);
    expect(listIds(({ createdAt }) => places.some((node) => node.createdAt > createdAt))).toEqual([]);
  });

  it('between users, nodes, connections and days', () => {
    const users = everyUser();
    const total = sumTraffic(users.map(({ totalUp, totalDown }) => ({ up: totalUp, down: totalDown })));
    expect(store.traffic.total()).toEqual(total);
    expect(sumTraffic(store.traffic.nodeTotals())).toEqual(total);
    expect(sumTraffic(store.traffic.inboundTotals())).toEqual(total);
    const ofDay = (day: string) => sumTraffic(users.flatMap(({ days }) => days.filter((one) => one.day === day)));
    const days = store.traffic.nodeDays('2026-10-25', null);
    expect(days.map(({ day }) => [day, ofDay(day)])).toEqual(days.map(({ day, up, down }) => [day, { up, down }]));
    const from = Date.UTC(2026, 10, 13);
    const hours = users.flatMap(({ id }) => store.traffic.userHours(id, from));
    expect(sumTraffic(hours)).toEqual(sumTraffic(store.traffic.nodeHours(from, null)));
  });

  it('with what was paid', () => {
    const orders = store.sales.orders({ before: undefined, limit: 5000, userId: undefined, state: undefined });
    expect(new Set(orders.map(({ method }) => method))).toEqual(new Set(['transfer', 'cash']));
    const recent = orders.filter(({ day }) => day !== null && day > '2026-10-21');
    expect(new Set(recent.map(({ day }) => day)).size).toBeGreaterThan(20);
    expect(recent.some(({ isRenewal }) => isRenewal)).toBe(true);
    // The last renewal of each user must have led to the present end of the term.
    const ends = new Map<number | null, unknown>();
    for (const { userId, given } of orders) {
      const [first] = given ?? [];
      if (!ends.has(userId)) ends.set(userId, first?.kind === 'term' && first.term.after.expiresAt);
    }
    const payers = everyUser().filter(({ id }) => ends.has(id));
    expect(payers.length).toBeGreaterThan(USERS / 4);
    expect(payers.filter(({ id, expiresAt }) => ends.get(id) !== expiresAt).map(({ id }) => id)).toEqual([]);
    const acts = store.audit.page({ limit: 5000, action: 'recordPayment' });
    expect(acts.map(({ detail }) => JSON.parse(detail).order_id)).toEqual(orders.map(({ id }) => id));
  });

  it('with what happened', () => {
    const events = store.events.after(0, 100_000, null);
    const latest = new Map<number, string>();
    for (const { type, data } of events) {
      const { user_id: id, state } = JSON.parse(data);
      if (type.startsWith('user.')) latest.set(id, state);
    }
    const users = everyUser().filter(({ id }) => latest.has(id));
    expect(users.length).toBeGreaterThan(50);
    expect(
      users.filter(({ id, state }) => latest.get(id) !== state).map(({ id, state }) => [id, state, latest.get(id)]),
    ).toEqual([]);
    expect(events.map(({ at }) => at).every((at) => at <= NOW)).toBe(true);
  });
});

describe('those who have traffic now and then', () => {
  it('had it before now, and on no day much more than on others', () => {
    const parts = { users: 2 * DETAILED_USERS, now: NOW, timeZone: 'Europe/Berlin', notices: [7, 3, 1] };
    const lives = Array.from({ length: DETAILED_USERS }, (_, index) => simulateLife(DETAILED_USERS + index, parts));
    expect(lives.filter(({ onlineAt }) => (onlineAt ?? 0) > NOW)).toEqual([]);
    const DAYS = 20;
    const days = new Array<number>(DAYS).fill(0);
    for (const { at, up, down } of lives.flatMap(({ moved }) => moved)) {
      const ago = Math.floor((NOW - at) / DAY_MS);
      if (ago < DAYS) days[ago] = (days[ago] ?? 0) + up + down;
    }
    const mean = days.reduce((sum, day) => sum + day, 0) / DAYS;
    expect(Math.max(...days)).toBeLessThan(2.5 * mean);
    expect(Math.min(...days)).toBeGreaterThan(0);
  });
});

describe('its folder', () => {
  it('is filled once, and refused for another size or over a real panel', () => {
    const own = join(folder, 'demo');
    expect(prepareDemoFolder(own, 5)).toBe(own);
    expect(prepareDemoFolder(own, 5)).toBe(own);
    const refused = (path: string, users: number) => {
      try {
        prepareDemoFolder(path, users);
        return false;
      } catch (error) {
        return isRefusal(error);
      }
    };
    expect(refused(own, 6)).toBe(true);
    const real = join(folder, 'real');
    rmSync(join(own, 'demo.json'));
    expect(refused(own, 5)).toBe(true);
    expect(prepareDemoFolder(real, 1)).toBe(real);
  });
});
