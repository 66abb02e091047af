// A page in the middle of all users by its offset, beside the first page.
import type { Figure } from '../figure.ts';
import { cpu, pairedRounds, ratioOf, time } from '../rounds.ts';
import { startPanel } from '../servers.ts';

const REQUESTS = 150;

export const deepOffset: Figure = {
  name: 'deep-offset',
  async measure({ databases, generator, scale }) {
    await using panel = await startPanel({ folder: await databases.folder('large'), tls: false });
    const users = databases.sizes.large;
    const side = (offset: number) => ({
      server: panel.child,
      run: () =>
        generator.load(panel.target([`/users?limit=50&offset=${offset}`]), { connections: 1, requests: REQUESTS }),
    });
    const ratio = ratioOf(await pairedRounds(side(users / 2), side(0), scale.rounds), cpu, true);
    return [
      {
        title: `offset of ${(users / 2).toLocaleString('en')} among ${users.toLocaleString('en')} users to first page`,
        reach: { most: 12 },
        isRatio: true,
        ...ratio,
        detail: `CPU a request: first page ${time(ratio.other)}, deep ${time(ratio.ours)}`,
      },
    ];
  },
};
