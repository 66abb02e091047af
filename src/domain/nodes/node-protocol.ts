// The protocol between the panel and the machines of nodes: its version, and for what a machine of an earlier one has to be updated.
import type { NodeUpdate } from '../../contract/nodes/nodes.ts';

export interface ProtocolVersion {
  /** Raised where the other end would not understand; both ends name it in each path. */
  readonly major: number;
  /** Raised with what an end of the minor before does without. */
  readonly minor: number;
}

export const PROTOCOL: ProtocolVersion = { major: 1, minor: 5 };
/** It does not say its version. */
const FIRST: ProtocolVersion = { major: 1, minor: 0 };
/** What came with which minor. */
const SINCE: Readonly<Record<NodeUpdate, number>> = {
  ledger: 1,
  lease: 2,
  wireguard: 3,
  difference: 4,
  weight: 4,
  certificate: 5,
  engine: 5,
};

export function writeVersion({ major, minor }: ProtocolVersion): string {
  return `${major}.${minor}`;
}

/** What the other end says of itself; null: nothing that makes sense. */
export function readVersion(text: string | undefined): ProtocolVersion | null {
  if (text === undefined) return FIRST;
  const [, major, minor] = /^(\d{1,4})\.(\d{1,4})$/.exec(text) ?? [];
  return major === undefined ? null : { major: Number(major), minor: Number(minor) };
}

/** Empty: nothing, or that is not known. */
export function updatesFor(version: string | null): readonly NodeUpdate[] {
  const read = version === null ? null : readVersion(version);
  if (read === null || read.major !== PROTOCOL.major) return [];
  return (Object.keys(SINCE) as NodeUpdate[]).filter((update) => SINCE[update] > read.minor);
}
