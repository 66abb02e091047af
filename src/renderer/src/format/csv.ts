// Tables of comma-separated values that Excel, LibreOffice and scripts read (RFC 4180), safe to open: no cell is a formula.

export type CsvCell = string | number | boolean | null;

/** Tells Excel that the text is UTF-8. */
const BYTE_ORDER_MARK = '\ufeff';
/** Tells spreadsheets the separator, which is a semicolon in many locales. Readers other than spreadsheets skip this line. */
const SEPARATOR_LINE = 'sep=,\r\n';

/** The beginning of every CSV file, up to and with the names of its columns. */
export function csvHead(columns: readonly string[]): string {
  return BYTE_ORDER_MARK + SEPARATOR_LINE + csvLine(columns);
}

/** One line with its end. */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(formatCell).join(',')}\r\n`;
}

/**
 * What a spreadsheet takes for the beginning of a formula: these characters at the beginning of a cell, which is also behind each character that
 * may separate cells or rows where the separator is not a comma. Source: OWASP, CSV Injection.
 */
const FORMULA_START = /(^|[;\t\r\n])( *)(?=[=+\-@＝＋－＠])/g;

function formatCell(value: CsvCell): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  // Behind an apostrophe it is plain text.
  const text = value.replace(FORMULA_START, "$1$2'");
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
