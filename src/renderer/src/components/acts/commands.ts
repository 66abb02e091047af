// The commands of the command palette: the frame's own and those of the open screen.
import type { TablerIcon } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { create } from 'zustand';

export interface Command {
  readonly id: string;
  readonly label: string;
  readonly group: 'goTo' | 'acts' | 'records' | 'appearance';
  /** Its name among the sections of the settings, where it leads to one: the menus group these. */
  readonly settingsLabel?: string;
  readonly icon?: TablerIcon;
  /** Further words that find it. */
  readonly keywords?: string;
  /** The key that does the same. */
  readonly keys?: string;
  /** A hint beside it: that it asks for confirmation, or can be undone. */
  readonly hint?: string;
  run(): void;
}

/** The commands of one component, as it last rendered them. */
type Layer = { readonly current: readonly Command[] };

const useLayers = create<{ readonly layers: readonly Layer[]; readonly changed: string }>()(() => ({
  layers: [],
  changed: '',
}));

/** Offers commands while the component is on screen. */
export function useCommands(commands: readonly Command[]): void {
  const layer = useRef(commands);
  useEffect(() => {
    layer.current = commands;
  });
  // Commands depend on the focused row, for example.
  const offered = JSON.stringify(commands.map(({ id, label, keys }) => [id, label, keys]));
  useEffect(() => useLayers.setState({ changed: offered }), [offered]);
  useEffect(() => {
    useLayers.setState(({ layers }) => ({ layers: [...layers, layer] }));
    return () => useLayers.setState(({ layers }) => ({ layers: layers.filter((other) => other !== layer) }));
  }, []);
}

/** All commands, those of the screen first; if two have the same id, the screen's one is used. */
export function useAllCommands(): readonly Command[] {
  useLayers((state) => state.changed);
  return allCommands(useLayers((state) => state.layers));
}

/** The present commands, for use outside components. */
export function currentCommands(): readonly Command[] {
  return allCommands(useLayers.getState().layers);
}

function allCommands(layers: readonly Layer[]): readonly Command[] {
  const commands = layers.toReversed().flatMap(({ current }) => current);
  return commands.filter(({ id }, index) => commands.findIndex((other) => other.id === id) === index);
}

/** The commands whose label or words contain every word of a text: first those that begin with it, then those with it in their label. */
export function matchCommands(commands: readonly Command[], text: string): readonly Command[] {
  const parts = text.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const all = commands.filter(({ label, keywords = '' }) => {
    const searched = `${label} ${keywords}`.toLocaleLowerCase();
    return parts.every((part) => searched.includes(part));
  });
  const computeRank = (name: string) => {
    if (name.startsWith(parts[0] ?? '')) return 0;
    return parts.every((part) => name.includes(part)) ? 1 : 2;
  };
  const ranked = all.map((command) => ({ command, rank: computeRank(command.label.toLocaleLowerCase()) }));
  return ranked.toSorted((one, other) => one.rank - other.rank).map(({ command }) => command);
}
