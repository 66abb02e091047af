// Decisions of a machine without the panel: shares of limits, ends of terms, resets, and the records of them.
import { fc } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import type { Account } from '../users/account.ts';
import {
  advanceLease,
  computeShare,
  computeSpare,
  countLeased,
  countUnread,
  findLeaseRefusal,
  type Leased,
  leaseDueAt,
  nodesCounter,
  SMALL_LIMIT,
  SPARE_BYTES,
  shareAmong,
} from './lease.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ZONE = 'UTC';
const GIB = 2 ** 30;

const buildAccount = (changes: Partial<Account> = {}): Account => ({
  enabled: true,
  expiresAt: null,
  hold: null,
  trafficLimit: null,
  usedUp: 0,
  usedDown: 0,
  totalUp: 0,
  totalDown: 0,
  resetStrategy: 'none',
  termBeganAt: NOW - DAY,
  resetsAt: null,
  grants: [],
  ...changes,
});
const buildLeased = (account: Partial<Account> = {}, changes: Partial<Leased> = {}): Leased => ({
  account: buildAccount(account),
  nodes: 2,
  shareLeft: null,
  hasConnected: true,
  isEndNoted: false,
  cutOffUntil: null,
  ...changes,
});

describe('a share', () => {
  it('is a part of what is left and a little more, never more than all', () => {
    expect(SPARE_BYTES).toBe(GIB);
    expect(computeShare(buildAccount(), 2, NOW)).toBeNull();
    const limited = buildAccount({ trafficLimit: 101 * GIB, usedUp: GIB / 2, usedDown: GIB / 2 });
    expect(computeShare(limited, 4, NOW)).toBe(26 * GIB);
    expect(computeShare(limited, 1, NOW)).toBe(100 * GIB);
    expect(computeShare(limited, 0, NOW)).toBe(100 * GIB);
    expect(computeShare(buildAccount({ trafficLimit: 2 * GIB, usedUp: GIB }), 1, NOW)).toBe(GIB);
    // Rounded up.
    expect(computeShare(buildAccount({ trafficLimit: 40 * GIB + 1 }), 2, NOW)).toBe(21 * GIB + 1);
    // Of a small limit a part of it.
    expect(computeShare(buildAccount({ trafficLimit: 30_000_000 }), 3, NOW)).toBe(11_500_000);
    expect(computeShare(buildAccount({ trafficLimit: GIB, usedDown: 2 * GIB }), 2, NOW)).toBe(0);
  });

  it('has what was granted in it', () => {
    const grant = {
      id: 1,
      bytes: 8 * GIB,
      bytesLeft: 8 * GIB,
      lifetime: 'used',
      days: null,
      endsAt: null,
      createdAt: 0,
    } as const;
    expect(computeShare(buildAccount({ trafficLimit: GIB, usedUp: GIB, grants: [grant] }), 2, NOW)).toBe(
      4 * GIB + Math.floor(GIB / 20),
    );
  });
});

/** Whole powers of ten and what lies between: 10 MB to 1 TB. */
const SIZES = [1e7, 1e8, 1e9, 1e10, 1e11, 1e12];
const NODES = 3;

/** What a user moves over three nodes until none lets them in, while the panel is away; the nodes read one after the other, in any order. */
function moveAll(limit: number, used: number, readings: readonly { node: number; bytes: number }[]) {
  const account = buildAccount({ trafficLimit: limit, usedDown: used });
  const shareLeft = computeShare(account, NODES, NOW);
  const nodes = Array.from({ length: NODES }, () => buildLeased(account, { nodes: NODES, shareLeft }));
  const largest = Array.from({ length: NODES }, () => 0);
  let moved = used;
  for (let turn = 0; nodes.some((node) => findLeaseRefusal(node, NOW) === null); turn += 1) {
    const { node, bytes } = readings[turn % readings.length] ?? { node: 0, bytes: 1 };
    const at = [0, 1, 2]
      .map((more) => (node + more) % NODES)
      .find((one) => {
        const leased = nodes[one];
        return leased !== undefined && findLeaseRefusal(leased, NOW) === null;
      });
    const before = nodes[at ?? -1];
    if (at === undefined || before === undefined) break;
    nodes[at] = countLeased(before, { up: 0, down: bytes }, NOW, ZONE).leased;
    largest[at] = Math.max(largest[at] ?? 0, bytes);
    moved += bytes;
  }
  return { overshoot: moved - limit, readings: largest.reduce((sum, one) => sum + one, 0) };
}

