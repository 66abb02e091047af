// A list of 50 with its exact total: what the whole stack costs beside the read of one page and one count.
import type { Figure } from '../figure.ts';
import { computeRatio, cpu, pairedRounds, time } from '../rounds.ts';
import { startBareBeside, startPanel } from '../servers.ts';
import { requireSame } from '../target.ts';

export const list: Figure = {
  name: 'list',
  async measure({ databases, generator, scale }) {
    const folder = await databases.copy('middle');
    await using panel = await startPanel({ folder, tls: false });
    await using bare = await startBareBeside(panel, 'list', folder);
    const ours = panel.target(['/users?limit=50']);
    const other = bare.target(['/']);
    await requireSame(ours, other);
    const pairs = await pairedRounds(
      { server: panel.child, run: () => generator.flood(ours, scale.seconds) },
      { server: bare.child, run: () => generator.flood(other, scale.seconds) },
      scale.rounds,
    );
    const ratio = computeRatio(pairs, cpu);
    return [
      {
        title: 'list of 50 with exact total, to bare',
        reach: { least: 0.8 },
        isRatio: true,
        ...ratio,
        detail: `CPU a request: bare ${time(ratio.other)}, panel ${time(ratio.ours)}`,
      },
    ];
  },
};
