// Writes that share a transaction: in order; a failed one is undone alone, a failed commit undoes all.
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { sampleTariff, type TempFolder, tempFolder } from '../../tests/support/temp-store.ts';
import { PanelError } from '../core/kernel/panel-error.ts';
import { type FileStore, openStore } from './index.ts';

function withStore(work: (store: FileStore, folder: TempFolder) => void): void {
  using folder = tempFolder();
  const store = openStore(folder.file);
  try {
    work(store, folder);
  } finally {
    store.close();
  }
}

const add = (store: FileStore, name: string) => () => store.write(() => store.tariffs.insert(sampleTariff({ name })));
const listTariffNames = (store: FileStore) =>
  store.tariffs
    .page({}, 100, 0)
    .map(({ name }) => name)
    .sort();

it('commits several writes at once', () => {
  withStore((store, { file }) => {
    const other = new Database(file, { readonly: true });
    const seen = other.prepare<[], number>('SELECT count(*) FROM tariffs').pluck();
    const counts: (number | undefined)[] = [];
    const look = () => counts.push(seen.get());
    const outcomes = store.writeTogether([add(store, 'a'), look, add(store, 'b'), look]);
    expect(outcomes.map((outcome) => 'value' in outcome)).toEqual([true, true, true, true]);
    expect(counts, 'another connection sees none of them before the commit').toEqual([0, 0]);
    expect(seen.get()).toBe(2);
    other.close();
  });
});

it('undoes a write that throws, and no other', () => {
  withStore((store) => {
    const failing = () =>
      store.write(() => {
        store.tariffs.insert(sampleTariff({ name: 'undone' }));
        throw new PanelError('not_found');
      });
    const outcomes = store.writeTogether([add(store, 'before'), failing, add(store, 'after')]);
    expect(outcomes[1]).toEqual({ error: new PanelError('not_found') });
    expect(listTariffNames(store)).toEqual(['after', 'before']);
  });
});

it('commits what a write wrote before it threw outside of its transaction, as a refusal does', () => {
  withStore((store) => {
    const refusing = () => {
      add(store, 'counted')();
      throw new PanelError('sign_in_failed');
    };
    const outcomes = store.writeTogether([refusing, add(store, 'other')]);
    expect(outcomes[0]).toEqual({ error: new PanelError('sign_in_failed') });
    expect(listTariffNames(store)).toEqual(['counted', 'other']);
  });
});

it('throws where the commit fails, and nothing is written', () => {
  withStore((store) => {
    const dangling = () =>
      store.write(() => {
        store.connection().pragma('defer_foreign_keys = ON');
        store.connection().exec('INSERT INTO tariff_inbounds (inbound_id, tariff_id) VALUES (99, 99)');
      });
    expect(() => store.writeTogether([add(store, 'a'), dangling, add(store, 'b')])).toThrow('FOREIGN KEY');
    expect(listTariffNames(store)).toEqual([]);
    expect(store.connection().inTransaction).toBe(false);
  });
});

it('on a disk that fills up, refuses only the writes that need space', () => {
  withStore((store) => {
    const db = store.connection();
    const large = () => store.write(() => store.settings.set({ announcement: 'x'.repeat(100_000) }));
    const pages = Number(db.pragma('page_count', { simple: true }));
    db.pragma(`max_page_count = ${pages}`);
    const outcomes = store.writeTogether([add(store, 'a'), large, add(store, 'b')]);
    expect(outcomes[1]).toEqual({ error: new PanelError('storage_full') });
    expect(listTariffNames(store)).toEqual(['a', 'b']);
  });
});
