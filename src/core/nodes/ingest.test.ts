// Engines' counters are counted once, whatever is interrupted.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTestClock } from '../../../tests/support/clock.ts';
import { coreParts, dying } from '../../../tests/support/core.ts';
import { countTraffic } from '../../../tests/support/count-traffic.ts';
import { times } from '../../../tests/support/long.ts';
import { sampleInbound } from '../../../tests/support/subscription-samples.ts';
import { sampleNode, sampleUser, storeAccount, type TempStore, tempStore } from '../../../tests/support/temp-store.ts';
import { applyWeightSince } from '../../domain/nodes/weight.ts';
import type { Account } from '../../domain/users/account.ts';
import { createHeavyEnv } from '../create-core.ts';
import { createTransaction } from '../kernel/transaction.ts';
import type { EngineCounters } from '../ports/engines.ts';
import type { UpDown } from '../ports/traffic.ts';

import { ingest } from './ingest.ts';

const START = Date.UTC(2026, 10, 20, 12);
const USERS = 12;
/** The node's weight, in hundredths. */
const WEIGHT = 150;
const TAGS = ['in-1', 'in-2'];

function addNode({ store }: TempStore, weight = 100): number {
  const nodeId = store.nodes.insert(sampleNode({ weight }));
  TAGS.forEach((tag, index) => {
    const { id: _, ...inbound } = sampleInbound({ nodeId, tag, port: 1000 + index });
    store.inbounds.insert(inbound);
  });
  return nodeId;
}

/** An engine's counters, by user and connection. */
interface Engine {
  boot: string;
  readonly users: Map<number, UpDown>;
  readonly inbounds: Map<string, UpDown>;
}

function add<Key>(sums: Map<Key, UpDown>, key: Key, { up, down }: UpDown): void {
  const sum = sums.get(key) ?? { up: 0, down: 0 };
  sums.set(key, { up: sum.up + up, down: sum.down + down });
}

function snapshot({ boot, users, inbounds }: Engine): EngineCounters {
  return { boot, users: new Map(users), inbounds: new Map(inbounds) };
}

type Step =
  | { readonly type: 'move'; readonly user: number; readonly tag: number; readonly moved: UpDown }
  | { readonly type: 'poll' | 'restart' | 'takeOver' | 'remove'; readonly user: number }
  | { readonly type: 'kill'; readonly writes: number };

const bytes = fc.record({ up: fc.nat(5000), down: fc.nat(50_000) });
const user = fc.integer({ min: 1, max: USERS + 3 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant('move' as const), user, tag: fc.nat(1), moved: bytes }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('poll' as const), user }) },
  { weight: 5, arbitrary: fc.record({ type: fc.constant('kill' as const), writes: fc.nat(4) }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constantFrom('restart' as const, 'takeOver' as const, 'remove' as const), user }),
  },
);

