// Runs the built desktop over the stand-in in its own process, and implements the driver of the tests.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from '@playwright/test';
import { root } from '../../../scripts/run.ts';
import type { Desktop, LaunchOptions, Snapshot } from '../../desktop/driver.ts';
import { createUntil, isAt, poll } from '../../desktop/poll.ts';

import { fromPage } from './addresses.ts';
import type { CONTROLS } from './controls.ts';

type Controls = typeof CONTROLS;

function buildEnvironment({ appData, home, isPackaged, language, env }: LaunchOptions): NodeJS.ProcessEnv {
  const packed = isPackaged ? { STAND_IN_PACKED: '1' } : {};
  return { ...env, HOME: home, XDG_CONFIG_HOME: appData, STAND_IN_LANGUAGE: language, ...packed };
}

export async function launch(options: LaunchOptions): Promise<Desktop> {
  return spawnDesktop(buildEnvironment(options), options.args);
}

export function launchAndWait(options: LaunchOptions): Promise<number | null> {
  return spawnDesktop(buildEnvironment(options), options.args).ended;
}

function spawnDesktop(env: NodeJS.ProcessEnv, args: readonly string[]): Desktop {
  const register = new URL('./register.ts', import.meta.url).href;
  const child = spawn(process.execPath, ['--import', register, join(root, 'out/main/index.js'), ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const ended = once(child, 'exit').then(([code]): number | null => code);
  const control = createControl(child, () => output);
  let browser: Browser | null = null;
  const page = async (place?: string): Promise<Page> => {
    // An unexpected dialog leaves the window empty, so the error names it.
    let dialogs: Snapshot['dialogs'] = [];
    const readDebugPort = async () => {
      ({ dialogs } = await snapshot());
      return control('debugPort');
    };
    browser ??= await chromium.connectOverCDP(
      `http://127.0.0.1:${await poll(readDebugPort, () => `the window has a page (dialogs: ${JSON.stringify(dialogs)})`)}`,
    );
    const [context] = browser.contexts();
    return poll(async () => {
      const found = context?.pages().findLast((candidate) => isAt(fromPage(candidate.url()), place));
      // A crashed page is still in the list.
      return found
        ?.evaluate(() => true)
        .then(
          () => found,
          () => undefined,
        );
    }, 'the window has a page');
  };
  const snapshot = () => control('snapshot');
  return {
    pid: child.pid ?? 0,
    async control(name, ...args) {
      await control(name, ...args);
    },
    snapshot,
    page,
    until: createUntil(snapshot),
    inPage: async (work, given) => (await page()).evaluate(work as never, given as never),
    ended,
    async kill() {
      await browser?.close().catch(() => undefined);
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await ended;
    },
  };
}

type Control = <Name extends keyof Controls>(
  name: Name,
  ...args: Parameters<Controls[Name]>
) => Promise<Awaited<ReturnType<Controls[Name]>>>;

function createControl(child: ChildProcess, output: () => string): Control {
  let lastId = 0;
  const pending = new Map<number, PromiseWithResolvers<unknown>>();
  child.on('message', ({ id, result, failure }: { id: number; result?: unknown; failure?: string }) => {
    const request = pending.get(id);
    pending.delete(id);
    if (failure === undefined) request?.resolve(result);
    else request?.reject(new Error(failure));
  });
  child.on('exit', (code) => {
    for (const request of pending.values()) request.reject(new Error(`the desktop ended with ${code}:\n${output()}`));
  });
  return async (name, ...args) => {
    const id = ++lastId;
    const request = Promise.withResolvers<unknown>();
    pending.set(id, request);
    child.send({ id, name, args }, (error) => {
      if (error) request.reject(new Error(`the desktop is gone:\n${output()}`));
    });
    return request.promise as never;
  };
}
