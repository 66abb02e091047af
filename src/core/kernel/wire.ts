// Conversions between stored and API values.
import { PanelError } from './panel-error.ts';

const DAY_MS = 86_400_000;
const TWO = Array.from({ length: 60 }, (_, value) => String(value).padStart(2, '0'));
const THREE = Array.from({ length: 1000 }, (_, value) => String(value).padStart(3, '0'));
/** Cached date prefixes, enough for a page of records. */
const DAYS = new Map<number, string>();
const MAX_DAYS = 4096;

function dayPrefix(day: number): string {
  const known = DAYS.get(day);
  if (known !== undefined) return known;
  if (DAYS.size >= MAX_DAYS) DAYS.clear();
  const prefix = new Date(day * DAY_MS).toISOString().slice(0, -13);
  DAYS.set(day, prefix);
  return prefix;
}

/** Epoch ms as RFC 3339 in UTC. Five times faster than Date for lists, which consist mostly of times. */
export function toInstant(ms: number): string {
  const day = Math.floor(ms / DAY_MS);
  const rest = ms - day * DAY_MS;
  const second = Math.floor(rest / 1000);
  const minute = Math.floor(second / 60);
  const hour = Math.floor(minute / 60);
  const time = `${TWO[hour]}:${TWO[minute - hour * 60]}:${TWO[second - minute * 60]}.${THREE[rest - second * 1000]}Z`;
  return dayPrefix(day) + time;
}

export function toInstantOrNull(ms: number | null): string | null {
  return ms === null ? null : toInstant(ms);
}

/** RFC 3339 as epoch ms; the contract has validated the format. */
export function fromInstant(instant: string): number {
  return Date.parse(instant);
}

export function fromInstantOrUndefined(instant: string | undefined): number | undefined {
  return instant === undefined ? undefined : Date.parse(instant);
}

/** The column that each member of a merge patch sets; a new member is a type error until it has a column of its type. */
export type PatchColumns<Patch, Row> = {
  readonly [Member in keyof Patch]-?: {
    [Column in keyof Row]: Exclude<Patch[Member], undefined> extends Row[Column] ? Column : never;
  }[keyof Row];
};

/** Returns a function that maps a merge patch (RFC 7396) to columns; omitted members are absent. */
export function patchReader<Patch extends object, Row>(columns: PatchColumns<Patch, Row>) {
  return (patch: Patch): Partial<Row> => {
    const set: Partial<Row> = {};
    for (const member of Object.keys(columns) as (keyof Patch)[]) {
      const value = patch[member];
      if (value !== undefined) Object.assign(set, { [columns[member]]: value });
    }
    return set;
  };
}

/** Applies a JSON merge patch (RFC 7396): objects are merged, null removes a member. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name];
    else merged[name] = mergePatch(merged[name], value);
  }
  return merged;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether two values are equal as JSON. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  return typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b);
}

const BASE64URL: Record<string, string> = { '+': '-', '/': '_', '=': '' };

/** Sorted names of the members that differ between two records, without `updated_at`. */
export function changedMembers(before: object, after: object): readonly string[] {
  const values = new Map(Object.entries(before));
  const changed = Object.entries(after).filter(([name, value]) => !isSameJson(value, values.get(name)));
  return changed
    .map(([name]) => name)
    .filter((name) => name !== 'updated_at')
    .sort();
}

/** Text as base64url without padding. */
export function toBase64Url(text: string): string {
  return tokenOf(new TextEncoder().encode(text));
}

/** Decodes base64url; null if it is invalid or not UTF-8. */
export function fromBase64Url(encoded: string): string | null {
  if (!/^[A-Za-z0-9_-]*$/.test(encoded)) return null;
  try {
    const binary = atob(encoded.replace(/-/g, '+').replace(/_/g, '/'));
    const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Bytes as base64. */
export function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** Bytes as lower-case hexadecimal. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Bytes as base64url without padding: tokens of links and sessions. */
export function tokenOf(bytes: Uint8Array): string {
  return toBase64(bytes).replace(/[+/=]/g, (char) => BASE64URL[char] ?? '');
}

/** A strong entity tag (RFC 9110 section 8.8.3). */
export function etagOf(record: { readonly id: number; readonly version: number }): string {
  return `"${record.id}-${record.version}"`;
}

/** Throws `precondition_failed` if there is an If-Match header that does not match. */
export function requireMatch(ifMatch: string | undefined, etag: string): void {
  if (ifMatch === undefined) return;
  const tags = ifMatch.split(',').map((tag) => tag.trim());
  if (!tags.includes('*') && !tags.includes(etag)) throw new PanelError('precondition_failed');
}
