// The shape of a list before its first rows are here.
import { Skeleton } from '../skeleton.tsx';
import type { ColumnLook } from './columns.ts';
import classes from './data-table.module.css';

interface SkeletonRowsProps {
  readonly count: number;
  readonly columns: readonly string[];
  readonly looks: ReadonlyMap<string, ColumnLook>;
  readonly hasCheck: boolean;
}

/** Bones of different lengths, always the same ones. */
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
