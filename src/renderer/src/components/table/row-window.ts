// Computes which rows of a long list are on screen, and where. Browsers limit an element to 17 to 33 million pixels: for a longer list the
// scroll range is scaled, so that the scrollbar shows the right position, while the wheel still moves pixel by pixel.

/** The largest height of a list, in px; above it one px of the scrollbar is more than one px of the list. */
export const MAX_HEIGHT = 8_000_000;
/** Rows rendered above and below the visible ones. */
const AHEAD = 8;
/** Windows begin at multiples of this, so that a small step renders no new rows. */
const STEP = 4;

export interface ListShape {
  readonly count: number;
  readonly rowHeight: number;
  /** Height of the visible part, in px. */
  readonly viewport: number;
}

export interface RowWindow {
  /** Index of the first rendered row. */
  readonly start: number;
  /** Index after the last rendered row. */
  readonly end: number;
  /** Space above the first rendered row, in px of the scroll range. */
  readonly before: number;
  /** Space below the last rendered row. */
  readonly after: number;
}

/** Height of the scroll range, in px. */
export function computeScrollHeight({ count, rowHeight }: ListShape): number {
  return Math.min(count * rowHeight, MAX_HEIGHT);
}

/** Whether one px of the scrollbar is more than one px of the list. */
export function isScaled({ count, rowHeight }: ListShape): boolean {
  return count * rowHeight > MAX_HEIGHT;
}

/** The position in the whole list, in px of the list, for a position of the scrollbar. */
export function offsetAt(scrollTop: number, shape: ListShape): number {
  const full = shape.count * shape.rowHeight - shape.viewport;
  const range = computeScrollHeight(shape) - shape.viewport;
  return range <= 0 ? 0 : (Math.min(Math.max(scrollTop, 0), range) / range) * Math.max(full, 0);
}

/** The scrollbar's position for a position in the whole list. */
export function scrollTopAt(offset: number, shape: ListShape): number {
  const full = shape.count * shape.rowHeight - shape.viewport;
  const range = computeScrollHeight(shape) - shape.viewport;
  return full <= 0 ? 0 : (Math.min(Math.max(offset, 0), full) / full) * Math.max(range, 0);
}

/** The list's new position after the scrollbar moved: a small step moves the list equally, a jump goes to the scrollbar's position. */
export function follow(offset: number, from: number, to: number, shape: ListShape): number {
  const full = Math.max(0, shape.count * shape.rowHeight - shape.viewport);
  const range = computeScrollHeight(shape) - shape.viewport;
  if (to <= 0) return 0;
  if (to >= range - 1) return full;
  if (full <= range || Math.abs(to - from) > 2 * shape.viewport) return offsetAt(to, shape);
  return Math.min(Math.max(offset + to - from, 0), full);
}

/** The rows to render at a position in the whole list, and the space around them. */
export function windowAt(offset: number, scrollTop: number, shape: ListShape): RowWindow {
  const { count, rowHeight, viewport } = shape;
  const first = Math.floor(offset / rowHeight) - AHEAD;
  const start = Math.min(Math.max(0, Math.floor(first / STEP) * STEP), Math.max(0, count - 1));
  const last = Math.ceil((offset + viewport) / rowHeight) + AHEAD;
  const end = Math.min(count, Math.ceil(last / STEP) * STEP);
  // Scrollbar and list differ by this much; it is constant while both move alike.
  const drift = offset - scrollTop;
  const before = Math.max(0, start * rowHeight - drift);
  return { start, end, before, after: Math.max(0, computeScrollHeight(shape) - before - (end - start) * rowHeight) };
}
