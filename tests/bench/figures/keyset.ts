// Pages behind a cursor anywhere in a million users, for every sort that is said to be fast (docs/decisions/0009).
import { cursorsInto, type ListKind } from '../cursors.ts';
import { getDatabasePath } from '../databases.ts';
import type { Figure, Measured } from '../figure.ts';
import { computeRatio, cpu, pairedRounds, type Ratio, time } from '../rounds.ts';
import { startPanel } from '../servers.ts';

const REQUESTS = 150;
const PLACES = 2000;
/** The beginning of a list, as a part of all users: so many that their rows are no more in the cache than any others. */
const BEGINNING = 0.25;

const both = (sort: string, filter: Omit<ListKind, 'sort'> = {}): ListKind[] => [
  { sort, ...filter },
  { sort: `-${sort}`, ...filter },
];
const FILTERS = [{}, { state: 'active' }, { tariffId: 3 }];
/** The order in which users lie in the file. */
const ALONG = FILTERS.flatMap((filter) => ['id', 'created_at'].flatMap((sort) => both(sort, filter)));
/** The users of a page lie anywhere in the file. */
const ACROSS = [
  ...FILTERS.flatMap((filter) => ['name', 'expires_at'].flatMap((sort) => both(sort, filter))),
  ...both('used'),
];

function buildListPath({ sort, state, tariffId }: ListKind): string {
  const filter = `${state ? `&state=${state}` : ''}${tariffId ? `&tariff_id=${tariffId}` : ''}`;
  return `/users?limit=50&sort=${sort}${filter}`;
}

type Found = { readonly path: string; readonly ratio: Ratio };

function selectWorst(found: readonly Found[], title: string): Measured {
  const [worst] = [...found].sort((a, b) => b.ratio.value - a.ratio.value);
  if (!worst) throw new Error('nothing was measured');
  const { ratio, path } = worst;
  const detail = `CPU, worst of ${found.length} lists (${path.slice(16)}): ${time(ratio.other)}, ${time(ratio.ours)}`;
  return { title, reach: { most: 1.5 }, isRatio: true, ...ratio, detail };
}

export const keyset: Figure = {
  name: 'keyset',
  async measure({ databases, generator, scale, printLine }) {
    const folder = await databases.folder('large');
    const { large } = databases.sizes;
    const within = (kinds: readonly ListKind[], most?: number) =>
      cursorsInto(getDatabasePath(folder), large, kinds, PLACES, most);
    await using panel = await startPanel({ folder, tls: false });
    const side = (paths: readonly string[]) => {
      const target = panel.target(paths);
      return { server: panel.child, run: () => generator.load(target, { connections: 8, requests: REQUESTS }) };
    };
    const compare = async (
      what: string,
      kinds: readonly ListKind[],
      others: (path: string, index: number) => string[],
    ) => {
      const places = within(kinds);
      const found: Found[] = [];
      for (const [index, kind] of kinds.entries()) {
        const path = buildListPath(kind);
        const anywhere = side((places[index] ?? []).map((cursor) => `${path}&cursor=${cursor}`));
        const ratio = computeRatio(await pairedRounds(anywhere, side(others(path, index)), scale.rounds, 1), cpu, true);
        printLine(`  ${path}, to ${what}: ${ratio.value.toFixed(2)} (${time(ratio.other)} to ${time(ratio.ours)})`);
        found.push({ path, ratio });
      }
      return found;
    };
    const first = (path: string) => [path];
    const beginnings = within(ACROSS, large * BEGINNING);
    const early = (path: string, index: number) =>
      (beginnings[index] ?? []).map((cursor) => `${path}&cursor=${cursor}`);
    const users = `${large.toLocaleString('en')} users`;
    return [
      selectWorst(
        await compare('first page', ALONG, first),
        `page behind a cursor anywhere to first page, by id or age, ${users}`,
      ),
      selectWorst(
        await compare('early page', ACROSS, early),
        `page behind a cursor anywhere to an early one, by name, expiry, traffic, ${users}`,
      ),
      selectWorst(
        await compare('first page', ACROSS, first),
        `page behind a cursor anywhere to first page, by name, expiry, traffic, ${users}`,
      ),
    ];
  },
};
