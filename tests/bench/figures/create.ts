// Making a user, on disk before the reply: beside one bare insert and its commit.
import type { Figure } from '../figure.ts';
import { cpu, pairedRounds, ratioOf, time } from '../rounds.ts';
import { startBareBeside, startPanel } from '../servers.ts';

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
    const ratio = ratioOf(pairs, ({ ms, requests }) => ms / requests);
    const ofCpu = ratioOf(pairs, cpu);
    const rate = (ms: number) => `${(1000 / ms).toFixed(0)}/s`;
    return [
      {
        title: 'POST /users, durable, to bare commits with FULL',
        reach: { least: 0.5 },
        isRatio: true,
        ...ratio,
        detail: `bare ${rate(ratio.other)}, panel ${rate(ratio.ours)} (CPU: ${time(ofCpu.other)}, ${time(ofCpu.ours)})`,
      },
    ];
  },
};
