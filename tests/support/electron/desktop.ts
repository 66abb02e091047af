// The built desktop in a process of its own over the stand-in, as a test drives it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from '@playwright/test';
import { root } from '../../../scripts/run.ts';
import type { Desktop, Look, Place } from '../../desktop/driver.ts';
import { poll, untilOver } from '../../desktop/poll.ts';
import type { CONTROLS } from './controls.ts';

type Controls = typeof CONTROLS;

function environmentOf({ appData, home, isPackaged, env }: Place): NodeJS.ProcessEnv {
  const packed = isPackaged ? { STAND_IN_PACKED: '1' } : {};
  return { ...env, HOME: home, XDG_CONFIG_HOME: appData, ...packed };
}

export async function begin(place: Place): Promise<Desktop> {
  return begun(environmentOf(place));
}

export function beginToEnd(place: Place): Promise<number | null> {
  return begun(environmentOf(place)).ended;
}

function begun(env: NodeJS.ProcessEnv): Desktop {
  const register = new URL('./register.ts', import.meta.url).href;
  const child = spawn(process.execPath, ['--import', register, join(root, 'out/main/index.js')], {
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
  const control = controlsOf(child, () => output);
  let browser: Browser | null = null;
  const page = async (): Promise<Page> => {
    // A dialog that nobody expects keeps the window empty.
    let shown: Look['shown'] = [];
    const portOf = async () => {
      ({ shown } = await look());
      return control('debugPort');
    };
    browser ??= await chromium.connectOverCDP(
      `http://127.0.0.1:${await poll(portOf, () => `the window has a page (shown: ${JSON.stringify(shown)})`)}`,
    );
    const [context] = browser.contexts();
    return poll(async () => {
      const found = context?.pages().findLast((one) => one.url().includes('gatehouse.app.invalid'));
      // One that has crashed is still in the list.
      return found
        ?.evaluate(() => true)
        .then(
          () => found,
          () => undefined,
        );
    }, 'the window has a page');
  };
  const look = () => control('look');
  return {
    pid: child.pid ?? 0,
    async control(name, ...args) {
      await control(name, ...args);
    },
    look,
    page,
    until: untilOver(look),
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

function controlsOf(child: ChildProcess, output: () => string): Control {
  let lastId = 0;
  const asked = new Map<number, PromiseWithResolvers<unknown>>();
  child.on('message', ({ id, result, failure }: { id: number; result?: unknown; failure?: string }) => {
    const one = asked.get(id);
    asked.delete(id);
    if (failure === undefined) one?.resolve(result);
    else one?.reject(new Error(failure));
  });
  child.on('exit', (code) => {
    for (const one of asked.values()) one.reject(new Error(`the desktop ended with ${code}:\n${output()}`));
  });
  return async (name, ...args) => {
    const id = ++lastId;
    const one = Promise.withResolvers<unknown>();
    asked.set(id, one);
    child.send({ id, name, args }, (error) => {
      if (error) one.reject(new Error(`the desktop is gone:\n${output()}`));
    });
    return one.promise as never;
  };
}
