// Users are read back as written, and a write touches only changed columns.
import { afterAll, describe, expect, it } from 'vitest';
import { sampleInbound } from '../../../tests/support/subscription-samples.ts';
import { sampleNode, sampleTariff, sampleUser, tempStore } from '../../../tests/support/temp-store.ts';
import type { Store } from '../../core/ports/ports.ts';
import type { NewUser, UserRow } from '../../core/ports/users.ts';
import type { Connection } from '../database.ts';
import { NEVER, WRITTEN } from './row.ts';

const MAX = Number.MAX_SAFE_INTEGER;

function addInbounds(store: Store, count: number): number[] {
  const nodeId = store.nodes.insert(sampleNode());
  return Array.from({ length: count }, (_, index) => {
    const { id: _id, ...row } = sampleInbound({ nodeId, tag: `t${index}`, port: 1000 + index });
    return store.inbounds.insert(row);
  });
}

function stored(store: Store, user: NewUser): UserRow {
  const row = store.users.get(store.users.insert(user));
  if (!row) throw new Error('a user was not stored');
  return row;
}

/** Records which columns each later statement sets. */
function watch(db: Connection): () => string[] {
  db.exec('CREATE TEMP TABLE touched (name TEXT)');
  for (const { name } of WRITTEN) {
    db.exec(
      `CREATE TEMP TRIGGER touch_${name} AFTER UPDATE OF ${name} ON users BEGIN INSERT INTO touched VALUES ('${name}'); END`,
    );
  }
  return () => {
    const names = db.prepare<[], string>('SELECT name FROM touched ORDER BY name').pluck().all();
    db.exec('DELETE FROM touched');
    return names;
  };
}

describe('a user', () => {
  it('comes back whole', () => {
    using temp = tempStore();
    const { store } = temp;
    const tariffId = store.tariffs.insert(sampleTariff());
    const inbounds = addInbounds(store, 2);
    const full: NewUser = sampleUser({
      name: 'Jürgen 💡',
      contact: '@j',
      note: 'line\nline',
      tags: ['a', 'б'],
      externalId: 'order/4711 ё',
      telegramId: MAX,
      metadata: { plan: 'gold', 'с пробелом': '' },
      state: 'limited',
      tariffId,
      expiresAt: Date.UTC(2100, 0, 1),
      trafficLimit: 2 ** 50,
      usedUp: MAX,
      usedDown: MAX,
      totalUp: MAX,
      totalDown: MAX,
      resetStrategy: 'period',
      termBeganAt: 1,
      resetsAt: 2,
      dueAt: 2,
      deviceLimit: 100,
      concurrentLimit: 100,
      excess: { addresses: 2, at: 6, cutOffUntil: 7, cutOffNode: 8 },
      inbounds,
      onlineAt: 3,
      noticeAnnounced: 90,
      trafficLowAnnounced: true,
      createdAt: 4,
      updatedAt: 5,
      version: MAX,
    });
    const row = stored(store, full);
    const { credentials, ...fields } = full;
    expect(row).toEqual({ ...fields, id: row.id });
    expect(store.users.credentials(row.id)).toEqual(credentials);
    expect(store.users.byToken(full.token)).toEqual(row);
    expect(store.users.byExternalId('order/4711 ё')).toEqual(row);
    expect(store.users.byTelegramId(MAX)).toEqual(row);
    expect(store.users.byExternalId('order/4711')).toBeUndefined();
    const held = sampleUser({
      state: 'on_hold',
      hold: { months: 1, days: 0 },
      extra: 7,
      expiredAnnounced: true,
      inbounds: [],
    });
    const { credentials: _apart, ...heldFields } = held;
    expect(stored(store, held)).toEqual({ ...heldFields, id: row.id + 1 });
  });

  it('has an id that is never used again', () => {
    using temp = tempStore();
    const { store } = temp;
    const first = store.users.insert(sampleUser());
    store.users.remove(first);
    expect(store.users.insert(sampleUser())).toBe(first + 1);
  });

  it('takes everything of its own along when removed', () => {
    using temp = tempStore();
    const { store, db } = temp;
    const slot = { hour: 3_600_000, day: '2026-11-20', month: '2026-11' };
    const [inbound = 0] = addInbounds(store, 1);
    const keep = store.users.insert(sampleUser({ name: 'keep', tags: ['t'], metadata: { plan: 'a' } }));
    const gone = store.users.insert(
      sampleUser({ name: 'gone', tags: ['t'], metadata: { plan: 'a' }, inbounds: [inbound] }),
    );
    for (const userId of [keep, gone]) {
      store.grants.insert({
        userId,
        bytes: 1,
        bytesLeft: 1,
        lifetime: 'used',
        days: null,
        endsAt: null,
        note: '',
        createdAt: 0,
      });
      store.traffic.addToUser(userId, 1, slot, { up: 1, down: 2 });
      store.traffic.addToUser(userId, 1, { hour: 7_200_000, day: '2026-12-01', month: '2026-12' }, { up: 1, down: 2 });
    }
    store.users.remove(gone);
    const users = (table: string) => db.prepare(`SELECT DISTINCT user_id FROM ${table}`).pluck().all();
    for (const table of [
      'user_credentials',
      'user_tags',
      'user_metadata',
      'grants',
      'user_hours',
      'user_days',
      'user_months',
    ])
      expect(users(table)).toEqual([keep]);
    expect(users('user_inbounds')).toEqual([]);
    expect(store.users.count({ q: 'gone' }, 0) + store.users.count({ q: 'go' }, 0)).toBe(0);
    expect(store.users.count({ q: 'kee' }, 0)).toBe(1);
  });
});

