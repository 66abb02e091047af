// A month of traffic over fifty nodes, beside a page of a list.
import type { Figure } from '../figure.ts';
import { computeRatio, cpu, pairedRounds, time } from '../rounds.ts';
import { startPanel } from '../servers.ts';

export const traffic: Figure = {
  name: 'traffic',
  async measure({ databases, generator, scale }) {
    await using panel = await startPanel({ folder: await databases.copy('middle'), tls: false });
    const side = (path: string) => {
      const target = panel.target([path]);
      return { server: panel.child, run: () => generator.flood(target, scale.seconds) };
    };
    const pairs = await pairedRounds(side('/stats/traffic?range=30d'), side('/users?limit=50'), scale.rounds);
    const ratio = computeRatio(pairs, cpu, true);
    return [
      {
        title: 'stats/traffic of 30 days with 50 nodes to a list page',
        reach: { most: 20 },
        isRatio: true,
        ...ratio,
        detail: `CPU a request: list ${time(ratio.other)}, traffic ${time(ratio.ours)}`,
      },
    ];
  },
};
