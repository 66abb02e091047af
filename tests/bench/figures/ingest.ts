// A poll of an engine whose users have all moved something: beside the least that writes it, how long the thread that answers is held, and
// what those notice who read meanwhile.
import { startChild } from '../child.ts';
import { getDatabasePath } from '../databases.ts';
import type { Bench, Figure, Measured } from '../figure.ts';
import type { PollStart } from '../poll-counter.ts';
import { computeRatio, cpu, p99, pairedRounds, type Side, time } from '../rounds.ts';
import { sampleIds } from '../sample-users.ts';
import { startPanel } from '../servers.ts';
import { readLoopDelay, watchLoop } from '../usage.ts';

const IDS = 2000;
/** Long enough for a poll to be written meanwhile. */
const LEAST_MS = 5000;

async function measureCounting({ databases, scale }: Bench): Promise<Measured[]> {
  const users = databases.sizes.middle;
  const [ours, bare] = [0, 1].map(() => startChild(new URL('../poll-counter.ts', import.meta.url)));
  if (!ours || !bare) return [];
  const held: number[] = [];
  try {
    for (const child of [ours, bare]) {
      const database = getDatabasePath(await databases.copy('middle'));
      await child.call('start', { database, users, isBare: child === bare } satisfies PollStart);
    }
    const side = (child: typeof ours): Side => ({
      server: child,
      run: async () => {
        if (child === ours) await watchLoop(child);
        const startedAt = performance.now();
        await child.call('poll');
        const ms = performance.now() - startedAt;
        if (child === ours) held.push(await readLoopDelay(child));
        return { requests: users, ms, p50: ms, p99: ms };
      },
    });
    const warm = 2;
    const ratio = computeRatio(await pairedRounds(side(ours), side(bare), scale.rounds, warm), cpu, true);
    const counted = held.slice(warm);
    return [
      {
        title: `a poll of ${users.toLocaleString('en')} counters, to a loop of two statements`,
        reach: { most: 1.5 },
        isRatio: true,
        ...ratio,
        detail: `CPU a user: two statements ${time(ratio.other)}, all that the panel counts ${time(ratio.ours)}`,
      },
      {
        title: 'event loop held by it, longest',
        reach: { most: 60 },
        isRatio: false,
        unit: 'ms',
        value: Math.max(...counted),
        range: [Math.min(...counted), Math.max(...counted)],
        detail: `longest of ${scale.rounds} polls`,
      },
    ];
  } finally {
    await ours.stop();
    await bare.stop();
  }
}

async function measureReads({ databases, generator, scale }: Bench): Promise<Measured[]> {
  const users = databases.sizes.middle;
  await using panel = await startPanel({ folder: await databases.copy('middle'), tls: false, pollsMoving: users });
  const paths = sampleIds(users, IDS, 41).map((id) => `/users/${id}`);
  const amount = { connections: 1, ms: Math.max(LEAST_MS, scale.seconds * 1000) };
  const rows: Measured[] = [];
  for (const [title, wanted] of [
    ['GET /users/{id}', paths],
    ['list of 50', ['/users?limit=50']],
  ] as const) {
    const target = panel.target(wanted);
    const side = (isMoving: boolean): Side => ({
      server: panel.child,
      run: async () => {
        await panel.child.call('move', isMoving);
        return generator.load(target, amount);
      },
    });
    const ratio = computeRatio(await pairedRounds(side(true), side(false), scale.rounds, 1), p99, true);
    rows.push({
      title: `${title} while polls of ${users.toLocaleString('en')} counters are written, p99`,
      reach: { most: 2 },
      isRatio: true,
      ...ratio,
      detail: `without ${time(ratio.other)}, meanwhile ${time(ratio.ours)}`,
    });
  }
  return rows;
}

export const ingest: Figure = {
  name: 'ingest',
  async measure(bench) {
    return [...(await measureCounting(bench)), ...(await measureReads(bench))];
  },
};
