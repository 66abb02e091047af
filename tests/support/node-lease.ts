// What tests of machines share: no lease, and a seal that hides nothing.
import type { NodeLease } from '../../src/core/ports/node-lease.ts';

export const plainSeal = {
  seal: (text: string): Uint8Array => Buffer.from(text),
  open: (sealed: Uint8Array): string => Buffer.from(sealed).toString(),
};

export const noLease: NodeLease = {
  held: () => null,
  shared: () => null,
  engine: () => null,
  saveEngine: () => {},
  take: () => null,
  advance: () => {},
  unapplied: () => [],
  noteApplied: () => {},
  noteStarted: () => {},
  members: () => [],
  findLink: () => null,
  forget: () => {},
};
