// Making a user, on disk before the reply: beside one bare insert and its commit, and over many connections beside one.
import type { Figure } from '../figure.ts';
import { computeRatio, cpu, pairedRounds, time } from '../rounds.ts';
import { startBareBeside, startPanel } from '../servers.ts';
import type { Load } from '../target.ts';

const MANY = 16;

export const create: Figure = {
  name: 'create',
  async measure({ databases, generator, scale }) {
    await using panel = await startPanel({ folder: await databases.copy('middle'), tls: false });
    await using bare = await startBareBeside(panel, 'insert', await databases.copy('middle'));
    const ours = panel.target(['/users'], { name: 'Anna Weber', tariff_id: 3, contact: '@anna_weber' });
    const other = bare.target(['/'], { name: 'Anna Weber' });
    const pairs = await pairedRounds(
      { server: panel.child, run: () => generator.flood(ours, scale.seconds) },
      { server: bare.child, run: () => generator.flood(other, scale.seconds) },
      scale.rounds,
    );
    const perRequest = ({ ms, requests }: Load) => ms / requests;
    const over = (connections: number) => ({
      server: panel.child,
      run: () => generator.load(ours, { connections, ms: scale.seconds * 1000 }),
    });
    const many = computeRatio(await pairedRounds(over(MANY), over(1), scale.rounds), perRequest);
    const ratio = computeRatio(pairs, perRequest);
    const ofCpu = computeRatio(pairs, cpu);
    const rate = (ms: number) => `${(1000 / ms).toFixed(0)}/s`;
    return [
      {
        title: 'POST /users, durable, to bare commits with FULL',
        reach: { least: 0.5 },
        isRatio: true,
        ...ratio,
        detail: `bare ${rate(ratio.other)}, panel ${rate(ratio.ours)} (CPU: ${time(ofCpu.other)}, ${time(ofCpu.ours)})`,
      },
      {
        title: `POST /users, durable, over ${MANY} connections to over one`,
        reach: { least: 3 },
        isRatio: true,
        ...many,
        detail: `one ${rate(many.other)}, ${MANY} ${rate(many.ours)}: writes that wait together share one sync of the disk`,
      },
    ];
  },
};
