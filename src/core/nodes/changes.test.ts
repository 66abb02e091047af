// The log of changes: after any changes of users, an engine that receives the users in it has exactly those who may connect.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TestClock } from '../../../tests/support/clock.ts';
import { createTestClock } from '../../../tests/support/clock.ts';
import { ADMINISTRATOR_CALL, coreParts } from '../../../tests/support/core.ts';
import { countTraffic } from '../../../tests/support/count-traffic.ts';
import { sampleInbound } from '../../../tests/support/subscription-samples.ts';
import { sampleNode, sampleTariff, type TempStore, tempStore } from '../../../tests/support/temp-store.ts';
import type { Input } from '../../contract/table.ts';
import { canConnect } from '../../domain/users/account.ts';
import { createCore, createHeavyEnv } from '../create-core.ts';
import type { Env } from '../kernel/context.ts';
import type { Core } from '../kernel/core.ts';
import { PanelError } from '../kernel/panel-error.ts';
import { createTransaction } from '../kernel/transaction.ts';
import type { HandledId } from '../ports/call.ts';
import { sweepDue } from '../sweep.ts';

const DAY = 86_400_000;
const START = Date.UTC(2026, 10, 20);

interface Scene {
  readonly temp: TempStore;
  readonly clock: TestClock;
  readonly core: Core;
  readonly env: Env;
  readonly nodeId: number;
  readonly inboundIds: readonly number[];
  readonly tariffId: number;
}

function openScene(temp: TempStore): Scene {
  const clock = createTestClock(START);
  const parts = coreParts(temp, { clock });
  const core = createCore(parts);
  const { store } = temp;
  const nodeId = store.nodes.insert(sampleNode());
  const inboundIds = [1001, 1002, 1003].map((port) => {
    const { id: _, ...inbound } = sampleInbound({ nodeId, tag: `in-${port}`, port });
    return store.inbounds.insert(inbound);
  });
  const tariffId = temp.store.tariffs.insert(sampleTariff({ trafficLimit: 1000, duration: { days: 3 } }));
  return { temp, clock, core, env: createHeavyEnv(parts), nodeId, inboundIds, tariffId };
}

/** User, connection and credentials of each membership, as text. */
type Membership = ReadonlySet<string>;

function formatEntry(inboundId: number, userId: number, credentials: object): string {
  return `${inboundId} ${userId} ${JSON.stringify(credentials)}`;
}

/** The memberships according to the records. */
function desired({ temp, inboundIds }: Scene): Membership {
  const { users } = temp.store;
  const all = users.rows(users.ids({}, 0));
  const entries = all
    .filter(({ state }) => canConnect(state))
    .flatMap(({ id, inbounds }) =>
      (inbounds ?? inboundIds).map((inbound) => formatEntry(inbound, id, users.credentials(id))),
    );
  return new Set(entries);
}

/** An engine that receives the users in the log. */
function createFollower({ temp, inboundIds }: Scene): () => Membership {
  const { sync } = temp.store;
  const present = new Map<number, readonly string[]>();
  let position = sync.latest();
  return () => {
    const changes = sync.changes(position, 1_000_000);
    const ids = [...new Set(changes.map(({ userId }) => userId))];
    for (const id of ids) present.delete(id);
    for (const { userId, credentials, inbounds } of sync.members(1, ids)) {
      const entries = (inbounds ?? inboundIds).map((inbound) => formatEntry(inbound, userId, credentials));
      present.set(userId, entries);
    }
    position = changes.at(-1)?.id ?? position;
    return new Set([...present.values()].flat());
  };
}

/** Changes the present user that `pick` selects. */
type Step = (scene: Scene, pick: number) => unknown;

function userStep<Id extends HandledId>(id: Id, buildInput: (userId: number, scene: Scene) => Input<Id>): Step {
  return async (scene, pick) => {
    const ids = scene.temp.store.users.ids({}, 0);
    const userId = ids[pick % ids.length];
    if (userId !== undefined) await scene.core.call(id, buildInput(userId, scene), ADMINISTRATOR_CALL);
  };
}

