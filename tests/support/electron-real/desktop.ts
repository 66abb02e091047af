// The built desktop in Electron itself, by Playwright, as a test drives it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { _electron } from '@playwright/test';
import { findDesktop } from '../../../scripts/desktop.ts';
import { root } from '../../../scripts/run.ts';
import type { Desktop, Place } from '../../desktop/driver.ts';
import { poll, untilOver } from '../../desktop/poll.ts';
import { handModule, type InstalledHand } from './hand.ts';

/** What stands behind Electron's own switches: the hand, then the application. */
function argumentsOf({ appData, home, isPackaged }: Place): string[] {
  const hand = join(appData, 'hand.cjs');
  writeFileSync(hand, handModule({ appData, downloads: join(home, 'Downloads'), isPackaged }));
  return ['--lang=en-GB', '-r', hand, root];
}

function environmentOf({ env }: Place): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined));
}

export async function begin(place: Place): Promise<Desktop> {
  // Without a path of the binary: Playwright then holds the application back until it is connected.
  const application = await _electron.launch({
    args: argumentsOf(place),
    cwd: root,
    env: environmentOf(place),
    chromiumSandbox: true,
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
  });
  const child = application.process();
  const ended = once(child, 'exit').then(([code]): number | null => code);
  // On Windows a command shell stands between.
  const pid = await application.evaluate(() => process.pid);
  const run = (name: keyof InstalledHand, args: readonly unknown[]): Promise<unknown> =>
    application.evaluate(
      async (_electronModule, [act, given]) => {
        const { gatehouseHand } = globalThis as unknown as {
          gatehouseHand: Record<string, (...args: unknown[]) => unknown>;
        };
        return gatehouseHand[act]?.(...given);
      },
      [name, args] as const,
    );
  const look = () => run('look', []) as ReturnType<InstalledHand['look']>;
  return {
    pid,
    look,
    ended,
    until: untilOver(look),
    async control(name, ...args) {
      try {
        await run(name, args);
      } catch (error) {
        // It may have ended by it before it could answer.
        if (child.exitCode === null && child.signalCode === null) throw error;
      }
    },
    page: () =>
      poll(
        async () => application.windows().findLast((one) => one.url().startsWith('app://gatehouse/')),
        'the window has a page',
      ),
    // By Electron, since for Playwright a page that has crashed once is gone.
    inPage: (work, given) => run('runInPage', [`(${work})(${JSON.stringify(given)})`]) as never,
    async kill() {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // Gone already.
      }
      await ended;
    },
  };
}

/** Without Playwright, which waits for one that stays. */
export async function beginToEnd(place: Place): Promise<number | null> {
  const desktop = findDesktop({ root, platform: process.platform, env: process.env, uid: process.getuid?.() });
  if ('missing' in desktop) throw new Error(desktop.missing);
  const child = spawn(desktop.binary, argumentsOf(place), { cwd: root, env: place.env, stdio: 'ignore' });
  const [code] = await once(child, 'exit');
  return code;
}
