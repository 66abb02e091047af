// One row, memoized: it renders only when its record, columns or marks change, since a list renders on every scroll.
import { FlexRender, type Row as TableRowModel } from '@tanstack/react-table';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { Skeleton } from '../skeleton.tsx';
import type { ColumnLook, Features } from './columns.ts';
import classes from './data-table.module.css';

interface TableRowProps<Row extends object> {
  readonly row: TableRowModel<Features, Row>;
  readonly index: number;
  /** The ids of the shown columns; a change renders the row again. */
  readonly shape: string;
  readonly looks: ReadonlyMap<string, ColumnLook>;
  readonly name: string;
  readonly isOpen: boolean;
  readonly isActive: boolean;
  readonly canOpen: boolean;
  /** null: rows cannot be selected. */
  readonly isSelected: boolean | null;
}

function Row<Row extends object>(props: TableRowProps<Row>) {
  const { row, index, looks, name, isOpen, isActive, canOpen, isSelected } = props;
  const { t } = useTranslation('frame');
  return (
    <tr
      className={classes.row}
      data-index={index}
      data-open={isOpen || undefined}
      data-selected={isSelected || undefined}
      data-opens={canOpen || undefined}
      aria-rowindex={index + 2}
      aria-selected={isSelected ?? undefined}
      tabIndex={isActive ? 0 : -1}
    >
      {isSelected !== null && (
        <td className={classes.check}>
          <input
            type="checkbox"
            data-select
            checked={isSelected}
            readOnly
            tabIndex={-1}
            aria-label={t('table.select', { name })}
          />
        </td>
      )}
      {row.getVisibleCells().map((cell) => {
        const look = looks.get(cell.column.id);
        return (
          <td key={cell.id} className={classes.cell} data-align={look?.align} data-below={look?.hideBelow}>
            <FlexRender cell={cell} />
          </td>
        );
      })}
    </tr>
  );
}

export const TableRow = memo(Row, (before, after) => {
  return (
    before.row.original === after.row.original &&
    before.index === after.index &&
    before.shape === after.shape &&
    before.looks === after.looks &&
    before.isOpen === after.isOpen &&
    before.isActive === after.isActive &&
    before.isSelected === after.isSelected
  );
}) as typeof Row;

interface WaitingRowProps {
  readonly index: number;
  readonly columns: readonly string[];
  readonly hasCheck: boolean;
}

/** The placeholder of a row that is being loaded. */
export const WaitingRow = memo(({ index, columns, hasCheck }: WaitingRowProps) => (
  <tr className={classes.row} aria-rowindex={index + 2} data-waiting>
    <td className={classes.cell} colSpan={columns.length + (hasCheck ? 1 : 0)}>
      <span className={classes.waiting} />
    </td>
  </tr>
));

// The placeholder of a list before its first rows are loaded.

interface SkeletonRowsProps {
  readonly count: number;
  readonly columns: readonly string[];
  readonly looks: ReadonlyMap<string, ColumnLook>;
  readonly hasCheck: boolean;
}

/** Skeletons of different, fixed lengths. */
const LENGTHS = [72, 54, 63, 80, 48, 68];

export function SkeletonRows({ count, columns, looks, hasCheck }: SkeletonRowsProps) {
  return Array.from({ length: count }, (_, row) => row).map((row) => (
    <tr key={row} className={classes.row} aria-hidden>
      {hasCheck && <td className={classes.check} />}
      {columns.map((id, column) => {
        const look = looks.get(id);
        return (
          <td key={id} className={classes.cell} data-align={look?.align} data-below={look?.hideBelow}>
            <Skeleton width={`${LENGTHS[(row + column * 2) % LENGTHS.length]}%`} />
          </td>
        );
      })}
    </tr>
  ));
}
