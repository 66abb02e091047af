// What a panel holds in memory while it is busy with everything at once.
import { setTimeout as wait } from 'node:timers/promises';
import type { Figure } from '../figure.ts';
import { sampleIds } from '../sample-users.ts';
import { type Server, startPanel } from '../servers.ts';
import { readRss } from '../usage.ts';

const MIB = 1024 * 1024;
const PATHS = 2000;
const BULK = 10_000;
const SAMPLE_MS = 25;
const LISTS = [
  '?limit=50',
  '?limit=500&sort=name',
  '?q=anna',
  '?state=active&sort=-expires_at',
  '?tariff_id=3&offset=9000',
];
const OTHERS = [
  '/users?limit=500&sort=used',
  '/metrics',
  '/stats/overview',
  '/stats/traffic?range=30d',
  '/events?limit=500',
];

/** The highest RSS of the server while a load lasts, bytes. */
async function highest(server: Server, load: Promise<unknown>): Promise<number> {
  let most = 0;
  let isRunning = true;
  const ended = load.finally(() => {
    isRunning = false;
  });
  while (isRunning) {
    most = Math.max(most, await readRss(server.child));
    await wait(SAMPLE_MS);
  }
  await ended;
  return most;
}

export const memory: Figure = {
  name: 'memory',
  async measure({ databases, generator, scale }) {
    const { middle } = databases.sizes;
    await using panel = await startPanel({ folder: await databases.copy('middle'), tls: true });
    const reads = sampleIds(middle, PATHS, 13).flatMap((id, index) => [
      `/users/${id}`,
      `/users${LISTS[index % LISTS.length]}`,
      ...(index % 10 === 0 ? OTHERS : []),
    ]);
    const writes = panel.target(['/users'], { name: 'Anna Weber', tariff_id: 3 });
    const ids = sampleIds(middle, BULK, 14);
    const bulk = panel.target(['/users/bulk'], { action: 'extend', days: 1, ids });
    const [idle, busy, withThread] = [await readRss(panel.child), [] as number[], [] as number[]];
    for (let round = 0; round < scale.rounds; round += 1) {
      busy.push(await highest(panel, generator.flood(panel.target(reads), scale.seconds)));
      busy.push(await highest(panel, generator.flood(writes, scale.seconds)));
    }
    for (let round = 0; round < scale.rounds; round += 1) {
      withThread.push(await highest(panel, generator.load(bulk, { connections: 1, requests: 1 })));
      withThread.push(await highest(panel, generator.flood(panel.target(reads), 1)));
    }
    const most = (values: readonly number[]) => Math.max(...values) / MIB;
    const users = middle.toLocaleString('en');
    const row = { reach: { most: 256 }, isRatio: false, unit: 'MB' } as const;
    return [
      {
        title: `memory under load, ${users} users`,
        ...row,
        value: most(busy),
        detail: `RSS at its highest: 64 connections over HTTPS, reads and new users by turns; ${(idle / MIB).toFixed(0)} MB before`,
      },
      {
        title: `memory while bulks run too, ${users} users`,
        ...row,
        value: most(withThread),
        detail: `after that: bulks of ${BULK.toLocaleString('en')} and reads by turns; their thread ends when it has had nothing to do for a minute`,
      },
    ];
  },
};
