// Lenient readers of providers' replies: a member may be missing, renamed or of another type. Nothing here throws.
import { parseForeignJson } from '../domain/foreign-json.ts';

/** The first of these members that the object has and that is not null; else undefined. */
export function readMember(value: unknown, ...names: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const name of names) {
    const found = Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
    if (found !== undefined && found !== null) return found;
  }
  return undefined;
}

/** Such a member as text; a number is converted. null: neither text nor a number. */
export function readText(value: unknown, ...names: readonly string[]): string | null {
  const found = readMember(value, ...names);
  if (typeof found === 'string') return found;
  return typeof found === 'number' && Number.isFinite(found) ? String(found) : null;
}

/** Such a member as a whole number from 0; text is converted. null: not such a number. */
export function readInteger(value: unknown, ...names: readonly string[]): number | null {
  const text = readText(value, ...names);
  const number = text !== null && /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(number) ? number : null;
}

/** Such a member as an exact decimal number from 0, `units` / 10^`digits`. null: not such a number. */
export function readDecimal(
  value: unknown,
  ...names: readonly string[]
): { readonly units: bigint; readonly digits: number } | null {
  const [, whole = '', part = ''] = /^(\d{1,40})(?:\.(\d{1,40}))?$/.exec(readText(value, ...names) ?? '') ?? [];
  return whole === '' ? null : { units: BigInt(whole + part), digits: part.length };
}

/** Such a member, or without names the value itself, as a list; empty if it is not a list. */
export function readList(value: unknown, ...names: readonly string[]): readonly unknown[] {
  const found = names.length === 0 ? value : readMember(value, ...names);
  return Array.isArray(found) ? found : [];
}

/** Such a member as epoch milliseconds, parsed from RFC 3339 or from seconds since 1970. null: neither. */
export function readMoment(value: unknown, ...names: readonly string[]): number | null {
  const text = readText(value, ...names);
  if (text === null) return null;
  const ms = /^\d{9,11}$/.test(text) ? Number(text) * 1000 : Date.parse(text);
  return Number.isFinite(ms) ? ms : null;
}

/** Bounds of a reply. Large replies are lists of up to 500 items. */
const BOUNDS = { bytes: 2 ** 20, values: 50_000, depth: 64 };

/** Parses JSON; undefined if it is invalid or exceeds the bounds. */
export function parseJson(text: string): unknown {
  try {
    return parseForeignJson(text, BOUNDS);
  } catch {
    return undefined;
  }
}
