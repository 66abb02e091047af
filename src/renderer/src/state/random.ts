// Random identifiers in the pages.

/** Random bytes in hex. Not crypto.randomUUID, which is missing on pages over plain HTTP from another machine. */
export function randomHex(bytes: number): string {
  return [...crypto.getRandomValues(new Uint8Array(bytes))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
