// The active theme, by choice or by the system; light while printing.
import { useSyncExternalStore } from 'react';
import { usePrinting } from '../state/printing.ts';
import { useView } from '../state/view.ts';

const darkSystem = globalThis.matchMedia?.('(prefers-color-scheme: dark)');

function subscribe(listener: () => void): () => void {
  darkSystem?.addEventListener('change', listener);
  return () => darkSystem?.removeEventListener('change', listener);
}

export function useScheme(): 'light' | 'dark' {
  const theme = useView((view) => view.theme);
  const isSystemDark = useSyncExternalStore(subscribe, () => darkSystem?.matches ?? false);
  const isPrinting = usePrinting(({ isOn }) => isOn);
  if (isPrinting) return 'light';
  return theme === 'system' ? (isSystemDark ? 'dark' : 'light') : theme;
}
