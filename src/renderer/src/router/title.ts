// The window's title: the innermost name first, as in `Anna Smirnova · Users · Gatehouse`.
import { useEffect } from 'react';

/** How the panel is called until it says so itself. */
export const PRODUCT = 'Gatehouse';
let product: string = PRODUCT;
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

/** The panel's own name, which stands last in every title. */
export function nameProduct(name: string): void {
  product = name;
  show();
}

function show(): void {
  const names = [...parts].sort(([a], [b]) => b - a).map(([, text]) => text);
  document.title = [...names, product].join(' · ');
}