describe('save', () => {
  it('sets only the columns that differ', () => {
    using temp = tempStore();
    const { store, db } = temp;
    const row = stored(store, sampleUser({ expiresAt: 1000, dueAt: 1000, trafficLimit: 10 }));
    const touched = watch(db);
    store.users.save(row, { ...row });
    expect(touched()).toEqual([]);
    const extended = { ...row, expiresAt: 2000, dueAt: 2000, updatedAt: 1, version: 2 };
    store.users.save(row, extended);
    expect(touched()).toEqual(['due_at', 'expires_at', 'state_due_at', 'updated_at', 'version']);
    const moved = { ...extended, usedUp: 3, totalUp: 3, onlineAt: 5 };
    store.users.save(extended, moved);
    expect(touched()).toEqual(['online_at', 'total_up', 'used', 'used_up']);
    expect(store.users.get(row.id)).toEqual(moved);
  });

  it('writes every field', () => {
    using temp = tempStore();
    const { store, db } = temp;
    const [first = 0, second = 0] = addInbounds(store, 2);
    const row = stored(
      store,
      sampleUser({ tags: ['a', 'b'], metadata: { a: '1', b: '1', c: '3' }, inbounds: [first] }),
    );
    const touched = watch(db);
    const { credentials: _apart, ...sample } = sampleUser();
    const after: UserRow = {
      ...sample,
      name: 'Другой',
      contact: 'c',
      note: 'n',
      tags: ['b', 'c'],
      state: 'disabled',
      enabled: false,
      externalId: 'crm-9',
      telegramId: 9,
      metadata: { b: '2', c: '3' },
      tariffId: store.tariffs.insert(sampleTariff()),
      expiresAt: 9,
      hold: { months: 0, days: 1 },
      heldAt: 6,
      trafficLimit: 1,
      usedUp: 1,
      usedDown: 2,
      totalUp: 3,
      totalDown: 4,
      extra: 5,
      resetStrategy: 'day',
      termBeganAt: 6,
      resetsAt: 7,
      dueAt: 8,
      deviceLimit: 1,
      concurrentLimit: 2,
      excess: { addresses: 3, at: 4, cutOffUntil: 5, cutOffNode: 6 },
      inbounds: [second],
      onlineAt: 9,
      noticeAnnounced: 7,
      expiredAnnounced: true,
      cut: { change: 3, nodeId: 1, up: 4, down: 5 },
      createdAt: 10,
      updatedAt: 11,
      version: 12,
      id: row.id,
    };
    store.users.save(row, after);
    expect(store.users.get(row.id)).toEqual(after);
    const unchanged = WRITTEN.map(({ name }) => name).filter((name) => name !== 'state_due_at');
    expect(touched()).toEqual(unchanged.sort());
    const ids = (tag: string) => store.users.ids({ tag }, 0);
    expect([ids('a'), ids('b'), ids('c')]).toEqual([[], [row.id], [row.id]]);
    const having = (key: string, value: string) => store.users.ids({ metadata: { key, value } }, 0);
    expect([having('a', '1'), having('b', '1')]).toEqual([[], []]);
    expect([having('b', '2'), having('c', '3')]).toEqual([[row.id], [row.id]]);
    expect(store.users.count({ q: 'CRM-9' }, 0)).toBe(1);
    expect([store.users.usesOfInbound(first).total, store.users.usesOfInbound(second).total]).toEqual([0, 1]);
    expect([store.users.count({ q: 'anna' }, 0), store.users.count({ q: 'ДРУГ' }, 0)]).toEqual([0, 1]);
  });
});

