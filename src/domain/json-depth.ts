// How deeply a JSON text is nested, before anything is built from it: what is nested deeply costs the parser far more than its length.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Whether some value in a JSON text, as UTF-8, is nested deeper than so many levels. */
export function isNestedDeeper(bytes: Uint8Array, levels: number): boolean {
  let depth = 0;
  let isText = false;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index];
    if (isText) {
      // What is escaped is part of the text.
      if (byte === BACKSLASH) index += 1;
      else if (byte === QUOTE) isText = false;
    } else if (byte === QUOTE) {
      isText = true;
    } else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      if (depth > levels) return true;
    } else if (byte === 0x7d || byte === 0x5d) {
      depth -= 1;
    }
  }
  return false;
}
