// Ten thousand users extended on the writer thread, with an event each: beside the one statement, how long the thread that answers was
// held meanwhile, and what a user costs where they are fewer.
import { getDatabasePath } from '../databases.ts';
import type { Figure } from '../figure.ts';
import { computeRatio, cpu, pairedRounds, type Side, time } from '../rounds.ts';
import { runningUsers } from '../sample-users.ts';
import { type Server, startBareBeside, startPanel } from '../servers.ts';
import { fetchText } from '../target.ts';
import { readLoopDelay, watchLoop } from '../usage.ts';

const USERS = 10_000;
const FEWER = 1000;

/** Extends other users in each round, but the same on both sides. */
function createSide(
  server: Server,
  run: (body: object) => ReturnType<Side['run']>,
  ids: readonly number[],
  users = USERS,
): Side {
  let round = 0;
  return {
    server: server.child,
    run: () => {
      const from = (users * round++) % ids.length;
      return run({ action: 'extend', days: 1, ids: ids.slice(from, from + users) });
    },
  };
}

export const bulk: Figure = {
  name: 'bulk',
  async measure({ databases, generator, scale }) {
    const folder = await databases.copy('middle');
    const ids = runningUsers(getDatabasePath(folder), USERS * 4);
    if (ids.length < USERS) throw new Error(`only ${ids.length} users to extend`);
    await using panel = await startPanel({ folder, tls: false });
    await using bare = await startBareBeside(panel, 'extend', await databases.copy('middle'));
    const once = { connections: 1, requests: 1 };
    const held: number[] = [];
    const ours = createSide(
      panel,
      async (body) => {
        await watchLoop(panel.child);
        const load = await generator.load(panel.target(['/users/bulk'], body), once);
        held.push(await readLoopDelay(panel.child));
        return load;
      },
      ids,
    );
    const other = createSide(bare, (body) => generator.load(bare.target(['/'], body), once), ids);
    const warm = 2;
    const pairs = await pairedRounds(ours, other, scale.rounds, warm);
    const { affected } = JSON.parse(await fetchText(panel.target(['/users/bulk'], { action: 'enable', ids: [1] })));
    if (affected === undefined) throw new Error('a bulk says nothing');
    const plain = (body: object) => generator.load(panel.target(['/users/bulk'], body), once);
    const sizes = await pairedRounds(createSide(panel, plain, ids, FEWER), createSide(panel, plain, ids), scale.rounds);
    const aUser = computeRatio(
      sizes.map(({ ours: fewer, other: more }) => ({
        ours: { ...fewer, cpu: fewer.cpu / FEWER },
        other: { ...more, cpu: more.cpu / USERS },
      })),
      cpu,
      true,
    );
    const ratio = computeRatio(pairs, cpu, true);
    const took = computeRatio(pairs, ({ p50 }) => p50, true);
    return [
      {
        title: 'bulk extend of 10,000, events and audit, to the bare statement',
        reach: { most: 3 },
        isRatio: true,
        ...ratio,
        detail: `CPU: statement ${time(ratio.other)}, bulk ${time(ratio.ours)} (took ${time(took.other)}, ${time(took.ours)})`,
      },
      {
        title: 'bulk extend, CPU a user: 1,000 at once to 10,000',
        reach: { most: 1.3 },
        isRatio: true,
        ...aUser,
        detail: `CPU a user: of 10,000 ${time(aUser.other)}, of 1,000 ${time(aUser.ours)} (wanted: 40 us)`,
      },
      {
        title: 'event loop held by it, longest',
        reach: { most: 60 },
        isRatio: false,
        unit: 'ms',
        value: Math.max(...held.slice(warm)),
        range: [Math.min(...held.slice(warm)), Math.max(...held.slice(warm))],
        detail: `longest of ${scale.rounds} bulks`,
      },
    ];
  },
};