describe('credentials', () => {
  it('are replaced all together, and free for others then', () => {
    using temp = tempStore();
    const { store } = temp;
    const { id } = stored(store, sampleUser());
    const before = store.users.credentials(id);
    const { credentials } = sampleUser();
    store.users.saveCredentials(id, credentials);
    expect(store.users.credentials(id)).toEqual(credentials);
    const other = stored(store, sampleUser({ credentials: before }));
    expect(() => store.users.saveCredentials(id, { ...credentials, key: before.key })).toThrow(/UNIQUE/);
    expect(store.users.credentials(other.id)).toEqual(before);
  });

  it('of single inbounds replace those of the family there, for one user each', () => {
    using temp = tempStore();
    const { store, db } = temp;
    const [first = 0, second = 0] = addInbounds(store, 2);
    const byInbound = [{ inboundId: first, value: 'own', flow: null }];
    const { id } = stored(store, sampleUser({ credentials: { ...sampleUser().credentials, byInbound } }));
    expect(store.users.credentials(id).byInbound).toEqual(byInbound);
    expect(store.sync.members(1, [id])[0]?.credentials.byInbound).toEqual(byInbound);
    expect(store.users.findOwnerId('uuid', 'own', false)).toBe(id);
    expect(() => stored(store, sampleUser({ credentials: { ...sampleUser().credentials, byInbound } }))).toThrow(
      /UNIQUE/,
    );
    store.users.copyInboundCredentials(first, second);
    expect(store.users.credentials(id).byInbound).toHaveLength(2);
    const changes = () => Number(db.prepare('SELECT count(*) FROM node_changes WHERE user_id = ?').pluck().get(id));
    const before = changes();
    store.users.saveCredentials(id, sampleUser().credentials);
    expect(store.users.credentials(id).byInbound).toBeUndefined();
    expect(changes()).toBeGreaterThan(before);
  });
});

describe('due', () => {
  it('gives the earliest first, up to the moment, and knows the next', () => {
    using temp = tempStore();
    const { store } = temp;
    expect(store.users.nextDueAt()).toBeNull();
    const [late, none, early] = [30, null, 10].map((dueAt) => store.users.insert(sampleUser({ dueAt })));
    expect(store.users.due(30, 10).map(({ id }) => id)).toEqual([early, late]);
    expect(store.users.due(29, 10).map(({ id }) => id)).toEqual([early]);
    expect(store.users.due(30, 1).map(({ id }) => id)).toEqual([early]);
    expect(store.users.nextDueAt()).toBe(10);
    expect(store.users.get(none ?? 0)?.dueAt).toBeNull();
  });
});

