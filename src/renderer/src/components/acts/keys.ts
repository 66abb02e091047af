// Keyboard shortcuts: components declare their keys while they are on screen; the newest declaration wins, and typing is never disturbed.
import { use, useLayoutEffect, useRef } from 'react';
import { create } from 'zustand';
import { useView } from '../../state/view.ts';
import { SidePanelContext, sidePanel } from '../side-panel.ts';

export interface Shortcut {
  /**
   * `x`, `?`, `mod+k` (Ctrl, on a Mac Cmd), `shift+x`, or a sequence: `g u`. Letters by their character; in layouts without Latin letters
   * by their position.
   */
  readonly keys: string;
  /** What it does, for the dialog that lists keys. */
  readonly label: string;
  /** Its group in that dialog; default: `here`. */
  readonly group?: 'general' | 'goTo' | 'list' | 'here';
  /** Works while an input has the focus too. */
  readonly inInputs?: boolean;
  /** Only listed: the focused element itself handles the key. */
  readonly isHint?: boolean;
  /** Whether it applies to the focused element: arrows, for example, are used by other elements too. */
  isFor?(target: EventTarget | null): boolean;
  run(event: KeyboardEvent): void;
}

interface Layer {
  readonly shortcuts: readonly Shortcut[];
  /** Declared inside a dialog, so that it works while the dialog is open. */
  readonly isInDialog: boolean;
  /** Declared inside a side panel, which is not a dialog. */
  readonly isSidePanel: boolean;
}

const useLayers = create<{ readonly layers: readonly { readonly current: Layer }[] }>()(() => ({ layers: [] }));

/** Declares keys while the component is on screen and `isOn`. `inDialog`: the component is in a drawer or a modal. */
export function useShortcuts(
  shortcuts: readonly Shortcut[],
  { isOn = true, inDialog = false }: { readonly isOn?: boolean; readonly inDialog?: boolean } = {},
): void {
  const isSidePanel = use(SidePanelContext);
  const layer = useRef<Layer>({ shortcuts, isInDialog: inDialog, isSidePanel });
  // A layout effect: a key pressed between painting and an effect would be lost, or act on the former content.
  useLayoutEffect(() => {
    layer.current = { shortcuts, isInDialog: inDialog, isSidePanel };
  });
  useLayoutEffect(() => {
    if (!isOn) return;
    useLayers.setState(({ layers }) => ({ layers: [...layers, layer] }));
    return () => useLayers.setState(({ layers }) => ({ layers: layers.filter((other) => other !== layer) }));
  }, [isOn]);
}

/** All keys of the components on screen, for the dialog that lists keys. */
export function useAllShortcuts(): readonly Shortcut[] {
  const layers = useLayers((state) => state.layers);
  return layers.flatMap(({ current }) => current.shortcuts);
}

/** The name of a pressed key in the notation of shortcuts. */
export function formatChord(
  event: Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>,
): string {
  // In a non-Latin layout `key` is no Latin letter, so the key's position decides: ф is at the position of a.
  const positional = /^Key([A-Z])$/.exec(event.code)?.[1]?.toLowerCase();
  const isForeign =
    event.key.length === 1 && event.key.toLowerCase() !== event.key.toUpperCase() && event.key > '\u007f';
  const key = isForeign && positional !== undefined ? positional : event.key.toLowerCase();
  const isLetter = /^[a-z]$/.test(key) || key.length > 1;
  const parts = [];
  if (event.ctrlKey || event.metaKey) parts.push('mod');
  if (event.altKey) parts.push('alt');
  // For characters such as ? the shift is part of the character.
  if (event.shiftKey && isLetter) parts.push('shift');
  return [...parts, key === ' ' ? 'space' : key].join('+');
}

/** Whether it is a single letter or character: speech input may type these by accident, so they can be turned off. */
function isLetter(keys: string): boolean {
  return keys.split(' ').some((chord) => chord.replace(/^shift\+/, '').length === 1);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.matches('textarea, select, input:not([type=checkbox], [type=radio], [type=button])'))
  );
}

/** The id of the bulk bar, for the key that moves the focus to it. */
export const SELECTION_BAR = 'selection-bar';

/** Whether a key is for the side panel: it has the focus, or nothing has the focus and no rows are selected. */
function isForRecord(target: EventTarget | null): boolean {
  const record = sidePanel();
  if (record === null || !(target instanceof Node)) return false;
  return record.contains(target) || (target === document.body && document.getElementById(SELECTION_BAR) === null);
}

/** How long to wait for the second key of a sequence. */
const SEQUENCE_MS = 900;

function createKeyHandler(): (event: KeyboardEvent) => void {
  let pending = '';
  let timer: ReturnType<typeof setTimeout> | undefined;
  return (event) => {
    if (event.defaultPrevented || event.isComposing || ['Shift', 'Control', 'Alt', 'Meta'].includes(event.key)) return;
    if (document.documentElement.hasAttribute('data-locked')) return;
    const isInInput = isTyping(event.target);
    const hasLetters = useView.getState().hasLetterKeys;
    const hasDialog = document.querySelector('[role="dialog"][aria-modal="true"]') !== null;
    // A list and its side panel share keys.
    const isInRecord = isForRecord(event.target);
    const isFirst = ({ isInDialog }: Layer) => isInDialog === isInRecord;
    const chord = formatChord(event);
    const sequence = pending === '' ? chord : `${pending} ${chord}`;
    const active = useLayers
      .getState()
      .layers.toReversed()
      .filter(({ current }) => !hasDialog || (current.isInDialog && !current.isSidePanel))
      .toSorted((one, other) => Number(isFirst(other.current)) - Number(isFirst(one.current)))
      .flatMap(({ current }) => current.shortcuts)
      .filter(({ inInputs, isHint }) => !isHint && (inInputs || !isInInput))
      .filter(({ keys, isFor }) => (hasLetters || !isLetter(keys)) && (isFor?.(event.target) ?? true));
    const found = active.find(({ keys }) => keys === sequence) ?? active.find(({ keys }) => keys === chord);
    clearTimeout(timer);
    pending = '';
    if (found) {
      event.preventDefault();
      found.run(event);
    } else if (active.some(({ keys }) => keys.startsWith(`${sequence} `))) {
      pending = sequence;
      timer = setTimeout(() => {
        pending = '';
      }, SEQUENCE_MS);
    }
  };
}

globalThis.document?.addEventListener('keydown', createKeyHandler());
