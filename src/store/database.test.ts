// The settings of every connection, the owner of the file, and full or shared databases.
import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sampleUser, tempFolder, tempStore } from '../../tests/support/temp-store.ts';
import { PanelError } from '../core/kernel/panel-error.ts';
import { openStore } from './index.ts';

describe('a connection', () => {
  it('has the settings that keep data safe', () => {
    using temp = tempStore();
    const read = (name: string) => temp.db.pragma(name, { simple: true });
    expect({
      busy_timeout: read('busy_timeout'),
      journal_mode: read('journal_mode'),
      synchronous: read('synchronous'),
      foreign_keys: read('foreign_keys'),
      trusted_schema: read('trusted_schema'),
      mmap_size: read('mmap_size'),
      cell_size_check: read('cell_size_check'),
      temp_store: read('temp_store'),
    }).toEqual({
      busy_timeout: 10_000,
      journal_mode: 'wal',
      synchronous: 2,
      foreign_keys: 1,
      trusted_schema: 0,
      mmap_size: 0,
      cell_size_check: 1,
      temp_store: 2,
    });
    expect(Number(read('journal_size_limit'))).toBeGreaterThan(0);
  });

  it('has tables that are all strict and rows that refer to what is there', () => {
    using temp = tempStore();
    const loose = temp.db
      .prepare<[], string>(
        "SELECT name FROM pragma_table_list WHERE type = 'table' AND NOT strict AND name NOT GLOB 'sqlite_*'",
      )
      .pluck();
    expect(loose.all()).toEqual([]);
    expect(() => temp.store.users.insert(sampleUser({ tariffId: 1 }))).toThrow(/FOREIGN KEY/);
  });

  it('makes the file for its owner alone, and closes one that was open to others', () => {
    using folder = tempFolder();
    openStore(folder.file).close();
    expect(statSync(folder.file).mode & 0o777).toBe(0o600);
    chmodSync(folder.file, 0o644);
    const store = openStore(folder.file);
    expect(statSync(folder.file).mode & 0o777).toBe(0o600);
    expect(statSync(`${folder.file}-wal`).mode & 0o777).toBe(0o600);
    store.close();
  });

  it('tells its size with the journal', () => {
    using temp = tempStore();
    const before = temp.store.sizeBytes();
    temp.store.write(() => temp.store.users.insert(sampleUser({ note: 'x'.repeat(2000) })));
    expect(temp.store.sizeBytes()).toBeGreaterThan(before);
  });
});

describe('write', () => {
  it('undoes all of it when it throws', () => {
    using temp = tempStore();
    const { store } = temp;
    const fail = () =>
      store.write(() => {
        store.users.insert(sampleUser({ tags: ['a'] }));
        throw new Error('no');
      });
    expect(fail).toThrow('no');
    expect([store.users.count({}, 0), store.users.count({ tag: 'a' }, 0)]).toEqual([0, 0]);
    expect(store.users.countsByState(0).active).toBe(0);
  });

  it('within another undoes its own part', () => {
    using temp = tempStore();
    const { store } = temp;
    store.write(() => {
      store.users.insert(sampleUser());
      expect(() =>
        store.write(() => {
          store.users.insert(sampleUser());
          throw new PanelError('not_found');
        }),
      ).toThrow(PanelError);
    });
    expect(store.users.count({}, 0)).toBe(1);
  });

  it('says so where there is no room', () => {
    using temp = tempStore();
    const { store, db } = temp;
    db.pragma(`max_page_count = ${db.pragma('page_count', { simple: true })}`);
    const fill = () =>
      store.write(() => {
        for (let index = 0; index < 100; index += 1) store.users.insert(sampleUser({ note: 'x'.repeat(2000) }));
      });
    expect(fill).toThrow(expect.objectContaining({ code: 'storage_full' }));
    expect(db.inTransaction).toBe(false);
    expect(store.users.count({}, 0)).toBe(0);
    db.pragma('max_page_count = 1000000');
    fill();
    expect(store.users.count({}, 0)).toBe(100);
  });
});

describe('two connections', () => {
  it('see what the other wrote, once it is committed', () => {
    using temp = tempStore();
    const reader = openStore(temp.file, { readonly: true });
    const id = temp.store.write(() => {
      const made = temp.store.users.insert(sampleUser({ name: 'Ivan' }));
      expect(reader.users.get(made)).toBeUndefined();
      return made;
    });
    expect(reader.users.get(id)?.name).toBe('Ivan');
    reader.read(() => {
      expect(reader.users.count({}, 0)).toBe(1);
      temp.store.write(() => temp.store.users.remove(id));
      expect(reader.users.count({}, 0)).toBe(1);
    });
    expect(reader.users.count({}, 0)).toBe(0);
    expect(() => reader.users.insert(sampleUser())).toThrow(/readonly/);
    reader.close();
  });

  it('both write, each in its turn', () => {
    using temp = tempStore();
    const other = openStore(temp.file);
    for (const store of [temp.store, other, temp.store, other]) store.write(() => store.users.insert(sampleUser()));
    expect(other.users.count({}, 0)).toBe(4);
    expect(other.connection().pragma('integrity_check', { simple: true })).toBe('ok');
    other.close();
  });
});

describe('what is no database of the panel', () => {
  it.each([
    ['a text', 'Dear diary, this is no database. '.repeat(40)],
    ['zeros', '\0'.repeat(8192)],
  ])('is refused untouched: %s', (_, content) => {
    using folder = tempFolder();
    writeFileSync(folder.file, content);
    expect(() => openStore(folder.file)).toThrow(
      expect.objectContaining({ name: 'DatabaseRefused', reason: 'foreign' }),
    );
    expect(statSync(folder.file).size).toBe(content.length);
  });
});
