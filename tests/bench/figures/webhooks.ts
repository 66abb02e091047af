// A thousand events a second into a webhook: what that costs those who read meanwhile, beside a panel with the same events and no webhook.
import { setTimeout as wait } from 'node:timers/promises';
import { startChild } from '../child.ts';
import { getDatabasePath } from '../databases.ts';
import type { Figure } from '../figure.ts';
import { startGenerator } from '../generator.ts';
import { computeRatio, p99, pairedRounds, time } from '../rounds.ts';
import { runningUsers, sampleIds } from '../sample-users.ts';
import { type Server, startPanel } from '../servers.ts';

const IDS = 2000;
const A_SECOND = 1000;
const LEAST_SECONDS = 3;

export const webhooks: Figure = {
  name: 'webhooks',
  async measure({ databases, generator, scale }) {
    const { middle } = databases.sizes;
    const [folder, other] = [await databases.copy('middle'), await databases.copy('middle')];
    const ids = runningUsers(getDatabasePath(folder), A_SECOND);
    await using panel = await startPanel({ folder, tls: false });
    await using silent = await startPanel({ folder: other, tls: false });
    const receiver = startChild(new URL('../receiver.ts', import.meta.url));
    const others = startGenerator();
    const seconds = Math.max(LEAST_SECONDS, scale.seconds);
    const side = (server: Server) => {
      const reads = server.target(sampleIds(middle, IDS, 31).map((id) => `/users/${id}`));
      const bulk = server.target(['/users/bulk'], { action: 'extend', days: 1, ids });
      const emit = async () => {
        for (let second = 0; second < seconds; second += 1) {
          const pause = wait(1000);
          await others.load(bulk, { connections: 1, requests: 1 });
          await pause;
        }
      };
      return {
        server: server.child,
        run: async () => {
          const emitted = emit();
          const load = await generator.load(reads, { connections: 1, ms: seconds * 1000 });
          await emitted;
          return load;
        },
      };
    };
    try {
      await panel.child.call('webhook', await receiver.call<string>('start'));
      const ratio = computeRatio(await pairedRounds(side(panel), side(silent), scale.rounds, 1), p99, true);
      const delivered = await receiver.call<number>('count');
      const emitted = ids.length * seconds * (scale.rounds + 1);
      return [
        {
          title: `GET /users/{id} beside ${A_SECOND.toLocaleString('en')} events a second, with a webhook to without, p99`,
          reach: { most: 1.5 },
          isRatio: true,
          ...ratio,
          detail: `without ${time(ratio.other)}, with ${time(ratio.ours)}; ${delivered.toLocaleString('en')} of ${emitted.toLocaleString('en')} events were delivered by the end`,
        },
      ];
    } finally {
      await others.stop();
      await receiver.stop();
    }
  },
};
