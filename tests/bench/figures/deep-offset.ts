// A page in the middle of a list by its offset, beside the first page: of all users by id, and in other orders or under a filter.
import type { Figure } from '../figure.ts';
import { computeRatio, cpu, pairedRounds, time } from '../rounds.ts';
import { startPanel } from '../servers.ts';
import { fetchText } from '../target.ts';

const REQUESTS = 150;
/** Requests of lists whose offset is walked. */
const FEWER = 30;
const OTHERS = ['sort=name', 'sort=created_at', 'sort=expires_at', 'sort=used', 'state=active', 'tariff_id=3'];

export const deepOffset: Figure = {
  name: 'deep-offset',
  async measure({ databases, generator, scale, printLine }) {
    await using panel = await startPanel({ folder: await databases.folder('large'), tls: false });
    const users = databases.sizes.large;
    const side = (query: string, offset: number, requests: number) => {
      const target = panel.target([`/users?limit=50${query}&offset=${offset}`]);
      return { server: panel.child, run: () => generator.load(target, { connections: 1, requests }) };
    };
    const compare = async (query: string, requests: number) => {
      const { total } = JSON.parse(await fetchText(panel.target([`/users?limit=50${query}`])));
      const middle = side(query, Math.floor(total / 2), requests);
      return computeRatio(await pairedRounds(middle, side(query, 0, requests), scale.rounds), cpu, true);
    };
    const ratio = await compare('', REQUESTS);
    const others = [];
    for (const list of OTHERS) {
      const found = await compare(`&${list}`, FEWER);
      printLine(`  ${list}: ${found.value.toFixed(1)} (${time(found.other)} to ${time(found.ours)})`);
      others.push({ list, ratio: found });
    }
    const [worst] = others.sort((a, b) => b.ratio.value - a.ratio.value);
    if (!worst) throw new Error('nothing was measured');
    return [
      {
        title: `offset of ${(users / 2).toLocaleString('en')} among ${users.toLocaleString('en')} users to first page`,
        reach: { most: 12 },
        isRatio: true,
        ...ratio,
        detail: `CPU a request: first page ${time(ratio.other)}, deep ${time(ratio.ours)}`,
      },
      {
        title: `offset in the middle of other lists of ${users.toLocaleString('en')} users to first page`,
        reach: { most: 12 },
        isRatio: true,
        ...worst.ratio,
        detail: `CPU, worst of ${OTHERS.length} lists (${worst.list}): ${time(worst.ratio.other)}, ${time(worst.ratio.ours)}`,
      },
    ];
  },
};
