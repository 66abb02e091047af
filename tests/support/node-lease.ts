// What tests of machines share: no lease, and a seal that hides nothing.
import type { NodeLease } from '../../src/agent/ports/lease.ts';

export const plainSeal = {
  seal: (text: string): Uint8Array => Buffer.from(text),
  open: (sealed: Uint8Array): string => Buffer.from(sealed).toString(),
};

export const noLease: NodeLease = {
  held: () => null,
  shared: () => null,
  engine: () => null,
  saveEngine: () => {},
  acceptPart: () => null,
  advance: () => {},
  unapplied: () => [],
  markApplied: () => {},
  markStarted: () => {},
  members: () => [],
  findLink: () => null,
  forget: () => {},
};
