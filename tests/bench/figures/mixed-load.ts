// One user asked for over and over, beside a client that keeps a panel of the largest size busy with something else.
import { getDatabasePath } from '../databases.ts';
import type { Bench, Figure, Measured } from '../figure.ts';
import { type Generator, startGenerator } from '../generator.ts';
import { computeRatio, p99, pairedRounds, time } from '../rounds.ts';
import { runningUsers, sampleIds } from '../sample-users.ts';
import { type Server, startPanel } from '../servers.ts';
import { quantile } from '../statistics.ts';
import { type Amount, fetchText } from '../target.ts';

const IDS = 2000;
const USERS = 1000;
/** Long enough for a p99, also where few requests are answered. */
const LEAST_MS = 2000;

/** What the other client does until so much time has passed. */
type Busy = (amount: Amount) => Promise<unknown>;

const PLAN = 3;

async function measureBeside(
  what: string,
  panel: Server,
  busy: Busy,
  { databases, generator, scale }: Bench,
): Promise<Measured> {
  const users = databases.sizes.large;
  const target = panel.target(sampleIds(users, IDS, 21).map((id) => `/users/${id}`));
  const amount = { connections: 1, ms: Math.max(LEAST_MS, scale.seconds * 1000) };
  const run = () => generator.load(target, amount);
  const beside = async () => {
    const other = busy(amount);
    const load = await run();
    await other;
    return load;
  };
  const pairs = await pairedRounds({ server: panel.child, run: beside }, { server: panel.child, run }, scale.rounds, 1);
  const ratio = computeRatio(pairs, p99, true);
  return {
    title: `GET /users/{id} beside a client that ${what}, ${users.toLocaleString('en')} users, p99`,
    reach: { most: 10 },
    isRatio: true,
    ...ratio,
    detail: `alone ${time(ratio.other)}, beside it ${time(ratio.ours)}`,
  };
}

/** How long it takes to create a user while all users of a plan are extended. */
async function measureWrites(panel: Server, others: Generator, { generator }: Bench): Promise<Measured> {
  const create = panel.target(['/users'], { name: 'Anna Weber', tariff_id: PLAN });
  const all = { action: 'extend', days: 1, filter: { tariff_id: PLAN } };
  const { matched } = JSON.parse(await fetchText(panel.target(['/users/bulk'], { ...all, dry_run: true })));
  const bulk = others.load(panel.target(['/users/bulk'], all), { connections: 1, requests: 1 });
  let isRunning = true;
  const ended = bulk.finally(() => {
    isRunning = false;
  });
  const waits: number[] = [];
  while (isRunning) {
    const { p50 } = await generator.load(create, { connections: 1, requests: 1 });
    waits.push(p50);
  }
  const { ms } = await ended;
  const sorted = Float64Array.from(waits).sort();
  return {
    title: `POST /users during a bulk of ${Number(matched).toLocaleString('en')}, p99`,
    reach: { most: 250 },
    isRatio: false,
    unit: 'ms',
    value: quantile(sorted, 0.99),
    range: [quantile(sorted, 0), quantile(sorted, 1)],
    detail: `${waits.length.toLocaleString('en')} users created one after the other in the ${time(ms)} that the bulk took`,
  };
}

export const beside: Figure = {
  name: 'beside',
  async measure(bench) {
    const { databases } = bench;
    const folder = await databases.copy('large');
    const ids = runningUsers(getDatabasePath(folder), USERS);
    await using panel = await startPanel({ folder, tls: false });
    const others = startGenerator();
    try {
      const page = panel.target([`/users?limit=50&offset=${databases.sizes.large / 2}`]);
      const create = panel.target(['/users'], { name: 'Anna Weber', tariff_id: PLAN });
      const bulk = panel.target(['/users/bulk'], { action: 'extend', days: 1, ids });
      const rows: Measured[] = [];
      rows.push(await measureBeside('pages by deep offsets', panel, (amount) => others.load(page, amount), bench));
      rows.push(await measureBeside('creates users', panel, (amount) => others.load(create, amount), bench));
      rows.push(
        await measureBeside(`extends ${USERS} users at a time`, panel, (amount) => others.load(bulk, amount), bench),
      );
      rows.push(await measureBeside('makes a backup', panel, () => panel.child.call('backup'), bench));
      rows.push(await measureWrites(panel, others, bench));
      return rows;
    } finally {
      await others.stop();
    }
  },
};
