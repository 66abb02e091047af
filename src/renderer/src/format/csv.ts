// Tables of comma-separated values that Excel, LibreOffice and scripts read (RFC 4180), safe to open: no cell is a formula.

/** Marks the text as UTF-8 for Excel; comes before the first line. */
export const CSV_MARK = '\ufeff';

/** One line with its end. */
export function csvLine(cells: readonly (string | number | boolean | null)[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

function cellOf(value: string | number | boolean | null): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  // A spreadsheet would run a text that begins so; after an apostrophe it is plain text.
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
