// A demonstration looks like a service that has run for months, and breaks none of the store's rules.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeCrypto } from '../../adapters/crypto.ts';
import { USER_STATES } from '../../contract/users.ts';
import { type FileStore, openStore } from '../../store/index.ts';
import { isRefusal } from '../refusal.ts';
import { fillDemo } from './demo.ts';
import { prepareDemoFolder } from './folder.ts';

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
