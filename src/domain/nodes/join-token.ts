// The token by which a node's machine is joined to the panel: copied from the panel to a command there.

export interface JoinToken {
  /** Where the node listens for the panel. */
  readonly port: number;
  /** SHA-256 of the panel's public key for nodes (SPKI), lower-case hex. */
  readonly panelPin: string;
  /** 32 random bytes, lower-case hex: known to the panel and to who has the token. */
  readonly secret: string;
}

/** What a token begins with: the version of its form. */
const FORM = 'gn1';

/** Letters, digits and dots only, so that no shell changes it. */
export function writeJoinToken({ port, panelPin, secret }: JoinToken): string {
  return [FORM, port, panelPin, secret].join('.');
}

/** null: it is none, or not a whole one. */
export function readJoinToken(text: string): JoinToken | null {
  const [, port, panelPin, secret] = /^gn1\.([1-9]\d{0,4})\.([0-9a-f]{64})\.([0-9a-f]{64})$/.exec(text.trim()) ?? [];
  if (panelPin === undefined || secret === undefined || Number(port) > 65_535) return null;
  return { port: Number(port), panelPin, secret };
}

const SHOWN_LETTERS = 20;

/** The fingerprint of a public key for a person to compare at both ends: 80 of its 256 bits, in groups of four letters. */
export function formatFingerprint(pin: string): string {
  return pin.slice(0, SHOWN_LETTERS).replace(/.{4}(?=.)/g, '$& ');
}
