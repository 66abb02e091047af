// Ten thousand users extended in one transaction on the writer thread, with an event each: beside the one statement, and how long
// the thread that answers was held meanwhile.
import { databaseOf } from '../databases.ts';
import type { Figure } from '../figure.ts';
import { cpu, pairedRounds, ratioOf, type Side, time } from '../rounds.ts';
import { runningUsers } from '../sample-users.ts';
import { type Server, startBareBeside, startPanel } from '../servers.ts';
import { fetchText } from '../target.ts';
import { heldLoopOf, watchLoop } from '../usage.ts';

const USERS = 10_000;

/** Extends other users in each round, but the same on both sides. */
function sideOf(server: Server, run: (body: object) => ReturnType<Side['run']>, ids: readonly number[]): Side {
  let round = 0;
  return {
    server: server.child,
    run: () => {
      const from = (USERS * round++) % ids.length;
      return run({ action: 'extend', days: 1, ids: ids.slice(from, from + USERS) });
    },
  };
}

export const bulk: Figure = {
  name: 'bulk',
  async measure({ databases, generator, scale }) {
    const folder = await databases.copy('middle');
    const ids = runningUsers(databaseOf(folder), USERS * 4);
    if (ids.length < USERS) throw new Error(`only ${ids.length} users to extend`);
    await using panel = await startPanel({ folder, tls: false });
    await using bare = await startBareBeside(panel, 'extend', await databases.copy('middle'));
    const once = { connections: 1, requests: 1 };
    const held: number[] = [];
    const ours = sideOf(
      panel,
      async (body) => {
        await watchLoop(panel.child);
        const load = await generator.load(panel.target(['/users/bulk'], body), once);
        held.push(await heldLoopOf(panel.child));
        return load;
      },
      ids,
    );
    const other = sideOf(bare, (body) => generator.load(bare.target(['/'], body), once), ids);
    const warm = 2;
    const pairs = await pairedRounds(ours, other, scale.rounds, warm);
    const { affected } = JSON.parse(await fetchText(panel.target(['/users/bulk'], { action: 'enable', ids: [1] })));
    if (affected === undefined) throw new Error('a bulk says nothing');
    const ratio = ratioOf(pairs, cpu, true);
    const took = ratioOf(pairs, ({ p50 }) => p50, true);
    return [
      {
        title: 'bulk extend of 10,000, events and audit, to the bare statement',
        reach: { most: 3 },
        isRatio: true,
        ...ratio,
        detail: `CPU: statement ${time(ratio.other)}, bulk ${time(ratio.ours)} (took ${time(took.other)}, ${time(took.ours)})`,
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
