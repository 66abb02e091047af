// Lists at a thousand users and at a million: the total included, one must take as long as the other.
import type { Figure } from '../figure.ts';
import { computeRatio, p50, pairedRounds, type Ratio, time } from '../rounds.ts';
import { startPanel } from '../servers.ts';

/** First pages of the kinds that a panel and a bot ask for; each with its exact total. */
const LISTS = [
  '',
  '&state=active',
  '&tariff_id=3',
  '&state=active&tariff_id=3',
  '&sort=-created_at',
  '&sort=expires_at',
];
const REQUESTS = 300;

export const tableSize: Figure = {
  name: 'table-size',
  async measure({ databases, generator, scale }) {
    await using large = await startPanel({ folder: await databases.folder('large'), tls: false });
    await using small = await startPanel({ folder: await databases.folder('small'), tls: false });
    const found: { list: string; ratio: Ratio }[] = [];
    for (const list of LISTS) {
      const [ours, other] = [large, small].map((panel) => {
        const target = panel.target([`/users?limit=50${list}`]);
        const amount = { connections: 1, requests: REQUESTS };
        return { server: panel.child, run: () => generator.load(target, amount) };
      });
      if (!ours || !other) throw new Error('two sides are needed');
      found.push({ list, ratio: computeRatio(await pairedRounds(ours, other, scale.rounds), p50, true) });
    }
    const [worst] = found.sort((a, b) => b.ratio.value - a.ratio.value);
    if (!worst) throw new Error('nothing was measured');
    const { small: from, large: to } = databases.sizes;
    const { ratio, list } = worst;
    return [
      {
        title: `list page with total, ${from.toLocaleString('en')} to ${to.toLocaleString('en')} users, p50`,
        reach: { most: 1.2 },
        isRatio: true,
        ...ratio,
        detail: `worst of ${LISTS.length} lists (${list.slice(1) || 'no filter'}): ${time(ratio.other)}, ${time(ratio.ours)}`,
      },
    ];
  },
};
