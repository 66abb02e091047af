// A node whose counters were last read long ago is not up, whatever was noted then.
import { describe, expect, it } from 'vitest';
import { nodeStatusAt, UNSEEN_MS } from './node-status.ts';

const NOW = Date.UTC(2026, 10, 20);

describe('nodeStatusAt', () => {
  it.each([
    ['up', NOW, 'up'],
    ['up', NOW - UNSEEN_MS, 'up'],
    ['up', NOW - UNSEEN_MS - 1, 'unknown'],
    ['up', NOW - 46 * 60_000, 'unknown'],
    // It has started, and was not read yet.
    ['up', null, 'up'],
    // Of the panel's clock, which was set back.
    ['up', NOW + 3_600_000, 'up'],
    ['down', NOW - 46 * 60_000, 'down'],
    ['unknown', NOW, 'unknown'],
  ] as const)('%s, read at %s: %s', (status, lastSeenAt, expected) => {
    expect(nodeStatusAt({ status, lastSeenAt }, NOW)).toBe(expected);
  });
});
