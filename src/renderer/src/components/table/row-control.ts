// Mouse and keyboard control of a list's rows, by one set of handlers for all rows.
import { useDebouncedCallback } from '@mantine/hooks';
import { type MouseEvent, type RefObject, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isHeld, navigate } from '../../router/router.ts';
import type { ActRuns } from '../acts/acts.ts';
import { SELECTION_BAR, type Shortcut, useShortcuts } from '../acts/keys.ts';
import { useActs } from '../acts/use-acts.ts';
import { focusSidePanel, sidePanel } from '../side-panel.ts';
import type { RowId, Selection } from './selection.ts';

interface RowControlParts<Row> {
  readonly count: number;
  rowAt(index: number): Row | undefined;
  rowId(row: Row): RowId;
  readonly buildHref?: ((row: Row) => string) | undefined;
  /** The row whose record is open. */
  readonly openId: string | null;
  /** Its index; -1: unknown. */
  readonly openIndex: number;
  readonly selection?: Selection | undefined;
  rowName(row: Row): string;
  /** Actions on a row, by keys and in the palette for the focused row. */
  readonly rowActs?: ((row: Row) => ActRuns) | undefined;
  readonly scroller: RefObject<HTMLElement | null>;
  /** A changed key means other rows: indexes of the former ones are invalid. */
  readonly listKey?: string | undefined;
  reveal(index: number): void;
}

/** Approximate height of a row, for page up and down. */
const ROW_PX = 40;
/** After this long without a key, in ms, the side panel shows the focused row's record. */
const FOLLOW_MS = 120;
const ACTS = 'a, button, input, select, textarea, label, [role="button"], [data-acts]';

export function useRowControl<Row>(parts: RowControlParts<Row>) {
  const { count, rowAt, rowId, buildHref, openId, openIndex, selection, rowActs, rowName, scroller, reveal } = parts;
  const { t } = useTranslation('frame');
  const [active, setActive] = useState(-1);
  /** Index of the row to focus; -1: none. */
  const wanted = useRef(-1);
  const anchor = useRef(-1);
  const latest = useRef(active);
  latest.current = active;

  // A layout effect, because the next key may depend on the focus.
  useLayoutEffect(() => {
    if (wanted.current < 0) {
      // Keys act on the focused row, also after its index has changed.
      const index = readRowIndex(document.activeElement);
      if (index >= 0 && index !== active && scroller.current?.contains(document.activeElement)) setActive(index);
      return;
    }
    // Skips renders from before the last key, which would focus a former row.
    if (wanted.current !== active) return;
    const row = scroller.current?.querySelector<HTMLElement>(`tr[data-index="${active}"]`);
    if (!row) return;
    wanted.current = -1;
    row.focus({ preventScroll: true });
  });

  const restart = useEffectEvent(() => {
    wanted.current = -1;
    setActive(openIndex);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the list changes.
  useLayoutEffect(() => restart(), [parts.listKey]);

  // Keys continue from the open record, which its own keys and Back change too.
  useLayoutEffect(() => {
    if (openIndex < 0) return;
    const hasFocus = scroller.current?.contains(document.activeElement) === true;
    if (hasFocus && sidePanel() !== null && latest.current !== openIndex) wanted.current = openIndex;
    setActive(openIndex);
  }, [openIndex, scroller]);
  const follow = useDebouncedCallback((index: number) => {
    const row = rowAt(index);
    if (row === undefined || !buildHref || index !== active) return;
    // Not while the record has unsaved input: moving through the list must not ask.
    if (sidePanel() !== null && !isHeld()) navigate(buildHref(row), { replace: true });
  }, FOLLOW_MS);
  const enter = useEnterRecord(openId);

  const move = (to: number) => {
    if (count === 0) return;
    const index = Math.min(Math.max(to, 0), count - 1);
    wanted.current = index;
    setActive(index);
    reveal(index);
    if (sidePanel() !== null) follow(index);
  };
  const open = (index: number) => {
    const row = rowAt(index);
    if (row !== undefined && buildHref) navigate(buildHref(row));
  };
  const enterAt = (index: number) => {
    const row = rowAt(index);
    if (row !== undefined && buildHref) enter(String(rowId(row)));
  };
  const select = (index: number, isRange: boolean) => {
    const row = rowAt(index);
    if (row === undefined || !selection) return;
    const id = rowId(row);
    if (isRange && anchor.current >= 0) {
      const [from, to] = [Math.min(anchor.current, index), Math.max(anchor.current, index)];
      const ids: RowId[] = [];
      for (let at = from; at <= to; at++) {
        const between = rowAt(at);
        if (between !== undefined) ids.push(rowId(between));
      }
      selection.set(ids, !selection.has(id));
    } else {
      selection.toggle(id);
    }
    anchor.current = index;
  };
  const withActive = (run: (index: number) => void) => () => {
    if (active >= 0) run(active);
  };

  const list = (keys: string, label: string, run: () => void): Shortcut => ({ keys, label, group: 'list', run });
  // Arrows on other elements belong to those: radio buttons, a chart, a page that scrolls.
  const isFor = (target: EventTarget | null) =>
    target === document.body || (target instanceof Node && (scroller.current?.contains(target) ?? false));
  const arrow = (keys: string, run: () => void): Shortcut => ({ keys, label: '', group: 'list', isFor, run });
  const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 400) / ROW_PX) - 1);
  useShortcuts([
    list('j', t('keys.next'), () => move(active + 1)),
    list('k', t('keys.previous'), () => move(active - 1)),
    arrow('arrowdown', () => move(active + 1)),
    arrow('arrowup', () => move(active - 1)),
    arrow('pagedown', () => move(active + page)),
    arrow('pageup', () => move(active - page)),
    arrow('home', () => move(0)),
    arrow('end', () => move(count - 1)),
    ...(buildHref ? [{ ...list('enter', t('keys.open'), () => {}), isHint: true }] : []),
    ...(selection
      ? [
          list(
            'x',
            t('keys.select'),
            withActive((index) => select(index, false)),
          ),
          list(
            'shift+x',
            t('keys.selectMany'),
            withActive((index) => select(index, true)),
          ),
        ]
      : []),
  ]);
  const hasSelection = selection !== undefined && (selection.isAll || selection.ids.size > 0);
  useShortcuts([list('b', t('keys.bar'), focusSelectionBar)], { isOn: hasSelection });
  const focused = rowAt(active);
  // Without a focused row, the first one provides the entries of the keys dialog; their keys do nothing.
  const shown = focused ?? rowAt(0);
  const runs = (shown !== undefined && rowActs?.(shown)) || {};
  useActs(focused === undefined ? mapRuns(runs, () => {}) : runs, {
    isOn: !hasSelection,
    hasCommands: focused !== undefined,
    about: focused === undefined ? undefined : rowName(focused),
    group: 'list',
  });

  const handlers = buildHandlers({ active, setActive, select, enterAt, open, hasSelection, selection });
  return { active, handlers };
}

