// What HTTPS costs over kept connections.
import type { Figure } from '../figure.ts';
import { computeRatio, cpu, pairedRounds, time } from '../rounds.ts';
import { sampleIds } from '../sample-users.ts';
import { startPanel } from '../servers.ts';

const PATHS = 4096;

export const tls: Figure = {
  name: 'https',
  async measure({ databases, generator, scale }) {
    await using secure = await startPanel({ folder: await databases.copy('middle'), tls: true });
    await using plain = await startPanel({ folder: await databases.copy('middle'), tls: false });
    const paths = sampleIds(databases.sizes.middle, PATHS, 12).map((id) => `/users/${id}`);
    const [ours, other] = [secure, plain].map((panel) => {
      const target = panel.target(paths);
      return { server: panel.child, run: () => generator.flood(target, scale.seconds) };
    });
    if (!ours || !other) throw new Error('two sides are needed');
    const ratio = computeRatio(await pairedRounds(ours, other, scale.rounds), cpu);
    return [
      {
        title: 'HTTPS keep-alive to HTTP, GET /users/{id}',
        reach: { least: 0.65 },
        isRatio: true,
        ...ratio,
        detail: `CPU a request: HTTP ${time(ratio.other)}, HTTPS ${time(ratio.ours)}`,
      },
    ];
  },
};
