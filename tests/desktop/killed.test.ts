// Each process of the application is killed while bots write: what was acknowledged stays, and but for the main one the panel serves on.
import { expect, inject, it } from 'vitest';
import { times } from '../support/long.ts';
import { request } from './api.ts';
import { type Desktop, describeDesktop, type Machine, openMachine } from './driver.ts';
import { listDescendants } from './processes.ts';
import { ADMIN, call, createApiKey, quit, readBaseUrl, setUp } from './steps.ts';

/** As Chromium names its processes. */
const KINDS = ['main', 'renderer', 'gpu-process', 'utility', 'zygote'] as const;
type Kind = (typeof KINDS)[number];
/** How many users are written at most before a kill. */
const MAX_WRITES = 40;

/** Writes users until a request fails; their names once they are acknowledged. */
function startWriter(machine: Machine, baseUrl: string, key: string, acknowledged: string[]) {
  let isStopped = false;
  const done = (async () => {
    while (!isStopped) {
      const name = `user ${acknowledged.length + 1}`;
      const body = { name, tariff_id: 1 };
      const made = await request(machine, `${baseUrl}/users`, { key, body }).catch(() => null);
      if (made === null) return;
      if (made.status === 201) acknowledged.push(name);
    }
  })();
  return {
    done,
    stop() {
      isStopped = true;
      return done;
    },
  };
}

async function readNames(machine: Machine, baseUrl: string, key: string): Promise<string[]> {
  const names: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { status, body } = await request(machine, `${baseUrl}/users?limit=100${cursor && `&cursor=${cursor}`}`, {
      key,
    });
    // By the limit of requests: again, as a bot does.
    if (status === 429) continue;
    const page = JSON.parse(body) as { items: { name: string }[]; next_cursor: string | null };
    names.push(...page.items.map(({ name }) => name));
    cursor = page.next_cursor;
  }
  return names;
}

/** Why these cannot be tested here; null: they can. */
function findObstacle(kind: Kind): string | null {
  if (process.platform !== 'linux') return 'only on Linux';
  return inject('isElectronReal') || kind === 'main' || kind === 'renderer' ? null : 'needs the Electron binary';
}

/** Kills all processes of a kind; returns how many. */
function killAll({ pid }: Desktop, kind: Kind): number {
  const found = kind === 'main' ? [pid] : listDescendants(pid, `--type=${kind}`);
  for (const one of found) {
    try {
      process.kill(one, 'SIGKILL');
    } catch {
      // A zygote takes those that it has made along.
    }
  }
  return found.length;
}

describeDesktop('a process of the application that is killed at any moment', () => {
  for (const kind of KINDS) {
    const obstacle = findObstacle(kind);
    it.skipIf(obstacle !== null)(`${kind}${obstacle === null ? '' : ` (${obstacle})`}`, async () => {
      await using machine = openMachine();
      let desktop: Desktop = await machine.start();
      const page = await desktop.page();
      await setUp(page);
      await call(page, 'createTariff', { name: 'Monthly', duration: { months: 1 } });
      await call(page, 'updateSettings', { rate_limit: 6000, password: ADMIN.password });
      const [baseUrl, key] = [await readBaseUrl(page), await createApiKey(page)];
      const acknowledged: string[] = [];
      const kills = times(2, 20);
      for (let kill = 1; kill <= kills; kill += 1) {
        const isLoaded = () =>
          desktop
            .inPage(() => true, null)
            .then(() => true)
            .catch(() => false);
        await expect.poll(isLoaded, { timeout: 300_000 }).toBe(true);
        // The window is there before the panel.
        const isServing = () =>
          request(machine, `${baseUrl}/stats/overview`, { key }).then(
            () => true,
            () => false,
          );
        await expect.poll(isServing, { timeout: 300_000 }).toBe(true);
        const writer = startWriter(machine, baseUrl, key, acknowledged);
        const awaited = acknowledged.length + Math.floor(Math.random() * MAX_WRITES);
        await expect.poll(() => acknowledged.length, { interval: 1, timeout: 300_000 }).toBeGreaterThanOrEqual(awaited);
        const before = await desktop.snapshot();
        const killed = killAll(desktop, kind);
        let seen = 'nothing';
        if (kind === 'main') {
          await Promise.all([writer.done, desktop.ended]);
          desktop = await machine.start();
          const { notifications } = await desktop.until((snapshot) => snapshot.notifications.length > 0);
          seen = `at the next start the notification “${notifications[0]?.title}”`;
        } else if (kind === 'renderer') {
          const { dialogs } = await desktop.until((snapshot) => snapshot.dialogs.length > before.dialogs.length);
          seen = `the dialog “${dialogs.at(-1)?.options.message}”`;
          await desktop.control('answerMessage', 0);
        }
        await writer.stop();
        expect(await readNames(machine, baseUrl, key)).toEqual(expect.arrayContaining(acknowledged));
        console.log(
          `${kind} ${kill} of ${kills}: ${killed} killed, ${acknowledged.length} acknowledged; seen: ${seen}`,
        );
        if (kind === 'zygote') {
          // Linux starts no other: the window stays as it is until the application is started again.
          expect(await quit(desktop)).toBe(0);
          desktop = await machine.start();
        }
      }
      expect(await quit(desktop)).toBe(0);
    });
  }
});
