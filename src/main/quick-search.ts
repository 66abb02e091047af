// The search from any program, by a global shortcut that is off by default.
import type { GlobalShortcut } from 'electron';
import { QUICK_SEARCH } from '../bridge/desktop-api.ts';

export interface QuickSearch {
  isOn(): boolean;
  /** false: another program has the shortcut, or the system has no global shortcuts. */
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
