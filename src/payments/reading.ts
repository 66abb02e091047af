// Reads what providers answer, leniently: a member may be missing, renamed or of another type, and nothing is thrown for it.
import { parseForeignJson } from '../domain/foreign-json.ts';

/** A member of an object by the first of its names that it has; undefined where there is none. */
export function readMember(value: unknown, ...names: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const name of names) {
    const found = Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
    if (found !== undefined && found !== null) return found;
  }
  return undefined;
}

/** The same as text, also where it is a number; null where it is neither. */
export function readText(value: unknown, ...names: readonly string[]): string | null {
  const found = readMember(value, ...names);
  if (typeof found === 'string') return found;
  return typeof found === 'number' && Number.isFinite(found) ? String(found) : null;
}

/** The same as a whole number from 0, also where it is text; null where it is none. */
export function readInteger(value: unknown, ...names: readonly string[]): number | null {
  const text = readText(value, ...names);
  const number = text !== null && /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(number) ? number : null;
}

/** The same as an exact decimal number from 0, of `digits` after its point; null where it is none. */
export function readDecimal(
  value: unknown,
  ...names: readonly string[]
): { readonly units: bigint; readonly digits: number } | null {
  const [, whole = '', part = ''] = /^(\d{1,40})(?:\.(\d{1,40}))?$/.exec(readText(value, ...names) ?? '') ?? [];
  return whole === '' ? null : { units: BigInt(whole + part), digits: part.length };
}

/** The same as a list; empty where it is none. */
export function readList(value: unknown, ...names: readonly string[]): readonly unknown[] {
  const found = names.length === 0 ? value : readMember(value, ...names);
  return Array.isArray(found) ? found : [];
}

/** A moment as epoch ms, from RFC 3339 or from seconds since 1970; null where it is neither. */
export function readMoment(value: unknown, ...names: readonly string[]): number | null {
  const text = readText(value, ...names);
  if (text === null) return null;
  const ms = /^\d{9,11}$/.test(text) ? Number(text) * 1000 : Date.parse(text);
  return Number.isFinite(ms) ? ms : null;
}

/** Of a reply, whose length the client of requests bounds too. Lists come in pages of a hundred. */
const BOUNDS = { bytes: 2 ** 20, values: 50_000, depth: 64 };

/** JSON, or undefined where the text is none, or too much. */
export function parseJson(text: string): unknown {
  try {
    return parseForeignJson(text, BOUNDS);
  } catch {
    return undefined;
  }
}
