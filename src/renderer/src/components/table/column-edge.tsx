// The edge of a column's head: dragged, or moved by the arrow keys, it changes the column's width.
import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './data-table.module.css';

interface ColumnEdgeProps {
  readonly label: string;
  /** px; null: as wide as the list gives it. */
  readonly onResize: (width: number | null) => void;
}

export const NARROWEST = 64;
export const WIDEST = 640;
const KEY_STEP = 16;

export function ColumnEdge({ label, onResize }: ColumnEdgeProps) {
  const { t } = useTranslation('frame');
  const start = useRef<{ readonly x: number; readonly width: number } | null>(null);
  const widthOf = (element: Element) => element.closest('th')?.getBoundingClientRect().width ?? 0;
  const resize = (width: number) => onResize(Math.round(Math.min(Math.max(width, NARROWEST), WIDEST)));
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    start.current = { x: event.clientX, width: widthOf(event.currentTarget) };
  };
  const onPointerMove = ({ clientX }: PointerEvent<HTMLElement>) => {
    if (start.current) resize(start.current.width + clientX - start.current.x);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const step = { ArrowLeft: -KEY_STEP, ArrowRight: KEY_STEP }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    resize(widthOf(event.currentTarget) + step);
  };
  return (
    <button
      type="button"
      className={classes.edge}
      aria-label={t('table.resize', { column: label })}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={() => {
        start.current = null;
      }}
      onKeyDown={onKeyDown}
      onDoubleClick={() => onResize(null)}
    />
  );
}
