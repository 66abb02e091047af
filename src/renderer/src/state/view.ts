// Display preferences, stored in this browser. They contain no data of the panel and no secret.
import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import type { Language } from '../../../i18n/languages.ts';

type Theme = 'system' | 'light' | 'dark';
type Density = 'comfortable' | 'compact';
/** `decimal`: 1 GB is 10^9 bytes. `binary`: 1 GiB is 2^30 bytes. */
export type Units = 'decimal' | 'binary';

/** The stored columns of a list. */
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
  /** Whether single-letter keys work, such as `j` and `?`. */
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

/** Applies changes from other windows of this browser. Returns the function that stops it. */
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

/** Stores a change of one list's columns. */
export function changeTableView(table: string, change: TableView): void {
  useView.setState(({ tables }) => ({ tables: { ...tables, [table]: { ...tables[table], ...change } } }));
}
