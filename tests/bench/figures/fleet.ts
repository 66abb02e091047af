// Many nodes: how long it takes to bring each of them everything, a minute as any other, and how soon all know of a change. The machines are simulated
// in another process (fleet.ts); the panel, its connections with TLS and what it sends are real.

import { startChild } from '../child.ts';
import { getDatabasePath } from '../databases.ts';
import type { Bench, Figure, Measured } from '../figure.ts';
import type { Invited } from '../panel-server.ts';
import { time } from '../rounds.ts';
import { runningUsers, sampleIds } from '../sample-users.ts';
import { type Server, startPanel } from '../servers.ts';
import { quantile } from '../statistics.ts';
import type { Load } from '../target.ts';
import { readCpu, readRss } from '../usage.ts';

/** One user in so many moves something between two polls. */
const MOVING_OF = 20;
const ROUND_MS = 2000;
/** Changes of users: fewer where each is for very many nodes. */
const MAX_CHANGES = 100;
const NODE_CHANGES = 10_000;
/** Tokens end after 15 minutes. */
const TOGETHER = 200;
const POLL_MS = 10_000;

async function changeUser(panel: Server, userId: number, isAllowed: boolean): Promise<void> {
  const { origin, paths, headers } = panel.target([`/users/${userId}`], {});
  const reply = await fetch(origin + paths[0], {
    method: 'PATCH',
    headers,
    body: JSON.stringify({ enabled: isAllowed }),
  });
  if (!reply.ok) throw new Error(`a user cannot be changed: ${reply.status} ${await reply.text()}`);
}

async function measureFleet({ databases, generator, scale, fleet, printLine }: Bench): Promise<readonly Measured[]> {
  const { nodes, size, filled } = fleet;
  const changes = Math.min(MAX_CHANGES, Math.ceil(NODE_CHANGES / nodes));
  const users = databases.sizes[size];
  const of = `${nodes.toLocaleString('en')} nodes, ${users.toLocaleString('en')} users`;
  const folder = await databases.copy(size);
  const ids = runningUsers(getDatabasePath(folder), changes);
  await using panel = await startPanel({ folder, tls: false, fleet: true });
  const machines = startChild(new URL('../fleet.ts', import.meta.url), ['--max-old-space-size=4096']);
  try {
    const target = panel.target(sampleIds(users, 2000, 21).map((id) => `/users/${id}`));
    const load = (ms: number) => generator.load(target, { connections: 1, ms });
    await load(ROUND_MS);
    const alone = await load(ROUND_MS);
    const nodeIds = await panel.child.call<number[]>('addNodes', nodes);
    const moving = Math.ceil(users / MOVING_OF / nodes);
    const join = async (ids: readonly number[], isHeld: boolean) => {
      for (let next = 0; next < ids.length; next += TOGETHER) {
        const asked = { ids: ids.slice(next, next + TOGETHER), isHeld };
        await machines.call('join', { invited: await panel.child.call<Invited[]>('invite', asked), moving });
      }
    };
    await join(nodeIds.slice(filled), true);
    await join(nodeIds.slice(0, filled), false);
    printLine(`${of}: joined`);

    const began = await machines.call<number>('open');
    const cpuBefore = await readCpu(panel.child);
    let syncedAt: number | null = null;
    const synced = machines.call<number>('synced', users).then((at) => {
      syncedAt = at;
    });
    const during: Load[] = [];
    while (syncedAt === null) during.push(await load(ROUND_MS));
    await synced;
    const seconds = ((syncedAt ?? began) - began) / 1000;
    const syncCpu = ((await readCpu(panel.child)) - cpuBefore) / 1000;
    const worst = Math.max(...during.map(({ p99 }) => p99));
    printLine(`${of}: all have everything, after ${seconds.toFixed(0)} s and ${syncCpu.toFixed(0)} s of CPU`);

    // What was begun by that ends first.
    await load(POLL_MS);
    const minuteCpu = await readCpu(panel.child);
    const steadyMs = scale.seconds * 30_000;
    const steady = await load(steadyMs);
    const share = ((await readCpu(panel.child)) - minuteCpu) / steadyMs;
    const rss = await readRss(panel.child);
    printLine(
      `${of}: a minute with reads, p99 ${time(steady.p99)}, ${(share * 100).toFixed(0)}% of a core, ${(rss / 1e6).toFixed(0)} MB`,
    );

    const waits: number[] = [];
    const busy = load(changes * 100);
    for (const [index, userId] of ids.entries()) {
      await machines.call('watch', userId);
      const isAllowed = index % 2 === 1;
      // One who may not connect is let in, the next one is put out.
      if (isAllowed) {
        await changeUser(panel, userId, false);
        await machines.call('changed', { userId, isAllowed: false });
      }
      const sentAt = Date.now();
      await changeUser(panel, userId, isAllowed);
      const knownAt = await machines.call<number>('changed', { userId, isAllowed });
      waits.push(knownAt - sentAt);
      if (nodes > 100) printLine(`${of}: a change after ${knownAt - sentAt} ms`);
    }
    await busy;
    const sorted = Float64Array.from(waits).sort();
    return [
      {
        title: filled < nodes ? `everything to ${filled} of ${of}` : `everything to ${of}`,
        reach: { most: 600 },
        isRatio: false,
        unit: 's',
        value: seconds,
        detail: `all at once, in parts of 500 users; ${syncCpu.toFixed(0)} s of the panel's CPU; GET /users/{id} meanwhile: p99 of the worst ${ROUND_MS / 1000} s ${time(worst)}, alone ${time(alone.p99)}`,
      },
      {
        title: `a user's change at all of ${of}, p99`,
        reach: { most: 2000 },
        isRatio: false,
        unit: 'ms',
        value: quantile(sorted, 0.99),
        range: [quantile(sorted, 0), quantile(sorted, 1)],
        detail: `from the request to the last node, ${ids.length} users one after the other, beside polls and reads; median ${time(quantile(sorted, 0.5))}`,
      },
      {
        title: `GET /users/{id} beside the polls of ${of}, p99`,
        reach: { most: 100 },
        isRatio: false,
        unit: 'ms',
        value: steady.p99,
        detail: `alone ${time(alone.p99)}; ${(moving * nodes).toLocaleString('en')} users move something in each poll; with the reads ${(share * 100).toFixed(0)}% of a core, ${(rss / 1e6).toFixed(0)} MB`,
      },
    ];
  } finally {
    await machines.stop();
  }
}

export const fleet: Figure = { name: 'fleet', measure: measureFleet };
