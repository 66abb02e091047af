// The window's title: the innermost name first, as in `Anna Smirnova · Users · Gatehouse`.
import { useEffect } from 'react';

const PRODUCT = 'Gatehouse';
const parts = new Map<number, string>();

/** `depth` 0: the screen; 1: a record opened over it. Gone with the component. */
export function useTitle(text: string | undefined, depth = 0): void {
  useEffect(() => {
    if (!text) return;
    parts.set(depth, text);
    show();
    return () => {
      if (parts.get(depth) === text) parts.delete(depth);
      show();
    };
  }, [text, depth]);
}

function show(): void {
  const names = [...parts].sort(([a], [b]) => b - a).map(([, text]) => text);
  document.title = [...names, PRODUCT].join(' · ');
}
