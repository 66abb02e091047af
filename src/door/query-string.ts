// Reads the query strictly: what is encoded wrongly or given twice is refused, never guessed.
import type { FieldError } from '../contract/errors.ts';

export interface QueryReading {
  /** Names and texts as decoded, in the order in which they came. */
  readonly raw: Readonly<Record<string, string>>;
  readonly errors: readonly FieldError[];
}

const NOTHING: QueryReading = { raw: Object.create(null), errors: [] };

/** The parameters of a query without its `?`. `+` is a space; a name without `=` has an empty text. */
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

/** Names come from the caller: no more of them than anybody can read. */
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
