// The search from any program: a key of the whole system, off until it is asked for in the settings.
import type { GlobalShortcut } from 'electron';
import { QUICK_SEARCH } from '../bridge/desktop-api.ts';

export interface QuickSearch {
  isOn(): boolean;
  /** False: another program has the key, or the system gives none. */
  set(isOn: boolean): boolean;
}

export function createQuickSearch(
  globalShortcut: Pick<GlobalShortcut, 'register' | 'unregister'>,
  search: () => void,
): QuickSearch {
  let isOn = false;
  return {
    isOn: () => isOn,
    set(wanted) {
      if (wanted === isOn) return true;
      if (wanted && !globalShortcut.register(QUICK_SEARCH, search)) return false;
      if (!wanted) globalShortcut.unregister(QUICK_SEARCH);
      isOn = wanted;
      return true;
    },
  };
}
