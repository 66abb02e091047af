// Pages behind a cursor anywhere in a million users, beside the first page of the same list: for every sort that is said to be fast.
import { cursorsInto, type ListKind } from '../cursors.ts';
import { databaseOf } from '../databases.ts';
import type { Figure } from '../figure.ts';
import { cpu, pairedRounds, type Ratio, ratioOf, time } from '../rounds.ts';
import { startPanel } from '../servers.ts';

const REQUESTS = 150;
const PLACES = 2000;

const both = (sort: string, filter: Omit<ListKind, 'sort'> = {}): ListKind[] => [
  { sort, ...filter },
  { sort: `-${sort}`, ...filter },
];
const ALWAYS = ['id', 'name', 'created_at', 'expires_at'];
const KINDS: readonly ListKind[] = [
  ...[...ALWAYS, 'used'].flatMap((sort) => both(sort)),
  ...ALWAYS.flatMap((sort) => both(sort, { state: 'active' })),
  ...ALWAYS.flatMap((sort) => both(sort, { tariffId: 3 })),
];

function pathOf({ sort, state, tariffId }: ListKind): string {
  const filter = `${state ? `&state=${state}` : ''}${tariffId ? `&tariff_id=${tariffId}` : ''}`;
  return `/users?limit=50&sort=${sort}${filter}`;
}

export const keyset: Figure = {
  name: 'keyset',
  async measure({ databases, generator, scale, say }) {
    const folder = await databases.folder('large');
    const places = cursorsInto(databaseOf(folder), databases.sizes.large, KINDS, PLACES);
    await using panel = await startPanel({ folder, tls: false });
    const found: { path: string; ratio: Ratio }[] = [];
    const side = (paths: readonly string[]) => {
      const target = panel.target(paths);
      return { server: panel.child, run: () => generator.load(target, { connections: 8, requests: REQUESTS }) };
    };
    for (const [index, kind] of KINDS.entries()) {
      const path = pathOf(kind);
      const anywhere = side((places[index] ?? []).map((cursor) => `${path}&cursor=${cursor}`));
      const ratio = ratioOf(await pairedRounds(anywhere, side([path]), scale.rounds, 1), cpu, true);
      say(`  ${path}: ${ratio.value.toFixed(2)} (${time(ratio.other)} to ${time(ratio.ours)})`);
      found.push({ path, ratio });
    }
    const [worst] = found.sort((a, b) => b.ratio.value - a.ratio.value);
    if (!worst) throw new Error('nothing was measured');
    const { ratio, path } = worst;
    return [
      {
        title: `page behind a cursor anywhere to first page, ${databases.sizes.large.toLocaleString('en')} users`,
        reach: { most: 1.5 },
        isRatio: true,
        ...ratio,
        detail: `CPU, worst of ${KINDS.length} lists (${path.slice(16)}): ${time(ratio.other)}, ${time(ratio.ours)}`,
      },
    ];
  },
};