function bulk(input: Partial<Input<'bulkUsers'>> & Pick<Input<'bulkUsers'>, 'action'>): Step {
  return ({ core }) =>
    core.call('bulkUsers', { dry_run: false, atomic: false, filter: { all: true }, ...input }, ADMINISTRATOR_CALL);
}

const create: Step = ({ core, tariffId, inboundIds }, pick) => {
  const input = { tariff_id: tariffId, name: 'Anna', enabled: pick % 5 > 0, inbounds: inboundIds.slice(pick % 3) };
  return core.call('createUser', pick % 2 === 0 ? input : { ...input, inbounds: null }, ADMINISTRATOR_CALL);
};

const STEPS: Readonly<Record<string, Step>> = {
  create,
  createAgain: create,
  disable: userStep('updateUser', (id) => ({ id, enabled: false })),
  enable: userStep('updateUser', (id) => ({ id, enabled: true })),
  limit: userStep('updateUser', (id) => ({ id, traffic_limit: 500 })),
  unlimit: userStep('updateUser', (id) => ({ id, traffic_limit: null })),
  end: userStep('updateUser', (id, { clock }) => ({ id, expires_at: new Date(clock.now() - DAY).toISOString() })),
  connections: userStep('updateUser', (id, { inboundIds }) => ({ id, inbounds: [inboundIds[id % 3] ?? 0] })),
  allConnections: userStep('updateUser', (id) => ({ id, inbounds: null })),
  extend: userStep('extendUser', (id) => ({ id, days: 2 })),
  reset: userStep('resetUserTraffic', (id) => ({ id })),
  reissue: userStep('reissueUser', (id) => ({ id })),
  grant: userStep('createGrant', (id) => ({ id, bytes: 300, lifetime: 'used' })),
  remove: userStep('deleteUser', (id) => ({ id })),
  bulkDisable: bulk({ action: 'disable' }),
  bulkEnable: bulk({ action: 'enable' }),
  bulkExtend: bulk({ action: 'extend', days: 1 }),
  bulkReset: bulk({ action: 'reset' }),
  pass: async ({ env, clock }) => {
    clock.advance(DAY);
    while (await sweepDue(env)) clock.advance(1);
  },
  move: async ({ env, nodeId, temp: { store }, clock }, pick) => {
    const users = store.users.ids({}, 0).map((userId) => ({ userId, up: 0, down: pick }));
    const total = { up: 0, down: pick };
    const traffic = { nodeId, total, users, inbounds: [] };
    store.write(() =>
      countTraffic(createTransaction(env, { name: 'traffic', by: ADMINISTRATOR_CALL }, clock.now()), traffic),
    );
  },
};

async function run(scene: Scene, step: Step, pick: number): Promise<void> {
  try {
    await step(scene, pick);
  } catch (error) {
    if (!(error instanceof PanelError)) throw error;
  }
}

const steps = fc.array(fc.tuple(fc.constantFrom(...Object.keys(STEPS)), fc.nat(600), fc.boolean()), {
  minLength: 20,
  maxLength: 60,
});

