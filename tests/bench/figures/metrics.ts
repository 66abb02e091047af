// The metrics of a million users, and beside them those of a thousand: figures are kept, not counted.
import type { Figure } from '../figure.ts';
import { computeRatio, p50, pairedRounds, time } from '../rounds.ts';
import { startPanel } from '../servers.ts';

const REQUESTS = 50;

export const metrics: Figure = {
  name: 'metrics',
  async measure({ databases, generator, scale }) {
    await using large = await startPanel({ folder: await databases.folder('large'), tls: false });
    await using small = await startPanel({ folder: await databases.folder('small'), tls: false });
    const [ours, other] = [large, small].map((panel) => {
      const target = panel.target(['/metrics']);
      const amount = { connections: 1, requests: REQUESTS };
      return { server: panel.child, run: () => generator.load(target, amount) };
    });
    if (!ours || !other) throw new Error('two sides are needed');
    const ratio = computeRatio(await pairedRounds(ours, other, scale.rounds), p50, true);
    const { small: few, large: many } = databases.sizes;
    return [
      {
        title: `/metrics, ${many.toLocaleString('en')} users, p50`,
        reach: { most: 5 },
        isRatio: false,
        unit: 'ms',
        value: ratio.ours,
        detail: `${time(ratio.other)} at ${few.toLocaleString('en')} users: ${ratio.value.toFixed(2)} times that`,
      },
    ];
  },
};