describe('the ledger equals the truth', () => {
  it('after any polls, kills between two transactions, starts of the engine and deleted users', async () => {
    let kills = 0;
    const check = async (steps: readonly Step[]) => {
      using temp = tempStore();
      const { store } = temp;
      const clock = createTestClock(START);
      const env = createHeavyEnv(coreParts(temp, { clock }));
      const nodeId = addNode(temp);
      for (let count = 0; count < USERS; count += 1) {
        store.users.insert(
          sampleUser({ trafficLimit: count % 3 === 0 ? 40_000 : null, onlineAt: count % 2 === 0 ? 1 : null }),
        );
      }
      const gone = new Set<number>();
      const truth = { users: new Map<number, UpDown>(), inbounds: new Map<string, UpDown>() };
      const engine: Engine = { boot: 'boot-0', users: new Map(), inbounds: new Map() };
      let boots = 0;
      const boot = () => {
        boots += 1;
        engine.boot = `boot-${boots}`;
        engine.users.clear();
        engine.inbounds.clear();
      };
      const begin = () => store.sync.begin(nodeId, { boot: engine.boot, position: 0, cautiousUntil: 0 });
      begin();
      for (const one of steps) {
        clock.advance(1_800_000);
        if (one.type === 'move') {
          const tag = TAGS[one.tag] ?? '';
          for (const sums of [engine, truth]) {
            add(sums.users, one.user, one.moved);
            add(sums.inbounds, tag, one.moved);
          }
        } else if (one.type === 'poll') {
          await ingest(env, nodeId, snapshot(engine), null, 3);
        } else if (one.type === 'kill') {
          await ingest(dying(env, one.writes), nodeId, snapshot(engine), null, 3).catch((error: unknown) => {
            expect(String(error)).toContain('killed');
            kills += 1;
          });
        } else if (one.type === 'remove') {
          await ingest(env, nodeId, snapshot(engine), null, 3);
          if (one.user <= USERS) gone.add(one.user);
          store.users.remove(one.user);
        } else {
          await ingest(env, nodeId, snapshot(engine), null, 3);
          boot();
          // A start that the panel recorded, or one that it only finds.
          if (one.type === 'restart') begin();
        }
      }
      await ingest(env, nodeId, snapshot(engine), null, 3);
      const total = { up: 0, down: 0 };
      for (const { up, down } of truth.users.values()) {
        total.up += up;
        total.down += down;
      }
      expect(store.traffic.total()).toEqual(total);
      expect(store.traffic.sumDays('2026-01-01', '2030-01-01')).toEqual(total);
      for (const { inboundId, up, down } of store.traffic.inboundTotals()) {
        expect({ up, down }).toEqual(truth.inbounds.get(TAGS[inboundId - 1] ?? '') ?? { up: 0, down: 0 });
      }
      for (let id = 1; id <= USERS; id += 1) {
        if (gone.has(id)) continue;
        const [row, moved] = [store.users.get(id), truth.users.get(id) ?? { up: 0, down: 0 }];
        expect([row?.totalUp, row?.totalDown]).toEqual([moved.up, moved.down]);
        const hours = store.traffic.userHours(id, 0);
        expect(hours.reduce((sum, { down }) => sum + down, 0)).toBe(moved.down);
        const limited = row?.trafficLimit !== null && moved.up + moved.down >= 40_000;
        expect(row?.state).toBe(limited ? 'limited' : 'active');
        if (moved.up + moved.down > 0) expect(row?.onlineAt).toBeGreaterThan(START);
      }
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), check), {
      numRuns: times(25, 50),
    });
    expect(kills).toBeGreaterThan(5);
  });

  it('counts nothing from an engine of other data, nor from one that no panel started', async () => {
    using temp = tempStore();
    const env = createHeavyEnv(coreParts(temp));
    const nodeId = addNode(temp);
    const id = temp.store.users.insert(sampleUser());
    const users = new Map([[id, { up: 1, down: 2 }]]);
    await ingest(env, nodeId, { boot: 'other', users, inbounds: new Map() }, null);
    temp.store.sync.begin(nodeId, { boot: 'own', position: 0, cautiousUntil: 0 });
    await ingest(env, nodeId, { boot: null, users, inbounds: new Map() }, null);
    expect(temp.store.traffic.total()).toEqual({ up: 0, down: 0 });
    expect(temp.store.sync.get(nodeId).boot).toBe('own');
  });
});

