// The token that joins a node's machine to the panel: the administrator copies it from the panel into a command on that machine.

export interface JoinToken {
  /** The port on which the node listens for the panel. */
  readonly port: number;
  /** SHA-256 of the panel's public key for nodes (SPKI), lower-case hex. */
  readonly panelPin: string;
  /** 32 random bytes as lower-case hex, known only to the panel and to the owner of the token. */
  readonly secret: string;
}

/** Prefix of a token: the version of its format. */
const FORM = 'gn1';

/** Contains letters, digits and dots only, so that no shell needs quoting. */
export function writeJoinToken({ port, panelPin, secret }: JoinToken): string {
  return [FORM, port, panelPin, secret].join('.');
}

/** null: not a token, or incomplete. */
export function readJoinToken(text: string): JoinToken | null {
  const [, port, panelPin, secret] = /^gn1\.([1-9]\d{0,4})\.([0-9a-f]{64})\.([0-9a-f]{64})$/.exec(text.trim()) ?? [];
  if (panelPin === undefined || secret === undefined || Number(port) > 65_535) return null;
  return { port: Number(port), panelPin, secret };
}

const SHOWN_LETTERS = 20;

/** The fingerprint of a public key, for a person to compare at both ends: 80 of its 256 bits, in groups of four letters. */
export function formatFingerprint(pin: string): string {
  return pin.slice(0, SHOWN_LETTERS).replace(/.{4}(?=.)/g, '$& ');
}
