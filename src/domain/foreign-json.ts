// Parses JSON from other programs. The length of a text says little about the cost of parsing it: many small values cost more than few long strings.
// So values are counted in one pass over the bytes before any object is built.

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;

/** Limits of a text. */
export interface JsonBounds {
  readonly bytes: number;
  /** Number of values; each array, object and member counts as one. */
  readonly values: number;
  readonly depth: number;
}

export type JsonExcess = keyof JsonBounds;

/** Its message contains nothing of the text. */
export class JsonRefusal extends Error {
  readonly reason: JsonExcess | 'syntax';
  constructor(reason: JsonExcess | 'syntax', message: string) {
    super(message);
    this.reason = reason;
  }
}

export interface JsonMeter {
  /** Adds the next bytes of the text. Throws JsonRefusal at the first excess. */
  add(bytes: Uint8Array): void;
  /** Values counted so far. */
  values(): number;
  bytes(): number;
}

/** Counts a text as it arrives, so that one above the limits is refused before it is complete. */
export function createJsonMeter(bounds: JsonBounds): JsonMeter {
  let length = 0;
  let values = 1;
  let depth = 0;
  let isText = false;
  let isEscaped = false;

  return {
    add(bytes) {
      length += bytes.length;
      if (length > bounds.bytes) throw new JsonRefusal('bytes', `more than ${bounds.bytes} bytes`);
      for (let index = 0; index < bytes.length; index++) {
        const byte = bytes[index];
        if (isText) {
          // An escaped character, also a quote, belongs to the string.
          if (isEscaped) isEscaped = false;
          else if (byte === BACKSLASH) isEscaped = true;
          else if (byte === QUOTE) isText = false;
        } else if (byte === QUOTE) {
          isText = true;
        } else if (byte === COMMA) {
          values += 1;
        } else if (byte === 0x7b || byte === 0x5b) {
          values += 1;
          depth += 1;
          if (depth > bounds.depth) throw new JsonRefusal('depth', 'nested too deeply');
        } else if (byte === 0x7d || byte === 0x5d) {
          depth -= 1;
        }
      }
      if (values > bounds.values) throw new JsonRefusal('values', `more than ${bounds.values} values`);
    },
    values: () => values,
    bytes: () => length,
  };
}

/** A text above either limit is parsed on a worker thread. */
const LARGE: Omit<JsonBounds, 'depth'> = { bytes: 262_144, values: 10_000 };

/** Whether a counted text must be parsed on a worker thread. */
export function isLargeJson(meter: JsonMeter): boolean {
  return meter.bytes() > LARGE.bytes || meter.values() > LARGE.values;
}

/** Parses a text that was counted. Throws JsonRefusal, without an excerpt, if it is not JSON. */
export function parseCountedJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
  } catch {
    throw new JsonRefusal('syntax', 'not JSON');
  }
}

/** Counts and parses a text. Throws JsonRefusal. */
export function parseForeignJson(text: string | Uint8Array, bounds: JsonBounds): unknown {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  createJsonMeter(bounds).add(bytes);
  return parseCountedJson(bytes);
}