describe('the few other questions', () => {
  it('count who is online and whose term ends', () => {
    using temp = tempStore();
    const { store } = temp;
    for (const onlineAt of [null, 5, 6]) store.users.insert(sampleUser({ onlineAt, expiresAt: 100 }));
    store.users.insert(sampleUser({ enabled: false, state: 'disabled', expiresAt: 100 }));
    store.users.insert(sampleUser({ expiresAt: null }));
    expect([store.users.countOnline(5), store.users.countOnline(6)]).toEqual([1, 0]);
    expect([store.users.countExpiring(99, 100), store.users.countExpiring(100, NEVER)]).toEqual([3, 0]);
  });

  it('list users with resets in pieces', () => {
    using temp = tempStore();
    const { store } = temp;
    const ids = (['day', 'none', 'month', 'period'] as const).map((resetStrategy) =>
      store.users.insert(sampleUser({ resetStrategy })),
    );
    expect(store.users.withResets(0, 2).map(({ id }) => id)).toEqual([ids[0], ids[2]]);
    expect(store.users.withResets(ids[2] ?? 0, 2).map(({ id }) => id)).toEqual([ids[3]]);
  });

  it('list users whose term ends in pieces', () => {
    using temp = tempStore();
    const { store } = temp;
    const ids = [5, null, 6, 7].map((expiresAt) => store.users.insert(sampleUser({ expiresAt })));
    expect(store.users.withEnds(0, 2).map(({ id }) => id)).toEqual([ids[0], ids[2]]);
    expect(store.users.withEnds(ids[2] ?? 0, 2).map(({ id }) => id)).toEqual([ids[3]]);
  });
});

describe('the table refuses', () => {
  const shared = tempStore();
  afterAll(() => shared[Symbol.dispose]());
  const bad: readonly Partial<NewUser>[] = [
    { name: '' },
    { name: 'x'.repeat(101) },
    { note: 'x'.repeat(2001) },
    { state: 'other' as never },
    { expiresAt: Date.UTC(2100, 0, 1) + 1 },
    { trafficLimit: 0 },
    { trafficLimit: 2 ** 50 + 1 },
    { usedUp: -1 },
    { usedUp: MAX + 1 },
    { totalDown: 1.5 },
    { extra: -1 },
    { deviceLimit: 101 },
    { concurrentLimit: 101 },
    { concurrentLimit: 0 },
    { excess: { addresses: 1, at: 0, cutOffUntil: null, cutOffNode: null } },
    { excess: { addresses: 2, at: -1, cutOffUntil: null, cutOffNode: null } },
    { excess: { addresses: 2, at: 0, cutOffUntil: -1, cutOffNode: null } },
    { resetStrategy: 'hour' as never },
    { token: 'short' },
    { externalId: '.' },
    { externalId: '..' },
    { createdAt: -1 },
    { updatedAt: Number.NaN },
    { hold: { months: -1, days: 0 } },
    { dueAt: 'soon' as never },
    { noticeAnnounced: 0 },
    { noticeAnnounced: 91 },
    { cut: { change: 1, nodeId: null, up: 0, down: 0 } },
    { state: 'disabled', enabled: false, cut: { change: 0, nodeId: null, up: 0, down: 0 } },
    { state: 'disabled', enabled: false, cut: { change: 1, nodeId: null, up: 0, down: -1 } },
  ];
  it.each(bad.map((fields) => [JSON.stringify(fields).slice(0, 60), fields] as const))('%s', (_, fields) => {
    expect(() => shared.store.users.insert(sampleUser(fields))).toThrow(/CHECK|cannot store|NOT NULL/);
  });

  it('a link or credential that somebody has', () => {
    using temp = tempStore();
    const { store } = temp;
    const { token, id } = stored(store, sampleUser());
    expect(() => store.users.insert(sampleUser({ token }))).toThrow(/UNIQUE/);
    const { credentials: other } = sampleUser();
    for (const [family, value] of Object.entries(store.users.credentials(id))) {
      const credentials = { ...other, [family]: value };
      expect(store.users.isTaken('token-of-nobody', credentials)).toBe(true);
      expect(() => store.users.insert(sampleUser({ credentials }))).toThrow(/UNIQUE/);
    }
    expect(store.users.isTaken(token, other)).toBe(true);
    expect(store.users.isTaken('token-of-nobody', other)).toBe(false);
  });

  it('sums and moments that are not those of their row', () => {
    using temp = tempStore();
    const id = temp.store.users.insert(sampleUser({ expiresAt: 5 }));
    for (const set of ['used = 1', 'state_due_at = 6', 'state_due_at = NULL', 'used_up = 2']) {
      expect(() => temp.db.exec(`UPDATE users SET ${set} WHERE id = ${id}`)).toThrow(/CHECK/);
    }
  });
});
