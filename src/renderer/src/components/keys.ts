// Keyboard shortcuts: components say which keys they take while they are on screen; the newest wins, and typing is never disturbed.
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { useView } from '../state/view.ts';

export interface Shortcut {
  /** `x`, `?`, `mod+k` (Ctrl, on a Mac Cmd), `shift+x`, or a sequence: `g u`. Letters by what they type, in any layout by their place. */
  readonly keys: string;
  /** What it does, for the list of keys. */
  readonly label: string;
  /** Where it stands in the list; `here` unless said. */
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
  /** Answers also while a dialog is open, since it stands in it. */
  readonly isInDialog: boolean;
}

const SEQUENCE_MS = 900;
let layers: readonly { readonly current: Layer }[] = [];
const listeners = new Set<() => void>();
let pending = '';
let pendingTimer: ReturnType<typeof setTimeout> | undefined;

function change(next: readonly { readonly current: Layer }[]): void {
  layers = next;
  for (const listener of listeners) listener();
}

/** Takes keys while the component is on screen and `isOn`. `inDialog`: for what stands in a drawer or a modal. */
export function useShortcuts(
  shortcuts: readonly Shortcut[],
  { isOn = true, inDialog = false }: { readonly isOn?: boolean; readonly inDialog?: boolean } = {},
): void {
  const layer = useRef<Layer>({ shortcuts, isInDialog: inDialog });
  useEffect(() => {
    layer.current = { shortcuts, isInDialog: inDialog };
  });
  useEffect(() => {
    if (!isOn) return;
    change([...layers, layer]);
    return () => change(layers.filter((other) => other !== layer));
  }, [isOn]);
}

/** All keys of what is on screen, for the list of keys. */
export function useAllShortcuts(): readonly Shortcut[] {
  const all = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => layers,
  );
  return all.flatMap(({ current }) => current.shortcuts);
}

/** The name of what was pressed, as shortcuts name it. */
export function chordOf(
  event: Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>,
): string {
  // In a layout of another script `key` is not a Latin letter: then the key's place decides, as ф on the place of a.
  const place = /^Key([A-Z])$/.exec(event.code)?.[1]?.toLowerCase();
  const isForeign =
    event.key.length === 1 && event.key.toLowerCase() !== event.key.toUpperCase() && event.key > '\u007f';
  const key = isForeign && place !== undefined ? place : event.key.toLowerCase();
  const isLetter = /^[a-z]$/.test(key) || key.length > 1;
  const parts = [];
  if (event.ctrlKey || event.metaKey) parts.push('mod');
  if (event.altKey) parts.push('alt');
  // For signs such as ? the shift is part of the sign.
  if (event.shiftKey && isLetter) parts.push('shift');
  return [...parts, key === ' ' ? 'space' : key].join('+');
}

/** Keys that a voice or a stray hand may type: a letter or a sign alone. Whoever is bothered by them turns them off. */
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

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || ['Shift', 'Control', 'Alt', 'Meta'].includes(event.key)) return;
  if (document.documentElement.hasAttribute('data-locked')) return;
  const isInInput = isTyping(event.target);
  const hasLetters = useView.getState().hasLetterKeys;
  const hasDialog = document.querySelector('[role="dialog"][aria-modal="true"]') !== null;
  const chord = chordOf(event);
  const sequence = pending === '' ? chord : `${pending} ${chord}`;
  const open = layers
    .toReversed()
    .filter(({ current }) => !hasDialog || current.isInDialog)
    .flatMap(({ current }) => current.shortcuts)
    .filter(({ inInputs, isHint }) => !isHint && (inInputs || !isInInput))
    .filter(({ keys, isFor }) => (hasLetters || !isLetter(keys)) && (isFor?.(event.target) ?? true));
  const found = open.find(({ keys }) => keys === sequence) ?? open.find(({ keys }) => keys === chord);
  clearTimeout(pendingTimer);
  pending = '';
  if (found) {
    event.preventDefault();
    found.run(event);
  } else if (open.some(({ keys }) => keys.startsWith(`${sequence} `))) {
    pending = sequence;
    pendingTimer = setTimeout(() => {
      pending = '';
    }, SEQUENCE_MS);
  }
}

globalThis.document?.addEventListener('keydown', onKeyDown);
