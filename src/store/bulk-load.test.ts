// A bulk load has the same result as single inserts: schema, rows, counts and search.
import { describe, expect, it } from 'vitest';
import { sampleTariff, sampleUser, tempFolder, tempStore } from '../../tests/support/temp-store.ts';
import type { NewUser } from '../core/ports/users.ts';
import { bulkLoader } from './bulk-load.ts';
import type { Connection } from './database.ts';
import { openStore } from './index.ts';

function* users(count: number): Generator<NewUser> {
  for (let index = 0; index < count; index += 1) {
    const state = index % 3 === 0 ? 'expired' : 'active';
    const fields = {
      name: `Имя ${index}`,
      contact: `@u${index}`,
      tags: index % 2 === 0 ? ['even'] : [],
      state,
    } as const;
    yield sampleUser({
      ...fields,
      expiresAt: state === 'expired' ? 5 : 1000 + index,
      tariffId: index % 5 === 0 ? null : 1,
    });
  }
}

function schema(db: Connection): unknown {
  return db
    .prepare("SELECT type, name, sql FROM sqlite_schema WHERE name NOT GLOB 'sqlite_*' ORDER BY type, name")
    .all();
}

describe('a bulk load', () => {
  it('leaves the schema, counts and search of single inserts', () => {
    using loaded = tempStore();
    using single = tempStore();
    for (const { store } of [loaded, single]) store.tariffs.insert(sampleTariff());
    expect(bulkLoader(loaded.store).loadUsers(users(200))).toBe(200);
    single.store.write(() => {
      for (const user of users(200)) single.store.users.insert(user);
    });
    expect(schema(loaded.db)).toEqual(schema(single.db));
    for (const { db } of [loaded, single]) {
      expect(db.pragma('user_version', { simple: true })).toBeGreaterThan(0);
      expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    }
    const view = ({ store }: typeof loaded) => [
      store.users.countsByState(0),
      store.users.countsByState(1100),
      store.users.countByTariff(1),
      store.users.ids({ q: 'ИМЯ 1' }, 0),
      store.users.ids({ q: 'ИМ' }, 0).length,
      store.users.ids({ tag: 'even', states: ['active'] }, 0),
      store.users.get(77)?.name,
    ];
    expect(view(loaded)).toEqual(view(single));
    const [id] = [loaded.store.users.insert(sampleUser({ name: 'after' }))];
    expect([id, loaded.store.users.ids({ q: 'after' }, 0), loaded.store.users.count({}, 0)]).toEqual([201, [201], 201]);
  });

  it('is for a database without users', () => {
    using temp = tempStore();
    temp.store.users.insert(sampleUser());
    expect(() => bulkLoader(temp.store).loadUsers([])).toThrow('empty database');
  });

  it('that breaks off leaves a file that is not used', () => {
    using folder = tempFolder();
    const store = openStore(folder.file);
    const twice = [sampleUser(), sampleUser({ token: 'x'.repeat(20) }), sampleUser({ token: 'x'.repeat(20) })];
    expect(() => bulkLoader(store).loadUsers(twice)).toThrow(/UNIQUE/);
    expect(store.connection().inTransaction).toBe(false);
    store.close();
    expect(() => openStore(folder.file)).toThrow(expect.objectContaining({ reason: 'unfinished' }));
  });
});
