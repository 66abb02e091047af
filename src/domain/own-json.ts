// Parses JSON that this program has written itself: rows, files of its folder, verified cursors. JSON of other programs is parsed by foreign-json.ts.

/** Throws SyntaxError if the text is not JSON. */
export function parseOwnJson<T = unknown>(text: string): T {
  return JSON.parse(text) as T;
}
