// Strict parsers of query strings and JSON: ambiguous input is refused.
import { isUtf8 } from 'node:buffer';
import type { FieldError, FieldErrorCode } from '../contract/errors.ts';
import { pointerTo } from '../contract/input/errors.ts';
import { PanelError } from '../core/kernel/panel-error.ts';
import type { ParseLargeJson } from '../core/ports/json.ts';
import {
  createJsonMeter,
  isLargeJson,
  type JsonExcess,
  JsonRefusal,
  parseCountedJson,
} from '../domain/foreign-json.ts';
import { parseOwnJson } from '../domain/own-json.ts';

export interface QueryReading {
  /** Decoded names and texts, in the received order. */
  readonly raw: Readonly<Record<string, string>>;
  readonly errors: readonly FieldError[];
}

const NOTHING: QueryReading = { raw: Object.create(null), errors: [] };

/** The parameters of a query without `?`. `+` is a space; a name without `=` has an empty text. */
export function readQuery(query: string): QueryReading {
  if (query === '') return NOTHING;
  const raw: Record<string, string> = Object.create(null);
  const errors: FieldError[] = [];
  const repeated = new Set<string>();
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const text = decode(equals < 0 ? '' : pair.slice(equals + 1));
    if (name === null || text === null) {
      errors.push({ parameter: shorten(name ?? ''), code: 'encoding', message: 'must be percent-encoded UTF-8' });
    } else if (name in raw) {
      repeated.add(name);
    } else {
      raw[name] = text;
    }
  }
  for (const name of repeated) {
    errors.push({ parameter: shorten(name), code: 'repeated', message: 'must be given once' });
  }
  return { raw, errors };
}

/** Shortens names from the caller for messages. */
function shorten(name: string): string {
  return name.slice(0, 100).toWellFormed();
}

const NOT_ASCII = /[^ -~]/;

function decode(text: string): string | null {
  if (NOT_ASCII.test(text)) return null;
  const plain = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!plain.includes('%')) return plain;
  try {
    return decodeURIComponent(plain);
  } catch {
    return null;
  }
}

/** Enough for 500 new users with every field. Bytes are limited as they arrive. */
const BOUNDS = { bytes: Number.POSITIVE_INFINITY, values: 50_000, depth: 32 };
const EXCESS: Readonly<Record<Exclude<JsonExcess, 'bytes'>, string>> = {
  depth: `must not be nested deeper than ${BOUNDS.depth} levels`,
  values: `must not have more than ${BOUNDS.values} values`,
};

interface Frame {
  /** Names seen in an object; null in an array. */
  readonly names: Set<string> | null;
  /** The current position, for the JSON pointer. */
  place: string | number;
  isNameNext: boolean;
}

/**
 * The value of a JSON body by the recommendations of RFC 8259; large ones are passed to `parseLarge`. Throws, or rejects with, PanelError `bad_json`
 * for invalid UTF-8 or JSON, duplicate members, lone surrogates, more than 32 levels, or too many values.
 */
export function parseBody(bytes: Uint8Array, parseLarge: ParseLargeJson): unknown {
  if (!isUtf8(bytes)) throw badJson([], 'encoding', 'must be UTF-8');
  const meter = createJsonMeter(BOUNDS);
  try {
    meter.add(bytes);
  } catch (error) {
    if (!(error instanceof JsonRefusal) || error.reason === 'syntax' || error.reason === 'bytes') throw error;
    throw badJson([], error.reason, EXCESS[error.reason]);
  }
  return isLargeJson(meter) ? parseLarge(bytes) : parseStrictJson(bytes);
}

/** The value of a counted body. Throws PanelError `bad_json`. */
export function parseStrictJson(bytes: Uint8Array): unknown {
  let value: unknown;
  try {
    value = parseCountedJson(bytes);
  } catch {
    throw badJson([], 'syntax', bytes.length === 0 ? 'a body is required' : 'must be valid JSON');
  }
  inspect(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
  return value;
}

/** Canonical text of a JSON value (RFC 8785): sorted members, numbers by value. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
}

/** Checks a text that is valid JSON. */
function inspect(text: string): void {
  const frames: Frame[] = [];
  let frame: Frame | undefined;
  for (let index = 0; index < text.length; index++) {
    const char = text.charCodeAt(index);
    if (char === 0x22) {
      const end = stringEnd(text, index);
      checkString(text.slice(index, end + 1), frame, frames);
      index = end;
    } else if (char === 0x7b || char === 0x5b) {
      const isObject = char === 0x7b;
      frame = { names: isObject ? new Set() : null, place: isObject ? '' : 0, isNameNext: isObject };
      frames.push(frame);
    } else if (char === 0x7d || char === 0x5d) {
      frames.pop();
      frame = frames.at(-1);
    } else if (char === 0x2c && frame !== undefined) {
      if (typeof frame.place === 'number') frame.place += 1;
      else frame.isNameNext = true;
    }
  }
}

/** The index of the closing quote of the string at `start`. */
function stringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === 0x5c) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
}

function checkString(quoted: string, frame: Frame | undefined, frames: readonly Frame[]): void {
  const isEscaped = quoted.includes('\\');
  const isName = frame?.isNameNext === true;
  if (!isEscaped && !isName) return;
  const value = isEscaped ? parseOwnJson<string>(quoted) : quoted.slice(1, -1);
  if (isEscaped && !value.isWellFormed()) throw badJson(frames, 'encoding', 'must not contain half a surrogate pair');
  if (frame === undefined || !isName || frame.names === null) return;
  frame.place = value;
  frame.isNameNext = false;
  if (frame.names.has(value)) throw badJson(frames, 'duplicate', 'must be given once');
  frame.names.add(value);
}

function badJson(frames: readonly Frame[], code: FieldErrorCode, message: string): PanelError {
  return new PanelError('bad_json', [{ pointer: pointerTo(frames.map(({ place }) => place)), code, message }]);
}
