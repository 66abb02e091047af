// Reads JSON that this program has written itself: rows, files of its folder, cursors that were checked. What others wrote is read by foreign-json.ts.

/** Throws SyntaxError where the text is not JSON. */
export function parseOwnJson<T = unknown>(text: string): T {
  return JSON.parse(text) as T;
}
