// What the command palette offers: the frame's own commands and those of the screen that is open.
import type { TablerIcon } from '@tabler/icons-react';
import { useEffect, useRef, useSyncExternalStore } from 'react';

export interface Command {
  readonly id: string;
  readonly label: string;
  readonly group: 'goTo' | 'acts' | 'appearance';
  readonly icon?: TablerIcon;
  /** Other words it is found by. */
  readonly words?: string;
  /** The key that does the same. */
  readonly keys?: string;
  run(): void;
}

type Layer = { readonly current: readonly Command[] };

let layers: readonly Layer[] = [];
const listeners = new Set<() => void>();

function change(next: readonly Layer[]): void {
  layers = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Offers commands while the component is on screen. */
export function useCommands(commands: readonly Command[]): void {
  const layer = useRef(commands);
  useEffect(() => {
    layer.current = commands;
  });
  useEffect(() => {
    change([...layers, layer]);
    return () => change(layers.filter((other) => other !== layer));
  }, []);
}

/** All of them, those of the screen first; of two with one id the screen's. */
export function useAllCommands(): readonly Command[] {
  const all = useSyncExternalStore(subscribe, () => layers);
  const commands = all.toReversed().flatMap(({ current }) => current);
  return commands.filter(({ id }, at) => commands.findIndex((other) => other.id === id) === at);
}

/** Those whose label or words hold every word of a text, the ones that begin with it first. */
export function matching(commands: readonly Command[], text: string): readonly Command[] {
  const parts = text.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const all = commands.filter(({ label, words = '' }) => {
    const where = `${label} ${words}`.toLocaleLowerCase();
    return parts.every((part) => where.includes(part));
  });
  const begins = ({ label }: Command) => label.toLocaleLowerCase().startsWith(parts[0] ?? '');
  return [...all.filter(begins), ...all.filter((command) => !begins(command))];
}
