// CSV tables (RFC 4180) for Excel, LibreOffice and scripts, safe to open: no cell is a formula.

export type CsvCell = string | number | boolean | null;

/** Tells Excel that the text is UTF-8. */
const BYTE_ORDER_MARK = '\ufeff';
/** Tells spreadsheets the separator, which is a semicolon in many locales. Other programs must skip this line. */
const SEPARATOR_LINE = 'sep=,\r\n';

/** The beginning of a CSV file, including the line of column names. */
export function csvHead(columns: readonly string[]): string {
  return BYTE_ORDER_MARK + SEPARATOR_LINE + csvLine(columns);
}

/** One line with its line end. */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(formatCell).join(',')}\r\n`;
}

/**
 * Characters that start a formula in spreadsheets: at the beginning of a cell, or after a character that some locales use to separate cells
 * or rows. Source: OWASP, CSV Injection.
 */
const FORMULA_START = /(^|[;\t\r\n])( *)(?=[=+\-@＝＋－＠])/g;

function formatCell(value: CsvCell): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  // A preceding apostrophe makes it plain text.
  const text = value.replace(FORMULA_START, "$1$2'");
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
