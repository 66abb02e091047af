// The window's title: the innermost name first, such as `Anna Smirnova · Users · Gatehouse`.
import { useEffect } from 'react';
import { createStore } from 'zustand/vanilla';

/** The product's name, shown until the panel's own title is known. */
export const PRODUCT = 'Gatehouse';

interface Title {
  readonly product: string;
  /** Names by depth. */
  readonly names: Readonly<Record<number, string>>;
}

const title = createStore<Title>()(() => ({ product: PRODUCT, names: {} }));

title.subscribe(({ product, names }) => {
  const innermostFirst = Object.entries(names).sort(([a], [b]) => Number(b) - Number(a));
  document.title = [...innermostFirst.map(([, name]) => name), product].join(' · ');
});

/** `depth` 0: the screen; 1: a record opened over it. The name is removed with the component. */
export function useTitle(name: string | undefined, depth = 0): void {
  useEffect(() => {
    if (!name) return;
    title.setState(({ names }) => ({ names: { ...names, [depth]: name } }));
    return () => {
      const { [depth]: shown, ...others } = title.getState().names;
      if (shown === name) title.setState({ names: others });
    };
  }, [name, depth]);
}

/** The panel's own name, the last part of every title. */
export function setProductTitle(product: string): void {
  title.setState({ product });
}
