// What mouse and keyboard do with the rows of a list, by one set of handlers for all of them.
import { type MouseEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { navigate } from '../../router/router.ts';
import { type Shortcut, useShortcuts } from '../keys.ts';
import type { RowId, Selection } from './selection.ts';

/** A key that does something with the row that has the focus. */
export interface RowKey<Row> {
  readonly keys: string;
  readonly label: string;
  run(row: Row): void;
}

interface RowControlParts<Row> {
  readonly count: number;
  rowAt(index: number): Row | undefined;
  rowId(row: Row): RowId;
  readonly hrefOf?: ((row: Row) => string) | undefined;
  readonly selection?: Selection | undefined;
  readonly rowKeys?: readonly RowKey<Row>[] | undefined;
  readonly scroller: RefObject<HTMLElement | null>;
  reveal(index: number): void;
}

/** For a page's worth of rows; exact enough for a jump. */
const ROW_PX = 40;
const ACTS = 'a, button, input, select, textarea, label, [role="button"], [data-acts]';

export function useRowControl<Row>(parts: RowControlParts<Row>) {
  const { count, rowAt, rowId, hrefOf, selection, rowKeys = [], scroller, reveal } = parts;
  const { t } = useTranslation('frame');
  const [active, setActive] = useState(-1);
  const wantsFocus = useRef(false);
  const anchor = useRef(-1);

  useEffect(() => {
    if (!wantsFocus.current) return;
    const row = scroller.current?.querySelector<HTMLElement>(`tr[data-index="${active}"]`);
    if (!row) return;
    wantsFocus.current = false;
    row.focus({ preventScroll: true });
  });

  const move = (to: number) => {
    if (count === 0) return;
    const index = Math.min(Math.max(to, 0), count - 1);
    wantsFocus.current = true;
    setActive(index);
    reveal(index);
  };
  const open = (index: number) => {
    const row = rowAt(index);
    if (row !== undefined && hrefOf) navigate(hrefOf(row));
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
    ...(hrefOf ? [{ ...list('enter', t('keys.open'), () => {}), isHint: true }] : []),
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
    ...rowKeys.map(({ keys, label, run }) =>
      list(
        keys,
        label,
        withActive((index) => {
          const row = rowAt(index);
          if (row !== undefined) run(row);
        }),
      ),
    ),
  ]);

  const indexOf = (target: EventTarget) => {
    const row = target instanceof Element ? target.closest<HTMLElement>('tr[data-index]') : null;
    return row === null ? -1 : Number(row.dataset.index);
  };

  const handlers = {
    onClick(event: MouseEvent<HTMLElement>) {
      const index = indexOf(event.target);
      if (index < 0 || !(event.target instanceof Element)) return;
      setActive(index);
      if (event.target.matches('input[data-select]')) {
        select(index, event.shiftKey);
        return;
      }
      if (event.target.closest(ACTS) || String(getSelection()) !== '') return;
      if (selection && (event.ctrlKey || event.metaKey || event.shiftKey)) select(index, event.shiftKey);
      else open(index);
    },
    onKeyDown(event: React.KeyboardEvent<HTMLElement>) {
      // Enter on the row itself; on a link or a button in it the browser does what they do.
      if (event.key !== 'Enter' || !(event.target instanceof HTMLTableRowElement)) return;
      event.preventDefault();
      open(indexOf(event.target));
    },
    onMouseDown(event: MouseEvent<HTMLElement>) {
      // Shift-click selects rows, not the text between them.
      if (event.shiftKey && selection) event.preventDefault();
    },
    onFocus(event: React.FocusEvent<HTMLElement>) {
      const index = indexOf(event.target);
      if (index >= 0 && index !== active) setActive(index);
    },
  };
  return { active, handlers };
}
