// Each process of the application is killed while bots write: what was acknowledged stays, and but for the main one the panel serves on.
import { expect, inject, it } from 'vitest';
import { times } from '../support/long.ts';
import { request } from './api.ts';
import { type Desktop, describeDesktop, type Machine, openMachine } from './driver.ts';
import { listDescendants } from './processes.ts';
import { call, createApiKey, quit, readBaseUrl, setUp } from './steps.ts';

/** As Chromium names its processes; '' is the main one. */
const KINDS = ['renderer', 'gpu-process', 'utility', 'zygote', ''] as const;
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
    const { body } = await request(machine, `${baseUrl}/users?limit=100${cursor && `&cursor=${cursor}`}`, { key });
    const page = JSON.parse(body) as { items: { name: string }[]; next_cursor: string | null };
    names.push(...page.items.map(({ name }) => name));
    cursor = page.next_cursor;
  }
  return names;
}

// The stand-in has no such processes.
if (inject('isElectronReal') && process.platform === 'linux') {
  describeDesktop('a process of the application that is killed at any moment', () => {
    it.each(KINDS)('%s', async (kind) => {
      await using machine = openMachine();
      let desktop: Desktop = await machine.start();
      const page = await desktop.page();
      await setUp(page);
      await call(page, 'createTariff', { name: 'Monthly', duration: { months: 1 } });
      const [baseUrl, key] = [await readBaseUrl(page), await createApiKey(page)];
      const acknowledged: string[] = [];
      for (let kill = 0; kill < times(2, 20); kill += 1) {
        const writer = startWriter(machine, baseUrl, key, acknowledged);
        const awaited = acknowledged.length + Math.floor(Math.random() * MAX_WRITES);
        await expect.poll(() => acknowledged.length, { interval: 1, timeout: 300_000 }).toBeGreaterThanOrEqual(awaited);
        const before = (await desktop.snapshot()).dialogs.length;
        const found = kind === '' ? [desktop.pid] : listDescendants(desktop.pid, `--type=${kind}`);
        for (const pid of found) process.kill(pid, 'SIGKILL');
        if (kind === '') {
          await Promise.all([writer.done, desktop.ended]);
          desktop = await machine.start();
          await desktop.until(({ notifications }) => notifications.length > 0);
        } else {
          // Nothing more than a dialog about the window.
          const shown = kind === 'renderer' ? 1 : 0;
          await desktop.until(({ dialogs }) => dialogs.length >= before + shown);
          if (shown > 0) await desktop.control('answerMessage', 0);
          await writer.stop();
        }
        expect(await readNames(machine, baseUrl, key)).toEqual(expect.arrayContaining(acknowledged));
        console.log(`${kind || 'main'} ${kill + 1}: ${found.length} killed, ${acknowledged.length} users acknowledged`);
      }
      expect(await quit(desktop)).toBe(0);
    });
  });
}
