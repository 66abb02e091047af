// Version of the protocol between the panel and the machines of nodes.

export interface ProtocolVersion {
  /** Incremented by incompatible changes; it is part of every path. */
  readonly major: number;
  /** Incremented by additions that the previous minor version can ignore. */
  readonly minor: number;
}

export const PROTOCOL: ProtocolVersion = { major: 1, minor: 0 };

export function writeVersion({ major, minor }: ProtocolVersion): string {
  return `${major}.${minor}`;
}

/** Parses the version that the other end sent; null: invalid. */
export function readVersion(text: string | undefined): ProtocolVersion | null {
  const [, major, minor] = /^(\d{1,4})\.(\d{1,4})$/.exec(text ?? '') ?? [];
  return major === undefined ? null : { major: Number(major), minor: Number(minor) };
}