interface HandlerParts {
  readonly active: number;
  setActive(index: number): void;
  select(index: number, isRange: boolean): void;
  enterAt(index: number): void;
  open(index: number): void;
  readonly hasSelection: boolean;
  readonly selection: Selection | undefined;
}

/** One set for all rows: each event tells its row. */
function buildHandlers({ active, setActive, select, enterAt, open, hasSelection, selection }: HandlerParts) {
  return {
    onClick(event: MouseEvent<HTMLElement>) {
      const index = readRowIndex(event.target);
      if (index < 0 || !(event.target instanceof Element)) return;
      setActive(index);
      if (event.target.matches('input[data-select]')) {
        select(index, event.shiftKey);
        return;
      }
      // A link that was followed by a key or a screen reader: `detail` is 0.
      if (event.detail === 0 && event.target.closest('a') !== null) enterAt(index);
      if (event.target.closest(ACTS) || String(getSelection()) !== '') return;
      if (selection && (event.ctrlKey || event.metaKey || event.shiftKey)) select(index, event.shiftKey);
      else open(index);
    },
    onKeyDown(event: React.KeyboardEvent<HTMLElement>) {
      // Tab after a selected row moves to the bulk bar, not to the links of all other rows.
      const isRow = event.target instanceof HTMLElement && event.target.matches('tr, input[data-select]');
      if (event.key === 'Tab' && !event.shiftKey && isRow && hasSelection && focusSelectionBar()) {
        event.preventDefault();
        return;
      }
      // Enter on the row itself; on a link or button inside it the browser acts.
      if (event.key !== 'Enter' || !(event.target instanceof HTMLTableRowElement)) return;
      event.preventDefault();
      enterAt(readRowIndex(event.target));
      open(readRowIndex(event.target));
    },
    onMouseDown(event: MouseEvent<HTMLElement>) {
      // Shift-click selects rows, not text.
      if (event.shiftKey && selection) event.preventDefault();
    },
    onFocus(event: React.FocusEvent<HTMLElement>) {
      const index = readRowIndex(event.target);
      if (index >= 0 && index !== active) setActive(index);
    },
  };
}

/** The index of an element's row; -1: none. */
function readRowIndex(target: EventTarget | null): number {
  const row = target instanceof Element ? target.closest<HTMLElement>('tr[data-index]') : null;
  return row === null ? -1 : Number(row.dataset.index);
}

/** Moves the focus into the side panel once it is there, for a record that was opened by keyboard. */
function useEnterRecord(openId: string | null): (id: string) => void {
  const entered = useRef<string | null>(null);
  useEffect(() => {
    if (openId === null) return;
    if (openId === entered.current) focusSidePanel(sidePanel());
    entered.current = null;
  }, [openId]);
  return (id) => {
    if (id === openId) focusSidePanel(sidePanel());
    else entered.current = id;
  };
}

/** Moves the focus to the bulk bar; false: it is not shown. */
function focusSelectionBar(): boolean {
  const button = document.querySelector<HTMLElement>(`#${SELECTION_BAR} [data-acts] button`);
  button?.focus();
  return button !== null;
}

function mapRuns(runs: ActRuns, run: () => void): ActRuns {
  return Object.fromEntries(Object.keys(runs).map((id) => [id, run]));
}
