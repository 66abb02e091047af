// The built desktop in a process of its own over the stand-in, in folders of its own, as a test drives it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Browser, chromium, type Page } from '@playwright/test';
import { root } from '../../../scripts/run.ts';
import type { CONTROLS } from './controls.ts';

type Controls = typeof CONTROLS;
export type Look = Awaited<ReturnType<Controls['look']>>;

export interface Machine extends AsyncDisposable {
  readonly folder: string;
  /** The panel's data folder. */
  readonly data: string;
  /** Files that a person saves. */
  readonly home: string;
  start(args?: readonly string[]): Promise<Desktop>;
  /** Starts it and waits until it has ended by itself: resolves to its exit code. */
  startAndEnd(): Promise<number | null>;
}

export interface Desktop {
  readonly pid: number;
  control<Name extends keyof Controls>(
    name: Name,
    ...args: Parameters<Controls[Name]>
  ): Promise<Awaited<ReturnType<Controls[Name]>>>;
  look(): Promise<Look>;
  /** Resolves once what is seen passes. */
  until(passes: (look: Look) => boolean): Promise<Look>;
  /** The page in the window, as it is now. */
  page(): Promise<Page>;
  /** Resolves to the exit code, null where it was killed. */
  readonly ended: Promise<number | null>;
  kill(): Promise<void>;
}

const PATIENCE_MS = 30_000;

/** Asks again and again until there is something else than undefined. */
export async function poll<Found>(look: () => Promise<Found | undefined>, what: string): Promise<Found> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > end) throw new Error(`${what}: not within ${PATIENCE_MS} ms`);
    await pause(50);
  }
}

export function openMachine(env: NodeJS.ProcessEnv = {}): Machine {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-desktop-'));
  const home = join(folder, 'home');
  const data = join(folder, 'data');
  mkdirSync(home);
  const running = new Set<Desktop>();
  const begin = (args: readonly string[]) => {
    const desktop = begun(args, {
      ...process.env,
      HOME: home,
      XDG_CONFIG_HOME: join(folder, 'config'),
      GATEHOUSE_DATA: data,
      GATEHOUSE_KEY_FILE: join(folder, 'master.key'),
      ...env,
    });
    running.add(desktop);
    return desktop;
  };
  return {
    folder,
    data,
    home,
    async start(args = []) {
      const desktop = begin(args);
      await desktop.until(({ windows, shown }) => windows.length > 0 || shown.length > 0 || args.length > 0);
      return desktop;
    },
    startAndEnd: () => begin([]).ended,
    async [Symbol.asyncDispose]() {
      for (const desktop of running) await desktop.kill();
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}

function begun(args: readonly string[], env: NodeJS.ProcessEnv): Desktop {
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
  const control = controlsOf(child, () => output);
  let browser: Browser | null = null;
  const desktop: Desktop = {
    pid: child.pid ?? 0,
    control,
    look: () => control('look'),
    until: (passes) =>
      poll(async () => {
        const look = await control('look');
        return passes(look) ? look : undefined;
      }, `the desktop shows it (${passes})`),
    async page() {
      const port = await poll(async () => control('debugPort').catch(() => undefined), 'the browser is up');
      browser ??= await chromium.connectOverCDP(`http://127.0.0.1:${port}`);
      const [context] = browser.contexts();
      return poll(async () => {
        const page = context?.pages().findLast((one) => one.url().includes('gatehouse.app.invalid'));
        // One that has crashed is still in the list.
        return page
          ?.evaluate(() => true)
          .then(
            () => page,
            () => undefined,
          );
      }, 'the window has a page');
    },
    ended,
    async kill() {
      await browser?.close().catch(() => undefined);
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await ended;
    },
  };
  return desktop;
}

function controlsOf(child: ChildProcess, output: () => string): Desktop['control'] {
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
