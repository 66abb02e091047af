// The version of the protocol between the panel and the machines of nodes.

export interface ProtocolVersion {
  /** Raised where the other end would not understand; both ends name it in each path. */
  readonly major: number;
  /** Raised with what an end of the minor before does without. */
  readonly minor: number;
}

export const PROTOCOL: ProtocolVersion = { major: 1, minor: 0 };

export function writeVersion({ major, minor }: ProtocolVersion): string {
  return `${major}.${minor}`;
}

/** What the other end says of itself; null: nothing that makes sense. */
export function readVersion(text: string | undefined): ProtocolVersion | null {
  const [, major, minor] = /^(\d{1,4})\.(\d{1,4})$/.exec(text ?? '') ?? [];
  return major === undefined ? null : { major: Number(major), minor: Number(minor) };
}