describe('1,000 users over three nodes while the panel is away', () => {
  it('exceed a limit by no more than 5 % of it or 1 GiB on each node, and a reading of each', () => {
    const lines: string[] = [];
    for (const size of SIZES) {
      let [worst, bound] = [0, 0];
      const user = fc.record({
        limit: fc.integer({ min: size, max: Math.min(1e12, size * 9) }),
        usedPart: fc.double({ min: 0, max: 1, noNaN: true }),
        readings: fc.array(
          fc.record({ node: fc.nat(NODES - 1), part: fc.double({ min: 0.001, max: 0.02, noNaN: true }) }),
          { minLength: 1, maxLength: 20 },
        ),
      });
      for (const { limit, usedPart, readings } of fc.sample(user, Math.ceil(1000 / SIZES.length))) {
        const all = readings.map(({ node, part }) => ({ node, bytes: Math.ceil(limit * part) }));
        const found = moveAll(limit, Math.floor(limit * usedPart), all);
        const allowed = NODES * computeSpare(limit) + NODES;
        expect(found.overshoot).toBeLessThanOrEqual(allowed + found.readings);
        if (found.overshoot - found.readings > worst - bound || worst === 0) {
          worst = found.overshoot;
          bound = allowed + found.readings;
        }
      }
      lines.push(
        `from ${size / 1e6} MB: exceeded by ${(worst / 1e6).toFixed(1)} MB of at most ${(bound / 1e6).toFixed(1)} MB`,
      );
    }
    process.stdout.write(`${lines.join('\n')}\n`);
    expect(computeSpare(30_000_000) * NODES).toBe(4_500_000);
    expect(computeSpare(SMALL_LIMIT)).toBe(SPARE_BYTES);
  });
});

describe('who may not connect', () => {
  it('is told by the state, then by the share, then by addresses', () => {
    expect(findLeaseRefusal(buildLeased(), NOW)).toBeNull();
    expect(findLeaseRefusal(buildLeased({ enabled: false }), NOW)).toBe('disabled');
    expect(findLeaseRefusal(buildLeased({ expiresAt: NOW }), NOW)).toBe('expired');
    expect(findLeaseRefusal(buildLeased({ trafficLimit: 10, usedUp: 10 }, { shareLeft: 0 }), NOW)).toBe('limited');
    expect(findLeaseRefusal(buildLeased({}, { shareLeft: 0, cutOffUntil: NOW + 1 }), NOW)).toBe('share');
    expect(findLeaseRefusal(buildLeased({}, { shareLeft: 1, cutOffUntil: NOW + 1 }), NOW)).toBe('addresses');
    expect(findLeaseRefusal(buildLeased({}, { cutOffUntil: NOW }), NOW)).toBeNull();
    expect(findLeaseRefusal(buildLeased({ hold: { months: 1, days: 0 } }), NOW)).toBeNull();
  });
});

describe('when time changes something', () => {
  it('is the next end, or that of being cut off, whichever comes first', () => {
    expect(leaseDueAt(buildLeased(), NOW)).toBeNull();
    expect(leaseDueAt(buildLeased({ expiresAt: NOW + DAY }), NOW)).toBe(NOW + DAY);
    expect(leaseDueAt(buildLeased({}, { cutOffUntil: NOW + HOUR }), NOW)).toBe(NOW + HOUR);
    expect(leaseDueAt(buildLeased({ expiresAt: NOW + DAY }, { cutOffUntil: NOW + HOUR }), NOW)).toBe(NOW + HOUR);
    expect(leaseDueAt(buildLeased({ expiresAt: NOW + HOUR }, { cutOffUntil: NOW + DAY }), NOW)).toBe(NOW + HOUR);
    expect(leaseDueAt(buildLeased({ expiresAt: NOW + DAY }, { cutOffUntil: NOW }), NOW)).toBe(NOW + DAY);
    expect(leaseDueAt(buildLeased({ expiresAt: NOW - DAY }, { isEndNoted: true }), NOW)).toBeNull();
  });
});

