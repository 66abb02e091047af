// Keyboard shortcuts: components declare the keys they take while they are on screen; the newest wins, and typing is never disturbed.
import { use, useLayoutEffect, useRef } from 'react';
import { create } from 'zustand';
import { useView } from '../../state/view.ts';
import { SidePanelContext, sidePanel } from '../side-panel.ts';

export interface Shortcut {
  /** `x`, `?`, `mod+k` (Ctrl, on a Mac Cmd), `shift+x`, or a sequence: `g u`. Letters by what they type; in a layout without Latin letters by their position. */
  readonly keys: string;
  /** What it does, for the list of keys. */
  readonly label: string;
  /** Its group in the list; `here` by default. */
  readonly group?: 'general' | 'goTo' | 'list' | 'here';
  /** Also while an input has the focus. */
  readonly inInputs?: boolean;
  /** Shown in the list of keys only: the element that has the focus answers it. */
  readonly isHint?: boolean;
  /** Only where this holds for what has the focus, as for arrows, which other elements use too. */
  isFor?(target: EventTarget | null): boolean;
  run(event: KeyboardEvent): void;
}

interface Layer {
  readonly shortcuts: readonly Shortcut[];
  /** Works also while a dialog is open, since it is in it. */
  readonly isInDialog: boolean;
  /** It is of a record beside its list, which is no dialog over it. */
  readonly isSidePanel: boolean;
}

const useLayers = create<{ readonly layers: readonly { readonly current: Layer }[] }>()(() => ({ layers: [] }));

/** Takes keys while the component is on screen and `isOn`. `inDialog`: for what is in a drawer or a modal. */
export function useShortcuts(
  shortcuts: readonly Shortcut[],
  { isOn = true, inDialog = false }: { readonly isOn?: boolean; readonly inDialog?: boolean } = {},
): void {
  const isSidePanel = use(SidePanelContext);
  const layer = useRef<Layer>({ shortcuts, isInDialog: inDialog, isSidePanel });
  // With what is shown and not a moment later: a key that comes in between would be lost, or act on what was shown before.
  useLayoutEffect(() => {
    layer.current = { shortcuts, isInDialog: inDialog, isSidePanel };
  });
  useLayoutEffect(() => {
    if (!isOn) return;
    useLayers.setState(({ layers }) => ({ layers: [...layers, layer] }));
    return () => useLayers.setState(({ layers }) => ({ layers: layers.filter((other) => other !== layer) }));
  }, [isOn]);
}

/** All keys of what is on screen, for the list of keys. */
export function useAllShortcuts(): readonly Shortcut[] {
  const layers = useLayers((state) => state.layers);
  return layers.flatMap(({ current }) => current.shortcuts);
}

/** The name of what was pressed, as shortcuts name it. */
export function formatChord(
  event: Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>,
): string {
  // In a layout of another script `key` is not a Latin letter: then the key's position decides, as ф at the position of a.
  const positional = /^Key([A-Z])$/.exec(event.code)?.[1]?.toLowerCase();
  const isForeign =
    event.key.length === 1 && event.key.toLowerCase() !== event.key.toUpperCase() && event.key > '\u007f';
  const key = isForeign && positional !== undefined ? positional : event.key.toLowerCase();
  const isLetter = /^[a-z]$/.test(key) || key.length > 1;
  const parts = [];
  if (event.ctrlKey || event.metaKey) parts.push('mod');
  if (event.altKey) parts.push('alt');
  // For signs such as ? the shift is part of the sign.
  if (event.shiftKey && isLetter) parts.push('shift');
  return [...parts, key === ' ' ? 'space' : key].join('+');
}

/** A letter or a sign alone: speech input may type it by accident, so that these keys can be turned off. */
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

/** The id of the bar with the acts on a selection; for the key that leads to it. */
export const SELECTION_BAR = 'selection-bar';

/** Whether a key is for the record beside the list: it has the focus, or nothing has it and no rows are selected. */
function isForRecord(target: EventTarget | null): boolean {
  const record = sidePanel();
  if (record === null || !(target instanceof Node)) return false;
  return record.contains(target) || (target === document.body && document.getElementById(SELECTION_BAR) === null);
}

/** How long the second key of a sequence is waited for. */
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
    // A list and the record beside it have keys in common.
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
