// A rare word among a million users, beside the scan that SQL's LIKE would be; in any script, and in another case than it is written. Then a
// common word, beside the same one among a thousand.
import type { Figure } from '../figure.ts';
import { RARE_WORDS } from '../rare-words.ts';
import { computeRatio, cpu, pairedRounds, time } from '../rounds.ts';
import { type Server, startBareBeside, startPanel } from '../servers.ts';
import { fetchText } from '../target.ts';

const REQUESTS = 200;
const COMMON = 'anna';

const buildSearchPath = (word: string) => `/users?limit=50&q=${encodeURIComponent(word)}`;

async function requireFound(panel: Server): Promise<void> {
  for (const { asked, written } of RARE_WORDS) {
    const { items, total } = JSON.parse(await fetchText(panel.target([buildSearchPath(asked)])));
    if (total !== 1 || !items[0].note.includes(written)) throw new Error(`${asked} found ${total} and not ${written}`);
  }
}

export const search: Figure = {
  name: 'search',
  async measure({ databases, generator, scale }) {
    const folder = await databases.folder('large');
    await using panel = await startPanel({ folder, tls: false });
    await using bare = await startBareBeside(panel, 'like', folder);
    await requireFound(panel);
    // LIKE folds ASCII alone: that word it must find.
    const [ascii] = RARE_WORDS;
    const scan = bare.target([`/${ascii.asked}`]);
    if (JSON.parse(await fetchText(scan)).items.length !== 1) throw new Error('the scan does not find the word');
    const words = panel.target(RARE_WORDS.map(({ asked }) => buildSearchPath(asked)));
    const pairs = await pairedRounds(
      { server: panel.child, run: () => generator.load(words, { connections: 1, requests: REQUESTS }) },
      { server: bare.child, run: () => generator.load(scan, { connections: 1, requests: 1 }) },
      scale.rounds,
      1,
    );
    const ratio = computeRatio(pairs, cpu);
    const p99 = computeRatio(pairs, (sample) => sample.p99);
    await using few = await startPanel({ folder: await databases.folder('small'), tls: false });
    const common = (server: Server) => ({
      server: server.child,
      run: () => generator.load(server.target([buildSearchPath(COMMON)]), { connections: 1, requests: REQUESTS }),
    });
    const ofCommon = computeRatio(await pairedRounds(common(panel), common(few), scale.rounds, 1), cpu, true);
    const { total } = JSON.parse(await fetchText(panel.target([buildSearchPath(COMMON)])));
    const users = databases.sizes.large.toLocaleString('en');
    return [
      {
        title: `search for a rare word, ${users} users, to a LIKE scan`,
        reach: { least: 50 },
        isRatio: true,
        ...ratio,
        detail: `CPU: scan ${time(ratio.other)}, panel ${time(ratio.ours)}`,
      },
      {
        title: `search for a rare word, ${users} users, p99`,
        reach: { most: 10 },
        isRatio: false,
        unit: 'ms',
        value: p99.ours,
        detail: `${RARE_WORDS.length} words in as many scripts, each in another case`,
      },
      {
        title: `search for a common word, ${databases.sizes.small.toLocaleString('en')} to ${users} users`,
        reach: { most: 3 },
        isRatio: true,
        ...ofCommon,
        detail: `CPU: ${time(ofCommon.other)}, ${time(ofCommon.ours)}; ${Number(total).toLocaleString('en')} users have it`,
      },
    ];
  },
};
