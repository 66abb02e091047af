// Values of foreign databases and files, which may have any type: read as what is expected, or as nothing.

export type Json = Readonly<Record<string, unknown>>;

export function toObject(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export function toArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The text of a string or number; else empty. */
export function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : '';
}

/** A whole number, exact up to 2^53 and at the bound beyond it; 0 for anything else. */
export function toInteger(value: unknown): number {
  const number = Number(toText(value));
  if (!Number.isFinite(number)) return 0;
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(-Number.MAX_SAFE_INTEGER, Math.trunc(number)));
}

/** As `toInteger`, and never negative: an amount of bytes. */
export function toBytes(value: unknown): number {
  return Math.max(0, toInteger(value));
}

/** What a table has for a name of a foreign file; names as `constructor` are none. */
export function findNamed<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** SQLite stores 0 and 1, JSON true and false. */
export function isOn(value: unknown): boolean {
  return value === true || toInteger(value) !== 0;
}

/** A text that the contract takes: without control characters, and of at most so many characters. */
export function cleanText(text: string, max: number, isMultiline = false): string {
  const clean = text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(isMultiline ? /[^\P{Cc}\n\t]/gu : /\p{Cc}/gu, ' ');
  if (clean.length <= max) return clean;
  let count = 0;
  let end = 0;
  for (const character of clean) {
    if (count === max) return clean.slice(0, end);
    count += 1;
    end += character.length;
  }
  return clean;
}

/** An instant of epoch milliseconds, as the document has it; null beyond what a date can be. */
export function toInstant(ms: number): string | null {
  return Number.isFinite(ms) && ms >= 0 && ms <= 253_402_300_799_999 ? new Date(ms).toISOString() : null;
}

/** A time of a database without a zone, which is UTC; null: none, or before 1970. */
export function parseUtc(value: unknown): number | null {
  const text = toText(value);
  if (!/^\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d:\d\d(?:\.\d+)?)?$/.test(text)) return null;
  const at = Date.parse(text.length === 10 ? text : `${text.replace(' ', 'T').slice(0, 23)}Z`);
  return Number.isNaN(at) || at < 0 ? null : at;
}

/** Of RFC 3339; null: none, or before 1970. */
export function parseInstant(value: unknown): number | null {
  const at = Date.parse(toText(value));
  return Number.isNaN(at) || at < 0 ? null : at;
}

const UUID = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i;

/** The UUID with its dashes in lower case; null: the text is none. */
export function toUuid(text: string): string | null {
  if (!UUID.test(text)) return null;
  const digits = text.replaceAll('-', '').toLowerCase();
  return [0, 8, 12, 16, 20].map((start, index) => digits.slice(start, [8, 12, 16, 20, 32][index])).join('-');
}