describe('the log of changes', () => {
  it('brings an engine exactly to those who may connect, after any steps', async () => {
    const seen = new Set<string>();
    const check = async (walk: readonly (readonly [string, number, boolean])[]) => {
      using temp = tempStore();
      const scene = openScene(temp);
      const follow = createFollower(scene);
      for (const [name, pick, reads] of walk) {
        const step = STEPS[name];
        if (step) await run(scene, step, pick);
        if (!reads) continue;
        const wanted = desired(scene);
        expect(follow(), name).toEqual(wanted);
        if (wanted.size > 0) seen.add(name);
      }
      expect(follow()).toEqual(desired(scene));
      const { sync } = temp.store;
      const everybody = sync.membersAfter(1, 0, 1_000_000).map(({ userId }) => userId);
      const connected = [...desired(scene)].map((entry) => Number(entry.split(' ')[1]));
      expect(everybody.filter((id) => connected.includes(id))).toEqual([...new Set(connected)].sort((a, b) => a - b));
      await scene.core.stop();
    };
    await fc.assert(fc.asyncProperty(steps, check), { numRuns: 25 });
    expect(seen.size).toBeGreaterThan(10);
  });

  it('has a row for what an engine must know, and for nothing else', async () => {
    using temp = tempStore();
    const scene = openScene(temp);
    const { sync } = temp.store;
    const countChanges = async (name: string, pick = 1) => {
      const before = sync.latest();
      await run(scene, STEPS[name] ?? create, pick);
      return sync.changes(before, 100).length;
    };
    expect(await countChanges('create')).toBe(1);
    for (const name of ['extend', 'grant', 'reset', 'unlimit', 'move', 'enable'])
      expect([name, await countChanges(name)]).toEqual([name, 0]);
    expect(await countChanges('connections')).toBe(1);
    expect(await countChanges('disable')).toBe(1);
    expect(await countChanges('allConnections')).toBe(0);
    expect(await countChanges('remove'), 'leases have also who may not connect').toBe(1);
    await scene.core.stop();
  });
});

describe('pruning', () => {
  it('leaves what some node was not told of, and not more than the most', async () => {
    using temp = tempStore();
    const scene = openScene(temp);
    const { sync, nodes } = temp.store;
    const other = nodes.insert(sampleNode({ name: 'Helsinki' }));
    for (let count = 0; count < 6; count += 1) await run(scene, create, 1);
    const last = sync.latest();
    sync.begin(scene.nodeId, { boot: 'a', position: last, cautiousUntil: 0 });
    sync.begin(other, { boot: 'b', position: last - 4, cautiousUntil: 0 });
    sync.prune(100);
    expect(sync.changes(0, 100).map(({ id }) => id)).toEqual([last - 3, last - 2, last - 1, last]);
    expect([last - 5, last - 4, last, last + 1].map(sync.hasAfter)).toEqual([false, true, true, false]);
    sync.prune(2);
    expect(sync.hasAfter(last - 4)).toBe(false);
    expect(sync.hasAfter(last - 2)).toBe(true);
    sync.savePosition(other, null);
    sync.prune(100);
    expect([sync.changes(0, 100), sync.hasAfter(last), sync.hasAfter(last - 1)]).toEqual([[], true, false]);
    await scene.core.stop();
  });
});

describe('a quarantined user', () => {
  it('is released by a change of the user or of the connection', async () => {
    using temp = tempStore();
    const scene = openScene(temp);
    const { sync } = temp.store;
    await run(scene, create, 1);
    await run(scene, create, 1);
    const [first = 0, second = 0] = temp.store.users.ids({}, 0);
    const [inboundId = 0, otherId = 0] = scene.inboundIds;
    const put = () => {
      for (const userId of [first, second]) sync.quarantine({ userId, inboundId, message: 'no such account' }, 1);
      sync.quarantine({ userId: first, inboundId: otherId, message: 'again' }, 1);
    };
    const left = () => sync.quarantined(scene.nodeId).map(({ userId, inboundId: id }) => [userId, id]);
    put();
    expect(left()).toEqual([
      [first, inboundId],
      [first, otherId],
      [second, inboundId],
    ]);
    await scene.core.call('reissueUser', { id: first }, ADMINISTRATOR_CALL);
    expect(left()).toEqual([[second, inboundId]]);
    put();
    const before = sync.latest();
    await scene.core.call('updateInbound', { id: otherId, name: 'Other' }, ADMINISTRATOR_CALL);
    expect(left()).toEqual([[second, inboundId]]);
    expect(sync.changes(before, 10).map(({ userId }) => userId)).toEqual([first]);
    await scene.core.stop();
  });
});
