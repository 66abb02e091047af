// An installation whose panel runs under its launcher, as processes of their own.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { connectControl } from '../../src/adapters/control-socket.ts';
import { openConnection } from '../../src/store/database.ts';
import { openReleaseServer, type ReleaseServer } from '../support/release-server.ts';

/** A busy machine may be slow; nothing is asserted about time. */
export const PATIENT = { timeout: 120_000, interval: 100 };

export interface Installed extends AsyncDisposable {
  readonly server: ReleaseServer;
  readonly data: string;
  current(): string;
  /** Runs a command to its end. */
  run(args: readonly string[]): Promise<{ code: number | null; out: string }>;
  /** Starts a command and leaves it to run. */
  start(args: readonly string[]): ChildProcess;
  /** Starts `panel serve` under the launcher and waits until it answers. */
  serve(): Promise<ChildProcess>;
  /** Ends the panel and its launcher. */
  stop(): Promise<void>;
  /** The version that answers over the control socket; null: none does. */
  running(): Promise<string | null>;
  /** The names of plans, which stand for the data. */
  plans(): readonly string[];
  addPlan(name: string): void;
  /** What the running panel knows of its updates. */
  lastUpdate(): unknown;
  audited(): readonly unknown[];
}

export async function openInstalled(): Promise<Installed> {
  const server = await openReleaseServer();
  const data = join(dirname(server.root), 'data');
  const database = join(data, 'panel.db');
  const children = new Set<ChildProcess>();

  const start = (args: readonly string[]): ChildProcess => {
    const env = { ...process.env, GATEHOUSE_DATA: data, NO_COLOR: '1', GATEHOUSE_KEY_FILE: join(dirname(data), 'key') };
    // A group of its own, so that the end of the test reaches what the launcher has started.
    const child = spawn(join(server.root, 'panel'), args, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    children.add(child);
    return child;
  };

  const read = <T>(work: (db: ReturnType<typeof openConnection>) => T): T => {
    const db = openConnection(database, { readonly: true });
    try {
      return work(db);
    } finally {
      db.close();
    }
  };

  let serving: ChildProcess | null = null;
  const running = async () => {
    const control = existsSync(data) ? await connectControl(data) : null;
    if (control === null) return null;
    try {
      const state = await control.callPanel('update-state', {});
      return (state as { version: string }).version;
    } catch {
      return null;
    } finally {
      control.close();
    }
  };

  return {
    server,
    data,
    start,
    running,
    current: () => readFileSync(join(server.root, 'current'), 'utf8').trim(),
    async run(args) {
      const child = start(args);
      const closed = once(child, 'close');
      const [out, err] = await Promise.all([readStream(child.stdout), readStream(child.stderr)]);
      const [code] = await closed;
      children.delete(child);
      return { code, out: out + err };
    },
    async serve() {
      const child = start(['serve', '--port', '0']);
      serving = child;
      child.stdout?.resume();
      child.stderr?.resume();
      await expect.poll(running, PATIENT).not.toBeNull();
      return child;
    },
    async stop() {
      if (serving === null) return;
      const exit = once(serving, 'exit');
      killGroup(serving);
      await exit;
      await expect.poll(running, PATIENT).toBeNull();
    },
    plans: () => read((db) => db.prepare<[], string>('SELECT name FROM tariffs ORDER BY id').pluck().all()),
    addPlan(name) {
      const db = openConnection(database);
      try {
        db.prepare(
          `INSERT INTO tariffs (name, reset_strategy, starts, archived, created_at, updated_at, version)
           VALUES (?, 'none', 'on_creation', 0, 1, 1, 1)`,
        ).run(name);
      } finally {
        db.close();
      }
    },
    lastUpdate: () =>
      read((db) => {
        const value = db.prepare<[], string>("SELECT value FROM settings WHERE name = 'updateLast'").pluck().get();
        return value === undefined ? null : JSON.parse(value);
      }),
    audited: () =>
      read((db) =>
        db
          .prepare<[], { outcome: string; detail: string }>(
            "SELECT outcome, detail FROM audit WHERE action = 'updatePanel' ORDER BY id",
          )
          .all()
          .map(({ outcome, detail }) => ({ outcome, ...JSON.parse(detail) })),
      ),
    async [Symbol.asyncDispose]() {
      for (const child of children) killGroup(child);
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Ends a process and all that it has started. */
export function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended before.
  }
}

const readStream = (stream: NodeJS.ReadableStream | null) => (stream === null ? '' : text(stream));
