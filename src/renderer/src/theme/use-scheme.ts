// Which of the two themes is on, by choice or by the system.
import { useSyncExternalStore } from 'react';
import { useView } from '../state/view.ts';

const darkSystem = globalThis.matchMedia?.('(prefers-color-scheme: dark)');

function subscribe(listener: () => void): () => void {
  darkSystem?.addEventListener('change', listener);
  return () => darkSystem?.removeEventListener('change', listener);
}

export function useScheme(): 'light' | 'dark' {
  const theme = useView((view) => view.theme);
  const isSystemDark = useSyncExternalStore(subscribe, () => darkSystem?.matches ?? false);
  return theme === 'system' ? (isSystemDark ? 'dark' : 'light') : theme;
}
