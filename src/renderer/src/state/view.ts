// How the pages look, as this browser stores it. No data of the panel and no secret.
import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import type { Language } from '../../../i18n/languages.ts';

type Theme = 'system' | 'light' | 'dark';
type Density = 'comfortable' | 'compact';
/** `decimal`: 1 GB is 10^9 bytes, as networks count. `binary`: 1 GiB is 2^30 bytes. */
export type Units = 'decimal' | 'binary';

/** What a list remembers of its columns. */
export interface TableView {
  /** Columns shown or hidden against their default. */
  readonly shown?: Readonly<Record<string, boolean>>;
  readonly order?: readonly string[];
  /** Widths in px. */
  readonly widths?: Readonly<Record<string, number>>;
}

export interface View {
  readonly theme: Theme;
  /** null: the panel's own language. */
  readonly locale: Language | null;
  readonly density: Density;
  readonly units: Units;
  /** Whether single letters act, as `j` and `?` do. */
  readonly hasLetterKeys: boolean;
  readonly tables: Readonly<Record<string, TableView>>;
}

const DEFAULTS: View = {
  theme: 'system',
  locale: null,
  density: 'compact',
  units: 'decimal',
  hasLetterKeys: true,
  tables: {},
};

const STORED_AS = 'gatehouse.view';

export const useView = create<View>()(
  persist((): View => DEFAULTS, {
    name: STORED_AS,
    version: 1,
  }),
);

/** Follows what another window of this browser changes. Returns how to stop. */
export function followOtherWindows(): () => void {
  const onStorage = ({ key }: StorageEvent) => {
    if (key === STORED_AS) void useView.persist.rehydrate();
  };
  window.addEventListener('storage', onStorage);
  return () => window.removeEventListener('storage', onStorage);
}

export function changeView(change: Partial<View>): void {
  useView.setState(change);
}

/** Remembers something of one list's columns beside what it remembers already. */
export function changeTableView(table: string, change: TableView): void {
  useView.setState(({ tables }) => ({ tables: { ...tables, [table]: { ...tables[table], ...change } } }));
}
