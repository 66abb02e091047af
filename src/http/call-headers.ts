// The request headers that the core hears of: Idempotency-Key and If-Match, judged by their form.
import { hash } from 'node:crypto';
import type { Call } from '../core/call.ts';
import { PanelError } from '../core/panel-error.ts';
import { countHeaders } from './authenticate.ts';
import type { Exchange } from './exchange.ts';

const PRINTABLE = /^[ -~]{1,255}$/;
const MAX_IF_MATCH = 1000;
const ENTITY_TAG = /^[ \t]*(?:W\/)?"[!#-~\x80-\xff]*"[ \t]*$/;

/** The Idempotency-Key of a request; undefined without one. Throws PanelError `bad_header`. */
export function idempotencyKey({ request }: Exchange): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !PRINTABLE.test(key) || countHeaders(request, 'idempotency-key') !== 1) {
    throw badHeader('Idempotency-Key', 'must be 1 to 255 printable characters');
  }
  return key;
}

/** The If-Match header; undefined without one. Throws PanelError `bad_header`. */
export function ifMatch({ request }: Exchange): string | undefined {
  const header = request.headers['if-match'];
  if (header === undefined) return undefined;
  const isListed = header.trim() === '*' || header.split(',').every((tag) => ENTITY_TAG.test(tag));
  if (!isListed || header.length > MAX_IF_MATCH) throw badHeader('If-Match', 'must be * or a list of entity tags');
  return header.trim();
}

/** What makes a repetition recognisable: for whom, what and where, and with which body. */
export function idempotencyOf(
  key: string,
  keyId: number | null,
  method: string,
  path: string,
  body: Uint8Array,
): NonNullable<Call['idempotency']> {
  return { key, scope: `${keyId} ${method} ${path}`, fingerprint: hash('sha256', body, 'hex') };
}

function badHeader(parameter: string, message: string): PanelError {
  return new PanelError('bad_header', [{ parameter, code: 'format', message }]);
}
