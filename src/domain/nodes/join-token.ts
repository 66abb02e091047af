// The token by which a node's machine is joined to the panel: copied from the panel into a command there.

export interface JoinToken {
  /** Where the node listens for the panel. */
  readonly port: number;
  /** SHA-256 of the certificate of the panel's authority for nodes, lower-case hex. */
  readonly authority: string;
  /** 32 random bytes, lower-case hex: known to the panel and to who has the token. */
  readonly secret: string;
}

/** What a token begins with: the version of its form. */
const FORM = 'gn1';

/** Letters, digits and dots only, so that no shell changes it. */
export function writeJoinToken({ port, authority, secret }: JoinToken): string {
  return [FORM, port, authority, secret].join('.');
}

/** null: it is none, or not a whole one. */
export function readJoinToken(text: string): JoinToken | null {
  const [, port, authority, secret] = /^gn1\.([1-9]\d{0,4})\.([0-9a-f]{64})\.([0-9a-f]{64})$/.exec(text.trim()) ?? [];
  if (authority === undefined || secret === undefined || Number(port) > 65_535) return null;
  return { port: Number(port), authority, secret };
}
