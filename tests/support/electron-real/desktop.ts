// Runs the built desktop in Electron itself by Playwright, and implements the driver of the tests.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { _electron } from '@playwright/test';
import { findDesktop } from '../../../scripts/desktop.ts';
import { root } from '../../../scripts/run.ts';
import type { Desktop, LaunchOptions } from '../../desktop/driver.ts';
import { createUntil, isAt, poll } from '../../desktop/poll.ts';
import { controlsModule, type InstalledControls } from './controls.ts';

/** The arguments of Electron: its own switches, the controls, then the application. */
function buildArguments({ appData, home, isPackaged, language, args }: LaunchOptions): string[] {
  const controls = join(appData, 'controls.cjs');
  writeFileSync(controls, controlsModule({ appData, downloads: join(home, 'Downloads'), isPackaged }));
  return [`--lang=${language}`, '-r', controls, root, ...args];
}

function buildEnvironment({ env }: LaunchOptions): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined));
}

/** Reads once more where V8 has collected the promise that the inspector waits for, as it does on a busy machine. */
async function unlessCollected<Read>(read: () => Promise<Read>): Promise<Read> {
  try {
    return await read();
  } catch (error) {
    if (!String(error).includes('garbage collected')) throw error;
    return read();
  }
}

export async function launch(options: LaunchOptions): Promise<Desktop> {
  // Without the path of the binary, so that Playwright delays the application until it is connected.
  const application = await _electron.launch({
    args: buildArguments(options),
    cwd: root,
    env: buildEnvironment(options),
    chromiumSandbox: true,
    locale: options.language,
    timezoneId: 'Europe/Berlin',
  });
  const child = application.process();
  const ended = once(child, 'exit').then(([code]): number | null => code);
  // Not child.pid, which is a command shell on Windows.
  const pid = await unlessCollected(() => application.evaluate(() => process.pid));
  const run = (name: keyof InstalledControls, args: readonly unknown[]): Promise<unknown> =>
    application.evaluate(
      async (_electronModule, [method, given]) => {
        const { gatehouseControls } = globalThis as unknown as {
          gatehouseControls: Record<string, (...args: unknown[]) => unknown>;
        };
        return gatehouseControls[method]?.(...given);
      },
      [name, args] as const,
    );
  const snapshot = () => unlessCollected(() => run('snapshot', []) as ReturnType<InstalledControls['snapshot']>);
  return {
    pid,
    snapshot,
    ended,
    until: createUntil(snapshot),
    async control(name, ...args) {
      try {
        await run(name, args);
      } catch (error) {
        // The action may have ended the application before it could reply.
        if (child.exitCode === null && child.signalCode === null) throw error;
      }
    },
    page: (place) =>
      poll(
        async () => application.windows().findLast((candidate) => isAt(candidate.url(), place)),
        'the window has a page',
      ),
    // By Electron, because Playwright cannot use a page that has crashed once.
    inPage: (work, given) => run('runInPage', [`(${work})(${JSON.stringify(given)})`]) as never,
    async kill() {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // The process has already ended.
      }
      await ended;
    },
  };
}

/** Without Playwright, which waits for an application that keeps running. */
export async function launchAndWait(options: LaunchOptions): Promise<number | null> {
  const desktop = findDesktop({ root, platform: process.platform, env: process.env, uid: process.getuid?.() });
  if ('missing' in desktop) throw new Error(desktop.missing);
  const child = spawn(desktop.binary, buildArguments(options), { cwd: root, env: options.env, stdio: 'ignore' });
  const [code] = await once(child, 'exit');
  return code;
}
