// Parses the request headers that a door reads: credentials, conditions, idempotency, media types.
import { hash } from 'node:crypto';
import { PanelError } from '../core/kernel/panel-error.ts';
import type { Call } from '../core/ports/call.ts';
import { canonicalJson } from './parse.ts';

/** By lower-case name; null: a single-value header was repeated. */
export interface RequestHeaders {
  readonly authorization?: string | null | undefined;
  readonly accept?: string | undefined;
  readonly 'accept-language'?: string | undefined;
  readonly 'content-type'?: string | undefined;
  readonly 'content-length'?: string | undefined;
  readonly 'content-encoding'?: string | undefined;
  readonly 'if-match'?: string | undefined;
  readonly 'if-none-match'?: string | undefined;
  readonly 'idempotency-key'?: string | string[] | null | undefined;
  readonly 'user-agent'?: string | undefined;
}

const SCHEME = 'bearer ';

/**
 * The API key of a request; null if missing, repeated, or of another scheme. The scheme is case-insensitive (RFC 9110 section 11.1). Keys are read
 * from this header only, never from the query or a cookie.
 */
export function readBearerKey({ authorization: header }: RequestHeaders): string | null {
  if (header === undefined || header === null || header.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return null;
  const key = header.slice(SCHEME.length).trim();
  return key === '' || key.includes(' ') ? null : key;
}

const PRINTABLE = /^[ -~]{1,255}$/;

/** The Idempotency-Key of a request; undefined without one. Throws PanelError `bad_header`. */
export function readIdempotencyKey(headers: RequestHeaders): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !PRINTABLE.test(key)) {
    throw badHeader('Idempotency-Key', 'must be 1 to 255 printable characters');
  }
  return key;
}

/**
 * Identifies a repeated request: key, scope (key id, method and path), and the fingerprint of the body's JSON value, independent of member order and
 * white space. No body equals `{}`, as for operations without input.
 */
export function buildIdempotency(
  key: string,
  keyId: number | null,
  method: string,
  path: string,
  body: unknown,
): NonNullable<Call['idempotency']> {
  return { key, scope: `${keyId} ${method} ${path}`, fingerprint: hash('sha256', canonicalJson(body ?? {}), 'hex') };
}

const MAX_IF_MATCH = 1000;
const ENTITY_TAG = /^[ \t]*(?:W\/)?"[!#-~\x80-\xff]*"[ \t]*$/;

/** The If-Match header; undefined without one. Throws PanelError `bad_header`. */
export function readIfMatch(headers: RequestHeaders): string | undefined {
  const header = headers['if-match'];
  if (header === undefined) return undefined;
  const isListed = header.trim() === '*' || header.split(',').every((tag) => ENTITY_TAG.test(tag));
  if (!isListed || header.length > MAX_IF_MATCH) throw badHeader('If-Match', 'must be * or a list of entity tags');
  return header.trim();
}

/** Whether an If-None-Match header names this entity tag, compared weakly (RFC 9110 section 13.1.2). */
export function isTagListed(header: string, tag: string): boolean {
  return header.trim() === '*' || header.split(',').some((listed) => listed.trim().replace(/^W\//, '') === tag);
}

function badHeader(parameter: string, message: string): PanelError {
  return new PanelError('bad_header', [{ parameter, code: 'format', message }]);
}

/** Maximum body size in bytes; larger bodies are refused before they are buffered. */
export const MAX_BODY_BYTES = 1_048_576;
/** The same for unauthenticated callers. */
export const MAX_PUBLIC_BODY_BYTES = 8192;

const JSON_TYPE = 'application/json';
const MERGE_PATCH_TYPE = 'application/merge-patch+json';
const MEDIA_TYPE = /^([!#$%&'*+.^_`|~\w-]+\/[!#$%&'*+.^_`|~\w-]+)[ \t]*(;.*)?$/;
const CHARSET = /;[ \t]*charset[ \t]*=[ \t]*("?)([^\s;"]*)\1[ \t]*(?=;|$)/i;

/** Checks the headers of a JSON body before it is read. An empty body needs no type. Throws PanelError `body_too_large`, `unsupported_media_type`. */
export function requireJsonHeaders(
  headers: RequestHeaders,
  isEmpty: boolean,
  isPatch: boolean,
  maxBytes = MAX_BODY_BYTES,
): void {
  const announced = headers['content-length'];
  if (announced !== undefined && Number(announced) > maxBytes) throw new PanelError('body_too_large');
  const coding = headers['content-encoding'];
  if (coding !== undefined && coding.trim().toLowerCase() !== 'identity') {
    throw new PanelError('unsupported_media_type');
  }
  const type = headers['content-type'];
  if (type === undefined ? !isEmpty : !isJson(type, isPatch)) throw new PanelError('unsupported_media_type');
}

function isJson(header: string, isPatch: boolean): boolean {
  const match = MEDIA_TYPE.exec(header.trim());
  if (match === null) return false;
  const [, type = '', parameters = ''] = match;
  const name = type.toLowerCase();
  if (name !== JSON_TYPE && !(isPatch && name === MERGE_PATCH_TYPE)) return false;
  const charset = CHARSET.exec(parameters)?.[2];
  return charset === undefined ? !/charset/i.test(parameters) : charset.toLowerCase() === 'utf-8';
}

interface Range {
  readonly type: string;
  readonly quality: number;
}

const RANGE = /^\s*([!#$%&'*+.^_`|~\w-]+\/[!#$%&'*+.^_`|~\w-]+)\s*((?:;[^;]*)*)$/;
const QUALITY = /;\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*(?:;|$)/i;

/**
 * Content negotiation (RFC 9110 section 12.5.1): the media type of the reply, from those that can be produced; null if none is acceptable. A missing
 * header accepts all; the first one wins a tie. Parameters other than `q` are not compared; invalid ranges are ignored.
 */
export function chooseType(accept: string | undefined, produces: readonly string[]): string | null {
  const [first = null] = produces;
  if (accept === undefined || accept === '*/*' || accept === first) return first;
  const ranges = accept.split(',').flatMap(readRange);
  if (ranges.length === 0) return first;
  let bestRange: Range | null = null;
  for (const type of produces) {
    const quality = computeQuality(type, ranges);
    if (quality > (bestRange?.quality ?? 0)) bestRange = { type, quality };
  }
  return bestRange?.type ?? null;
}

function readRange(text: string): readonly Range[] {
  const match = RANGE.exec(text);
  if (match === null) return [];
  const [, type = '', parameters = ''] = match;
  const quality = QUALITY.exec(parameters)?.[1];
  return [{ type: type.toLowerCase(), quality: quality === undefined ? 1 : Math.min(1, Number(quality)) }];
}

/** The most specific matching range decides. */
function computeQuality(type: string, ranges: readonly Range[]): number {
  const group = `${type.slice(0, type.indexOf('/'))}/*`;
  for (const wanted of [type, group, '*/*']) {
    const matching = ranges.filter((range) => range.type === wanted);
    if (matching.length > 0) return Math.max(...matching.map((range) => range.quality));
  }
  return 0;
}
