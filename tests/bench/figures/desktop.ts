// How soon the desktop is there after its start, and what all its processes hold while it is idle. It needs Electron's binary.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Browser, chromium, type Page } from '@playwright/test';
import { findDesktop } from '../../../scripts/desktop.ts';
import { root } from '../../../scripts/run.ts';
import type { Bench, Figure, Measured } from '../figure.ts';
import { median } from '../statistics.ts';

const PASSWORD = 'correct horse battery staple';
const LOOK_MS = 10;
const KIB = 1024;
const DEVTOOLS = /DevTools listening on (ws:\S+)/;

interface Started {
  readonly child: ChildProcess;
  /** Epoch ms. */
  readonly at: number;
  page(): Promise<Page>;
  stop(): Promise<void>;
}

function start(binary: string, env: NodeJS.ProcessEnv): Started {
  const at = Date.now();
  const child = spawn(binary, ['--remote-debugging-port=0', root], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  let browser: Browser | undefined;
  const look = async <Found>(find: () => Found | undefined | Promise<Found | undefined>): Promise<Found> => {
    for (;;) {
      const found = await find();
      if (found !== undefined) return found;
      if (child.exitCode !== null) throw new Error(`the desktop has ended:\n${output}`);
      await wait(LOOK_MS);
    }
  };
  return {
    child,
    at,
    async page() {
      const address = await look(() => DEVTOOLS.exec(output)?.[1]);
      // Attaching while the page is loading can hang; it has its title when it has been drawn.
      const targets = `http://${new URL(address).host}/json/list`;
      await look(async () => ((await (await fetch(targets)).text()).includes('· Gatehouse') ? true : undefined));
      browser ??= await chromium.connectOverCDP(address);
      const [context] = browser.contexts();
      return look(() => context?.pages().find((page) => page.url().startsWith('app://')));
    },
    async stop() {
      await browser?.close();
      child.kill();
      await ended;
    },
  };
}

/** Calls an operation as the pages do. */
const call = (page: Page, id: string, input: object): Promise<unknown> =>
  page.evaluate(`gatehouse.call(${JSON.stringify(id)}, ${JSON.stringify(JSON.stringify(input))}, {})
    .then(({ text, problem }) => { if (problem) throw new Error(problem.detail); return JSON.parse(text); })`);

/** When anything answers there, epoch ms. */
async function answeredAt(url: string): Promise<number> {
  for (;;) {
    const answer = Promise.withResolvers<boolean>();
    const request = https.get(url, { rejectUnauthorized: false, agent: false }, (reply) => {
      reply.resume();
      answer.resolve(true);
    });
    request.on('error', () => answer.resolve(false));
    if (await answer.promise) return Date.now();
    await wait(LOOK_MS);
  }
}

/** What is painted first in the window, epoch ms. */
async function paintedAt(page: Page): Promise<number> {
  for (;;) {
    const at = await page.evaluate(
      `performance.timeOrigin + (performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN)`,
    );
    if (Number.isFinite(at)) return Number(at);
    await wait(LOOK_MS);
  }
}

/** Proportional memory of a process and of all that it started, MB. */
function measureMemory(pid: number): { readonly sum: number; readonly count: number } {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const parents = lines.map((line) => line.trim().split(/\s+/).map(Number));
  const tree = new Set([pid]);
  // A child may be listed before its parent.
  for (let size = 0; size < tree.size; ) {
    size = tree.size;
    for (const [own = 0, parent = 0] of parents) if (tree.has(parent)) tree.add(own);
  }
  const sizes = [...tree].map((own) => {
    const found = existsSync(`/proc/${own}`)
      ? /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${own}/smaps_rollup`, 'utf8'))
      : null;
    return Number(found?.[1] ?? 0) / KIB;
  });
  return { sum: sizes.reduce((total, size) => total + size, 0), count: sizes.length };
}

async function measureDesktop(binary: string, { databases, scale }: Bench): Promise<readonly Measured[]> {
  const config = mkdtempSync(join(tmpdir(), 'gatehouse-bench-desktop-'));
  const folder = await databases.copy('middle');
  const users = databases.sizes.middle.toLocaleString('en');
  const env = {
    ...process.env,
    GATEHOUSE_DATA: folder,
    GATEHOUSE_KEY_FILE: `${folder}.key`,
    XDG_CONFIG_HOME: config,
  };
  try {
    const first = start(binary, env);
    const page = await first.page();
    await page.locator('h1').waitFor();
    await call(page, 'setUp', { token: 'here', name: 'admin', password: PASSWORD });
    const { base_url: url } = (await call(page, 'panelState', {})) as { base_url: string };
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await wait(scale.idleMs);
    const { sum, count } = measureMemory(first.child.pid ?? 0);
    await first.stop();

    const painted: number[] = [];
    const answered: number[] = [];
    for (let round = 0; round < scale.rounds; round += 1) {
      const started = start(binary, env);
      answered.push((await answeredAt(url)) - started.at);
      painted.push((await paintedAt(await started.page())) - started.at);
      await started.stop();
    }
    const row = { reach: { most: 2000 }, isRatio: false, unit: 'ms' } as const;
    const spread = (values: readonly number[]) => ({
      value: median(values),
      range: [Math.min(...values), Math.max(...values)] as const,
    });
    return [
      {
        title: `desktop: from its start to the window, ${users} users`,
        ...row,
        ...spread(painted),
        detail: 'until the sign-in is painted; the files are in the cache of the system',
      },
      {
        title: `desktop: from its start to the first answer, ${users} users`,
        ...row,
        ...spread(answered),
        detail: 'until the port of the API answers over HTTPS',
      },
      {
        title: `desktop: memory when idle, ${users} users`,
        reach: { most: 350 },
        isRatio: false,
        unit: 'MB',
        value: sum,
        detail: `proportional (PSS) of all ${count} processes, the overview open for ${scale.idleMs / 1000} s`,
      },
    ];
  } finally {
    rmSync(config, { recursive: true, force: true });
  }
}

export const desktop: Figure = {
  name: 'desktop',
  async measure(bench) {
    const found = findDesktop({ root, platform: process.platform, env: process.env, uid: process.getuid?.() });
    const missing =
      process.platform !== 'linux'
        ? 'is measured on Linux only, which tells the memory of each process.'
        : 'missing' in found
          ? found.missing
          : existsSync(join(root, 'out/main/index.js'))
            ? null
            : 'needs the built application (`npm run build`).';
    if (missing === null && 'binary' in found) return measureDesktop(found.binary, bench);
    bench.printLine(`! THE DESKTOP IS NOT MEASURED: it ${missing}`);
    return [];
  },
};
