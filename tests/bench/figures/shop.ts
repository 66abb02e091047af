// What the shop costs those who read meanwhile: a payment provider that hangs and one that lies; and how long a buyer in the bot waits beside a broadcast.
import { setTimeout as wait } from 'node:timers/promises';
import { openConnection } from '../../../src/store/database.ts';
import { startChild } from '../child.ts';
import { getDatabasePath } from '../databases.ts';
import type { Bench, Figure, Measured } from '../figure.ts';
import type { Illness } from '../ill-provider.ts';
import { computeRatio, p99, pairedRounds, time } from '../rounds.ts';
import { sampleIds } from '../sample-users.ts';
import { type Server, startPanel } from '../servers.ts';
import { quantile } from '../statistics.ts';
import type { CheckedOut } from '../telegram.ts';

const IDS = 2000;
const LEAST_MS = 2000;
const ACCOUNTS = 5;
/** Orders that are open at each of them. */
const ORDERS = 8;
const CHECKOUTS = 400;
const FEW_CHECKOUTS = 60;
const EVERYONE_AT = 1_000_000;

async function measureBesideProviders({ databases, generator, scale }: Bench): Promise<readonly Measured[]> {
  const { middle } = databases.sizes;
  const [folder, other] = [await databases.copy('middle'), await databases.copy('middle')];
  await using panel = await startPanel({ folder, tls: false });
  await using silent = await startPanel({ folder: other, tls: false });
  const provider = startChild(new URL('../ill-provider.ts', import.meta.url));
  const side = (server: Server) => {
    const reads = server.target(sampleIds(middle, IDS, 47).map((id) => `/users/${id}`));
    const amount = { connections: 1, ms: Math.max(LEAST_MS, scale.seconds * 1000) };
    return { server: server.child, run: () => generator.load(reads, amount) };
  };
  const measured: Measured[] = [];
  try {
    const root = await provider.call<string>('start');
    await panel.child.call('sell', { kind: 'yookassa', root, accounts: ACCOUNTS, orders: ORDERS });
    for (const illness of ['hangs', 'lies'] as const satisfies readonly Illness[]) {
      await provider.call('become', illness);
      await panel.child.call('press', true);
      const asked = await provider.call<number>('count');
      const ratio = computeRatio(await pairedRounds(side(panel), side(silent), scale.rounds, 1), p99, true);
      const requests = (await provider.call<number>('count')) - asked;
      await panel.child.call('press', false);
      measured.push({
        title: `GET /users/{id} beside ${ACCOUNTS} payment providers of which each ${illness}, to without, p99`,
        reach: { most: 1.2 },
        isRatio: true,
        ...ratio,
        detail: `without ${time(ratio.other)}, beside them ${time(ratio.ours)}; ${requests} requests to them, ${ACCOUNTS * ORDERS} open orders, buyers who ask again and again`,
      });
    }
    await provider.call('become', 'none');
  } finally {
    await provider.stop();
  }
  return measured;
}

/** Everyone has a Telegram account. */
function createAccounts(folder: string): void {
  const db = openConnection(getDatabasePath(folder));
  db.exec(`UPDATE users SET telegram_id = NULL; UPDATE users SET telegram_id = ${EVERYONE_AT} + id`);
  db.close();
}

async function measureCheckouts({ databases, scale }: Bench): Promise<Measured> {
  const folder = await databases.copy('middle');
  createAccounts(folder);
  await using panel = await startPanel({ folder, tls: false });
  const telegram = startChild(new URL('../telegram.ts', import.meta.url));
  try {
    const bot = await telegram.call<object>('start');
    const invoice = await panel.child.call<{ payload: string; stars: number; people: number }>('broadcast', bot);
    while ((await telegram.call<number>('sent')) === 0) await wait(50);
    const count = scale.rounds > 3 ? CHECKOUTS : FEW_CHECKOUTS;
    const { waits, accepted, sent, refused } = await telegram.call<CheckedOut>('checkOut', { ...invoice, count });
    const sorted = Float64Array.from(waits).sort();
    return {
      title: `pre-checkout answered beside a broadcast to ${invoice.people.toLocaleString('en')}, p99`,
      reach: { most: 300 },
      isRatio: false,
      unit: 'ms',
      value: quantile(sorted, 0.99),
      range: [quantile(sorted, 0), quantile(sorted, 1)],
      detail: `${accepted} of ${count} accepted, p50 ${time(quantile(sorted, 0.5))}; meanwhile ${sent} messages sent and ${refused} refused with 429`,
    };
  } finally {
    await telegram.stop();
  }
}

export const shop: Figure = {
  name: 'shop',
  async measure(bench) {
    return [...(await measureBesideProviders(bench)), await measureCheckouts(bench)];
  },
};
