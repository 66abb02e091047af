// The table of figures, as Markdown that is also read well in a terminal.
import { isReached, type Measured } from './figure.ts';

export interface Row extends Measured {
  /** It fell short in a first run and was measured again; this is the second. */
  readonly isRepeated: boolean;
}

const HEAD = ['figure', 'reach', 'measured', 'rounds', 'from', ''];

function number(value: number): string {
  if (value >= 100) return value.toFixed(0);
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

function formatCells(row: Row): string[] {
  const { title, reach, value, range, unit, detail, isRatio, isRepeated } = row;
  const behind = unit === undefined ? '' : ` ${unit}`;
  const verdict = isReached(row) ? 'yes' : isRatio ? 'NO' : 'no';
  return [
    title,
    'least' in reach ? `>= ${reach.least}${behind}` : `<= ${reach.most}${behind}`,
    `${number(value)}${behind}`,
    range === undefined ? '' : `${number(range[0])} to ${number(range[1])}`,
    detail,
    isRepeated ? `${verdict} (2nd run)` : verdict,
  ];
}

/** A row on a line of its own. */
export function formatLine(row: Row): string {
  return formatCells(row)
    .filter((cell) => cell !== '')
    .join(' | ');
}

export function formatTable(rows: readonly Row[]): string {
  const lines = [HEAD, ...rows.map(formatCells)];
  const widths = HEAD.map((_, column) => Math.max(3, ...lines.map((cells) => cells[column]?.length ?? 0)));
  const line = (cells: readonly string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  const [head = [], ...rest] = lines;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rest.map(line)].join('\n');
}