describe('many users in one statement', () => {
  const LIMIT = 1000;
  const near = fc.oneof(fc.nat(LIMIT + 50), fc.constantFrom(0, 799, 800, 801, LIMIT - 1, LIMIT));
  const account = fc.record({
    enabled: fc.constantFrom(true, true, true, false),
    limit: fc.constantFrom(null, LIMIT, LIMIT),
    used: near,
    moved: fc.oneof(fc.nat(400), fc.constantFrom(1, 200, 2 ** 40)),
    expires: fc.constantFrom(null, START - 1, START + 86_400_000, START + 30 * 86_400_000),
    hold: fc.constantFrom(false, false, true),
    grant: fc.constantFrom(0, 0, 100),
    isLow: fc.constantFrom(false, false, true),
    isOnline: fc.constantFrom(true, true, false),
  });

  it('count as one by one: the same rows, grants, sums and events', async () => {
    let plain = 0;
    const check = async (accounts: readonly (typeof account extends fc.Arbitrary<infer T> ? T : never)[]) => {
      using together = tempStore();
      using single = tempStore();
      const views: unknown[] = [];
      for (const temp of [together, single]) {
        const { store } = temp;
        store.settings.set({ nodeLineGbps: 1_000_000 });
        const env = createHeavyEnv(coreParts(temp, { clock: createTestClock(START) }));
        const nodeId = addNode(temp, WEIGHT);
        const users = accounts.map((each) => {
          const made: Account = {
            enabled: each.enabled,
            expiresAt: each.hold ? null : each.expires,
            hold: each.hold ? { months: 0, days: 3 } : null,
            trafficLimit: each.limit,
            usedUp: 0,
            usedDown: each.used,
            totalUp: 0,
            totalDown: each.used,
            resetStrategy: 'none',
            termBeganAt: each.hold ? null : 0,
            resetsAt: null,
            grants:
              each.grant === 0
                ? []
                : [{ id: 0, bytes: 100, bytesLeft: 100, lifetime: 'used', days: null, endsAt: null, createdAt: 0 }],
          };
          const flags = { noticeAnnounced: null, expiredAnnounced: false };
          const fields = {
            trafficLowAnnounced: each.isLow,
            onlineAt: each.isOnline ? 1 : null,
            credentials: sampleUser().credentials,
          };
          const { id: userId } = storeAccount(store, made, flags, START - 60_000, fields);
          const moved = { up: 0, down: each.moved };
          return { userId, ...moved, charged: applyWeightSince(moved, { up: 0, down: 0 }, WEIGHT) };
        });
        store.sync.begin(nodeId, { boot: 'a', position: 0, cautiousUntil: 0 });
        if (temp === together) {
          const counted = new Map(users.map(({ userId, up, down }) => [userId, { up, down }]));
          await ingest(env, nodeId, { boot: 'a', users: counted, inbounds: new Map() }, null);
        } else {
          const total = users.reduce((sum, { down }) => Math.min(Number.MAX_SAFE_INTEGER, sum + down), 0);
          const traffic = { nodeId, total: { up: 0, down: total }, users, inbounds: [] };
          store.write(() => countTraffic(createTransaction(env, { name: 'traffic', by: 'node' }, START), traffic));
        }
        views.push({
          rows: users.map(({ userId }) => ({ ...store.users.get(userId), token: '' })),
          grants: users.map(({ userId }) => store.grants.latest(userId)),
          hours: users.map(({ userId }) => store.traffic.userHours(userId, 0)),
          days: users.map(({ userId }) => store.traffic.userDays(userId, '')),
          nodeDays: users.map(({ userId }) => store.traffic.userNodeDays(userId, '')),
          top: store.traffic.topUsers('2026-11', 100),
          total: store.traffic.total(),
          events: store.events
            .after(0, 1000, null)
            .map(({ type, at, data }) => `${JSON.parse(data).user_id} ${type} ${at} ${data}`)
            .sort(),
        });
        const slot = { hour: 0, day: '2026-11-20', month: '2026-11' };
        if (temp === single) plain += users.length - store.sync.countPlainly(nodeId, users, slot, START + 1).length;
      }
      expect(views[0]).toEqual(views[1]);
    };
    await fc.assert(fc.asyncProperty(fc.array(account, { minLength: 1, maxLength: 30 }), check), {
      numRuns: times(20, 40),
    });
    expect(plain).toBeGreaterThan(20);
  });
});