describe('the passing of time', () => {
  it('changes nothing before something is due', () => {
    const leased = buildLeased({ expiresAt: NOW + DAY });
    expect(advanceLease(leased, NOW, ZONE)).toEqual({ leased, happened: [] });
    expect(advanceLease(leased, NOW, ZONE).leased).toBe(leased);
  });

  it('ends a term once', () => {
    const { leased, happened } = advanceLease(buildLeased({ expiresAt: NOW + HOUR }), NOW + DAY, ZONE);
    expect(happened).toEqual([{ kind: 'expired', at: NOW + HOUR }]);
    expect(leased.isEndNoted).toBe(true);
    expect(advanceLease(leased, NOW + 2 * DAY, ZONE).happened).toEqual([]);
  });

  it('resets the counter, after which there is a whole share', () => {
    const midnight = Date.UTC(2026, 10, 21);
    const before = buildLeased(
      { resetStrategy: 'day', resetsAt: midnight, trafficLimit: 4 * GIB, usedUp: 4 * GIB },
      { shareLeft: 0 },
    );
    const { leased, happened } = advanceLease(before, midnight, ZONE);
    expect(happened).toEqual([{ kind: 'reset', at: midnight }]);
    expect(leased).toMatchObject({
      shareLeft: 2 * GIB + Math.floor((4 * GIB) / 20),
      account: { usedUp: 0, resetsAt: midnight + DAY },
    });
    // Without a reset the share is unchanged.
    const grant = {
      id: 1,
      bytes: GIB,
      bytesLeft: GIB,
      lifetime: 'days',
      days: 1,
      endsAt: NOW + HOUR,
      createdAt: 0,
    } as const;
    const granted = buildLeased({ trafficLimit: 4 * GIB, grants: [grant] }, { shareLeft: 7 });
    const after = advanceLease(granted, NOW + DAY, ZONE);
    expect(after.leased).toMatchObject({ shareLeft: 7 });
    expect(after.leased.account.grants.filter(({ bytesLeft }) => bytesLeft > 0)).toEqual([]);
    expect(after.happened).toEqual([]);
  });
});

describe('what a user moves', () => {
  it('is counted on the account and on the share', () => {
    const { leased, happened } = countLeased(
      buildLeased({ trafficLimit: 100 }, { shareLeft: 50 }),
      { up: 10, down: 20 },
      NOW,
      ZONE,
    );
    expect(leased).toMatchObject({ shareLeft: 20, account: { usedUp: 10, usedDown: 20, totalUp: 10, totalDown: 20 } });
    expect(happened).toEqual([]);
    expect(countLeased(buildLeased(), { up: 1, down: 1 }, NOW, ZONE).leased.shareLeft).toBeNull();
  });

  it('is a first connection once', () => {
    const first = countLeased(buildLeased({}, { hasConnected: false }), { up: 1, down: 0 }, NOW, ZONE);
    expect(first.happened).toEqual([{ kind: 'first', at: NOW }]);
    expect(first.leased.hasConnected).toBe(true);
    expect(countLeased(first.leased, { up: 1, down: 0 }, NOW + 1, ZONE).happened).toEqual([]);
  });

  it('begins a held term, also of who has connected before', () => {
    const held = buildLeased({ hold: { months: 0, days: 30 } }, { isEndNoted: true });
    const { leased, happened } = countLeased(held, { up: 1, down: 0 }, NOW, ZONE);
    expect(happened).toEqual([{ kind: 'first', at: NOW }]);
    expect(leased).toMatchObject({
      isEndNoted: false,
      account: { hold: null, expiresAt: NOW + 30 * DAY, termBeganAt: NOW },
    });
    // Not for users who may not connect.
    const disabled = countLeased(
      buildLeased({ enabled: false, hold: { months: 0, days: 30 } }),
      { up: 1, down: 0 },
      NOW,
      ZONE,
    );
    expect(disabled.leased.account.hold).toEqual({ months: 0, days: 30 });
    expect(disabled.happened).toEqual([]);
    const ended = countLeased(
      buildLeased({ expiresAt: NOW - DAY }, { isEndNoted: true }),
      { up: 1, down: 0 },
      NOW,
      ZONE,
    );
    expect(ended.leased.isEndNoted).toBe(true);
  });

  it('uses up the limit or the share, which is written down once', () => {
    const limit = countLeased(buildLeased({ trafficLimit: 30 }, { shareLeft: 100 }), { up: 10, down: 20 }, NOW, ZONE);
    expect(limit.happened).toEqual([{ kind: 'limited', at: NOW }]);
    expect(limit.leased.shareLeft).toBe(70);
    expect(countLeased(limit.leased, { up: 5, down: 0 }, NOW + 1, ZONE).happened).toEqual([]);
    const share = countLeased(buildLeased({ trafficLimit: 1000 }, { shareLeft: 25 }), { up: 10, down: 20 }, NOW, ZONE);
    expect(share.happened).toEqual([{ kind: 'share', at: NOW }]);
    expect(share.leased.shareLeft).toBe(0);
    expect(countLeased(share.leased, { up: 5, down: 0 }, NOW + 1, ZONE).happened).toEqual([]);
    // Who is cut off over addresses is not cut off once more by that.
    const cut = countLeased(buildLeased({}, { cutOffUntil: NOW + HOUR }), { up: 1, down: 0 }, NOW, ZONE);
    expect(cut.happened).toEqual([]);
  });

  it('comes after what has come due', () => {
    const { leased, happened } = countLeased(
      buildLeased({ expiresAt: NOW + HOUR }),
      { up: 1, down: 2 },
      NOW + DAY,
      ZONE,
    );
    expect(happened).toEqual([{ kind: 'expired', at: NOW + HOUR }]);
    expect(leased).toMatchObject({ isEndNoted: true, account: { usedUp: 1, usedDown: 2 } });
  });
});

