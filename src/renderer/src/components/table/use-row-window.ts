// Follows the scrolling of a list and returns the range of rendered rows; renders only when that changes.
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { MAX_PRINTED, usePrinting } from '../../state/printing.ts';
import { follow, isScaled, type ListShape, type RowWindow, scrollTopAt, windowAt } from './row-window.ts';

/** After this long without scrolling, in ms, the scrollbar is set to the list's exact position. */
const REST_MS = 140;
const FIRST_VIEWPORT = 800;

export interface RowWindowControl extends RowWindow {
  /** Scrolls as little as needed to show a row. */
  reveal(index: number): void;
}

/** `scroller`: the scrolling element. `headHeight`: height of its sticky head, in px. Another `listKey` scrolls to the top. */
export function useRowWindow(
  scroller: RefObject<HTMLElement | null>,
  count: number,
  rowHeight: number,
  headHeight: number,
  listKey?: string,
): RowWindowControl {
  const isPrinting = usePrinting(({ isOn }) => isOn);
  const [viewport, setViewport] = useState(FIRST_VIEWPORT);
  const position = useRef({ offset: 0, scrollTop: 0 });
  const shape: ListShape = { count, rowHeight, viewport };
  const [shown, setShown] = useState(() => ({ ...windowAt(0, 0, shape), count }));
  const latest = useRef(shape);
  latest.current = shape;

  const update = useCallback(() => {
    const { offset, scrollTop } = position.current;
    const next = { ...windowAt(offset, scrollTop, latest.current), count: latest.current.count };
    setShown((now) => (now.count === next.count && isSame(now, next) ? now : next));
  }, []);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const measure = () => setViewport(Math.max(rowHeight, element.clientHeight - headHeight));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller, rowHeight, headHeight]);

  /** Applies a movement of the scrollbar whose event has not arrived yet. Returns whether there was one. */
  const catchUp = useCallback(() => {
    const to = scroller.current?.scrollTop ?? 0;
    const { offset, scrollTop } = position.current;
    if (Math.abs(to - scrollTop) < 1) return false;
    position.current = { offset: follow(offset, scrollTop, to, latest.current), scrollTop: to };
    return true;
  }, [scroller]);

  useLayoutEffect(() => {
    catchUp();
    const { offset, scrollTop } = position.current;
    position.current = { scrollTop, offset: Math.min(offset, Math.max(0, count * rowHeight - viewport)) };
    update();
  }, [count, rowHeight, viewport, catchUp, update]);

  const lastKey = useRef(listKey);
  useLayoutEffect(() => {
    if (lastKey.current === listKey) return;
    lastKey.current = listKey;
    position.current = { offset: 0, scrollTop: 0 };
    if (scroller.current) scroller.current.scrollTop = 0;
    update();
  }, [scroller, listKey, update]);

  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const settle = () => {
      // On a busy machine the list may have been scrolled again before this event: that movement must not be undone.
      if (catchUp()) {
        update();
        timer = setTimeout(settle, REST_MS);
        return;
      }
      const top = scrollTopAt(position.current.offset, latest.current);
      if (Math.abs(top - element.scrollTop) < 1) return;
      element.scrollTop = top;
      position.current.scrollTop = element.scrollTop;
      // In the same frame as the scrollbar, so that no offset between them is visible.
      flushSync(update);
    };
    const onScroll = () => {
      if (!catchUp()) return;
      update();
      clearTimeout(timer);
      timer = setTimeout(settle, REST_MS);
    };
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      element.removeEventListener('scroll', onScroll);
      clearTimeout(timer);
    };
  }, [scroller, catchUp, update]);

  const reveal = useCallback(
    (index: number) => {
      const element = scroller.current;
      if (element === null) return;
      const { rowHeight: height, viewport: seen } = latest.current;
      const { offset } = position.current;
      const top = index * height;
      const target = top < offset ? top : top + height > offset + seen ? top + height - seen : offset;
      if (target === offset) return;
      const scrollTop = scrollTopAt(target, latest.current);
      position.current = { offset: target, scrollTop };
      element.scrollTop = scrollTop;
      position.current.scrollTop = element.scrollTop;
      if (!isScaled(latest.current)) position.current.offset = element.scrollTop;
      update();
    },
    [scroller, update],
  );

  if (isPrinting) return { start: 0, end: Math.min(MAX_PRINTED, count), before: 0, after: 0, reveal };
  // A list that has grown is updated at once: a row that leaves the window for a moment would lose the focus.
  const { offset, scrollTop } = position.current;
  return { ...(shown.count === count ? shown : windowAt(offset, scrollTop, shape)), reveal };
}

function isSame(a: RowWindow, b: RowWindow): boolean {
  return a.start === b.start && a.end === b.end && Math.abs(a.before - b.before) < 1 && Math.abs(a.after - b.after) < 1;
}
