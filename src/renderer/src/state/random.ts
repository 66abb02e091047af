// Random identifiers in the pages.

/** That many random bytes in hex. crypto.randomUUID is missing where the page came over plain HTTP from another machine. */
export function randomHex(bytes: number): string {
  return [...crypto.getRandomValues(new Uint8Array(bytes))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