it('counts for the limit and the share what the weight of the node makes of it, and on the totals what moved', () => {
  const before = buildLeased({ trafficLimit: 1000 }, { shareLeft: 100 });
  const { leased } = countLeased(before, { up: 10, down: 20 }, NOW, ZONE, { up: 15, down: 30 });
  expect(leased).toMatchObject({ shareLeft: 55, account: { usedUp: 15, usedDown: 30, totalUp: 10, totalDown: 20 } });
});

describe('over how many nodes a user may connect', () => {
  it('is counted by the nodes of the connections, each once, and is never none', () => {
    const places = [
      { id: 1, nodeId: 10 },
      { id: 2, nodeId: 10 },
      { id: 3, nodeId: 20 },
    ];
    const count = nodesCounter(places);
    expect([count(null), count([1, 2]), count([1, 3]), count([3])]).toEqual([2, 1, 2, 1]);
    // Connections that are gone are on no node.
    expect([count([9]), count([9, 3]), count([])]).toEqual([1, 1, 1]);
    expect([nodesCounter([])(null), nodesCounter([])([1])]).toEqual([1, 1]);
  });

  it('shares what is left once more where it changes, and leaves it where it does not', () => {
    const leased = buildLeased({ trafficLimit: 10 * GIB, usedUp: 2 * GIB }, { shareLeft: 1 });
    expect(shareAmong(leased, 2, NOW)).toBe(leased);
    expect(shareAmong(leased, 4, NOW)).toEqual({ ...leased, nodes: 4, shareLeft: 2.5 * GIB });
    expect(shareAmong(buildLeased(), 1, NOW)).toEqual(buildLeased({}, { nodes: 1 }));
  });
});

describe('what moved before the panel left its terms here', () => {
  const moved = { up: 10, down: 20 };
  const charged = { up: 1, down: 2 };

  it('is counted as any other', () => {
    const before = buildLeased({ trafficLimit: 1000 }, { shareLeft: 100, hasConnected: false });
    expect(countUnread(before, moved, NOW, ZONE, charged)).toEqual(
      countLeased(before, moved, NOW, ZONE, charged).leased,
    );
  });

  it('begins no held term, which was set later', () => {
    const hold = { months: 0, days: 30 };
    const after = countUnread(buildLeased({ hold, trafficLimit: 1000 }, { shareLeft: 100 }), moved, NOW, ZONE, charged);
    expect(after).toMatchObject({
      shareLeft: 97,
      account: { hold, expiresAt: null, usedUp: 1, usedDown: 2, totalUp: 10, totalDown: 20 },
    });
  });
});
