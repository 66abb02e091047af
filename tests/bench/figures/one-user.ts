// One user by id: what the whole stack costs beside the one read that it is about.
import type { Figure } from '../figure.ts';
import { computeRatio, cpu, pairedRounds, time } from '../rounds.ts';
import { sampleIds } from '../sample-users.ts';
import { startBareBeside, startPanel } from '../servers.ts';
import { requireSame } from '../target.ts';

const PATHS = 4096;

export const oneUser: Figure = {
  name: 'get-user',
  async measure({ databases, generator, scale }) {
    const folder = await databases.copy('middle');
    await using panel = await startPanel({ folder, tls: false });
    await using bare = await startBareBeside(panel, 'user', folder);
    const ids = sampleIds(databases.sizes.middle, PATHS, 11);
    const ours = panel.target(ids.map((id) => `/users/${id}`));
    const other = bare.target(ids.map((id) => `/${id}`));
    await requireSame(ours, other);
    const pairs = await pairedRounds(
      { server: panel.child, run: () => generator.flood(ours, scale.seconds) },
      { server: bare.child, run: () => generator.flood(other, scale.seconds) },
      scale.rounds,
    );
    const ratio = computeRatio(pairs, cpu);
    return [
      {
        title: 'GET /users/{id}, whole stack, to bare',
        reach: { least: 0.5 },
        isRatio: true,
        ...ratio,
        detail: `CPU a request: bare ${time(ratio.other)}, panel ${time(ratio.ours)}`,
      },
    ];
  },
};
