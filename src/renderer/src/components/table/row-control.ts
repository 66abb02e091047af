// What mouse and keyboard do with the rows of a list, by one set of handlers for all of them.
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
  /** Its place; -1: unknown. */
  readonly openIndex: number;
  readonly selection?: Selection | undefined;
  rowName(row: Row): string;
  /** The acts on a row, by their keys and in the palette for the row that has the focus. */
  readonly rowActs?: ((row: Row) => ActRuns) | undefined;
  readonly scroller: RefObject<HTMLElement | null>;
  /** Another key is another list: a place in the former one means nothing in it. */
  readonly listKey?: string | undefined;
  reveal(index: number): void;
}

/** For a page's worth of rows; exact enough for a jump. */
const ROW_PX = 40;
/** After this much rest, in ms, the record beside the list is that of the row that has the focus. */
const FOLLOW_MS = 120;
const ACTS = 'a, button, input, select, textarea, label, [role="button"], [data-acts]';

export function useRowControl<Row>(parts: RowControlParts<Row>) {
  const { count, rowAt, rowId, buildHref, openId, openIndex, selection, rowActs, rowName, scroller, reveal } = parts;
  const { t } = useTranslation('frame');
  const [active, setActive] = useState(-1);
  /** The row that is to get the focus; -1: none. */
  const wanted = useRef(-1);
  const anchor = useRef(-1);
  const latest = useRef(active);
  latest.current = active;

  // With the row that is shown: the next key may depend on what has the focus.
  useLayoutEffect(() => {
    if (wanted.current < 0) {
      // The row that has the focus is the one that keys act on, wherever other rows have moved it.
      const index = readRowIndex(document.activeElement);
      if (index >= 0 && index !== active && scroller.current?.contains(document.activeElement)) setActive(index);
      return;
    }
    // An effect of a render before the last key would take the focus to the row of that time.
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: Another list is the reason, not what is read.
  useLayoutEffect(() => restart(), [parts.listKey]);

  // The keys go on from the record that is open, as its own keys and Back change it too.
  useLayoutEffect(() => {
    if (openIndex < 0) return;
    const hasFocus = scroller.current?.contains(document.activeElement) === true;
    if (hasFocus && sidePanel() !== null && latest.current !== openIndex) wanted.current = openIndex;
    setActive(openIndex);
  }, [openIndex, scroller]);
  const follow = useDebouncedCallback((index: number) => {
    const row = rowAt(index);
    if (row === undefined || !buildHref || index !== active) return;
    // Not while something in it is not saved: keys of the list ask no questions.
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
  // Elsewhere arrows belong to what has the focus: a group of radio buttons, a chart, a page that scrolls.
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
  // Without a focused row the first one tells which keys there are, for the list of keys; they do nothing.
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

/** One set for all rows: each event says in which it was. */
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
      // A link that was followed by a key, or by a screen reader.
      if (event.detail === 0 && event.target.closest('a') !== null) enterAt(index);
      if (event.target.closest(ACTS) || String(getSelection()) !== '') return;
      if (selection && (event.ctrlKey || event.metaKey || event.shiftKey)) select(index, event.shiftKey);
      else open(index);
    },
    onKeyDown(event: React.KeyboardEvent<HTMLElement>) {
      // After the last row that was selected comes what can be done with them, not the links of all other rows.
      const isRow = event.target instanceof HTMLElement && event.target.matches('tr, input[data-select]');
      if (event.key === 'Tab' && !event.shiftKey && isRow && hasSelection && focusSelectionBar()) {
        event.preventDefault();
        return;
      }
      // Enter on the row itself; on a link or a button in it the browser does what they do.
      if (event.key !== 'Enter' || !(event.target instanceof HTMLTableRowElement)) return;
      event.preventDefault();
      enterAt(readRowIndex(event.target));
      open(readRowIndex(event.target));
    },
    onMouseDown(event: MouseEvent<HTMLElement>) {
      // Shift-click selects rows, not the text between them.
      if (event.shiftKey && selection) event.preventDefault();
    },
    onFocus(event: React.FocusEvent<HTMLElement>) {
      const index = readRowIndex(event.target);
      if (index >= 0 && index !== active) setActive(index);
    },
  };
}

/** The place of the row that an element is in; -1: it is in none. */
function readRowIndex(target: EventTarget | null): number {
  const row = target instanceof Element ? target.closest<HTMLElement>('tr[data-index]') : null;
  return row === null ? -1 : Number(row.dataset.index);
}

/** Moves the focus into the record beside the list when it is there: who opens one by keyboard goes on in it. */
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

/** Moves the focus to the acts on the selection; false: they are not shown. */
function focusSelectionBar(): boolean {
  const button = document.querySelector<HTMLElement>(`#${SELECTION_BAR} [data-acts] button`);
  button?.focus();
  return button !== null;
}

function mapRuns(runs: ActRuns, run: () => void): ActRuns {
  return Object.fromEntries(Object.keys(runs).map((id) => [id, run]));
}
