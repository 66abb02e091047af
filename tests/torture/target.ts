// The panel that is killed: started on its folder again and again, and spoken to wherever it is just now.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { expect } from 'vitest';
import type { CallOf, OutputOf } from '../../src/contract/operation.ts';
import type { OPERATIONS, OperationId } from '../../src/contract/table.ts';
import { cheapenPassword } from '../support/cheap-password.ts';
import { type CommandLine, openCommandLine, PASSWORD, type Serving } from '../support/cli.ts';
import { type Answer, type Client, createClient } from '../support/http-client.ts';
import { createSessionJar } from '../support/session-jar.ts';

export { PASSWORD };

type Table = typeof OPERATIONS;

const COMMAND = join(import.meta.dirname, '../../bin/panel.mjs');
const SERVE = ['--http', '--port', '0', '--rate-limit', '0'];
const SOCKETS = 16;

export interface Target extends AsyncDisposable {
  readonly folder: string;
  readonly database: string;
  readonly line: CommandLine;
  /** What `panel serve` printed of itself at its last start. */
  serving(): Serving;
  /** Starts it, waits until it serves, and signs in: a kill leaves unfinished attempts, which count as failed until then. */
  start(): Promise<void>;
  kill(): Promise<void>;
  /** A start that is cut short after `delay` ms: maybe before the lock, maybe in the middle of recovery. */
  killWhileStarting(delay: number): Promise<void>;
  /** Ends it gently, as a service manager does. */
  stop(): Promise<void>;
  /** The key, with Full access. */
  readonly key: string;
  /** Speaks with the key to the present path. */
  client(): Client;
  /** Sends with the key, and again from the new path where the old one was given up. Rejects where the panel died under it. */
  send<Body>(make: (client: Client) => Promise<Answer<Body>>): Promise<Answer<Body>>;
  /** Calls an operation with the administrator's session, in the same way. */
  operate<Id extends OperationId>(id: Id, input: CallOf<Table[Id]>): Promise<Answer<OutputOf<Table[Id]>>>;
  /** Runs what changes the secret path; resolves when requests go to the new one. */
  move(act: () => Promise<{ readonly base_url: string }>): Promise<void>;
}

/** Sets up a panel with an administrator and a key, and starts it. */
export async function openTarget(): Promise<Target> {
  const line = openCommandLine({}, { hashing: 'real' });
  const database = join(line.folder, 'panel.db');
  const serve = [...SERVE, '--key-file', join(line.folder, '..', 'master.key')];
  const key = await setUp(line, database);
  let serving: Serving | null = null;
  let client = createClient({ baseUrl: 'http://127.0.0.1', key });
  const former: Client[] = [];
  const jar = createSessionJar();
  let moving: Promise<void> = Promise.resolve();

  function turnTo(baseUrl: string): void {
    former.push(client);
    const url = new URL(baseUrl);
    // The address that it gives out need not lead anywhere from here.
    url.hostname = '127.0.0.1';
    client = createClient({ baseUrl: url.href, key, sockets: SOCKETS });
  }

  const running = () => {
    if (!serving) throw new Error('the panel does not run');
    return serving;
  };
  async function end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    expect(await running().end(signal)).toEqual(
      signal === 'SIGKILL' ? { code: null, signal } : { code: 0, signal: null },
    );
    serving = null;
  }

  const target: Target = {
    folder: line.folder,
    database,
    line,
    key,
    serving: running,
    async start() {
      serving = await line.serve(serve);
      moving = Promise.resolve();
      turnTo(serving.baseUrl);
      for (const left of former.splice(0)) left.close();
      await body(target.operate('signIn', { name: 'admin', password: PASSWORD }));
    },
    kill: () => end('SIGKILL'),
    async killWhileStarting(delay) {
      const env = { ...process.env, GATEHOUSE_DATA: line.folder, XDG_CONFIG_HOME: join(line.folder, '../config') };
      const child = spawn(process.execPath, [COMMAND, 'serve', ...serve], { env, stdio: 'ignore' });
      const exit = once(child, 'exit');
      await wait(delay);
      child.kill('SIGKILL');
      await exit;
    },
    stop: () => end('SIGTERM'),
    client: () => client,
    async send(make) {
      for (;;) {
        const used = client;
        const answer = await make(used);
        if (!isConstantReply(answer)) return answer;
        await moving;
        expect(client, 'the constant reply, although the path was not changed').not.toBe(used);
      }
    },
    operate: (id, input) =>
      target.send(async (to) => {
        const path = new URL(`../panel/${id}`, to.baseUrl).href;
        const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', ...jar.headers() };
        const answer = await to.as(null).send<never>({ method: 'POST', path, headers, body: JSON.stringify(input) });
        jar.store(answer.headers);
        return answer;
      }),
    async move(act) {
      moving = act().then(({ base_url }) => turnTo(base_url));
      await moving;
    },
    async [Symbol.asyncDispose]() {
      for (const each of [...former, client]) each.close();
      await line[Symbol.asyncDispose]();
    },
  };
  await target.start();
  return target;
}

/** Whether a request failed because the panel died under it: its outcome is unknown then. */
export function isCutOff(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(?:ECONN|EPIPE)/.test(String(error.code));
}

/** What everything gets that does not know the present paths. */
export function isConstantReply({ status, text, headers }: Answer): boolean {
  return status === 404 && text === '' && headers['content-type'] === undefined;
}

/** The body of an answer that must be a success. */
export async function body<T>(answer: Promise<Answer<T>>): Promise<T> {
  const { status, text } = await answer;
  expect(status, text).toBeLessThan(300);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

async function setUp(line: CommandLine, database: string): Promise<string> {
  const set = await line.run(['setup', '--name', 'admin'], `${PASSWORD}\n`);
  expect(set.code, set.stderr).toBe(0);
  // With the real cost the panel would compute passwords nearly all the time, and be killed at nothing else.
  await cheapenPassword(database, PASSWORD);
  const added = await line.run(['key', 'add', '--name', 'torture', '--access', 'full'], `${PASSWORD}\n`);
  expect(added.code, added.stderr).toBe(0);
  return added.stdout.trim();
}

/** The file is whole, every reference leads somewhere, and the maintained counts are those of the rows. */
export function requireSound(database: string): void {
  const db = new Database(database, { readonly: true, fileMustExist: true });
  try {
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(db.pragma('foreign_key_check')).toEqual([]);
    const kept = 'SELECT tariff_id, state, count FROM user_counts WHERE count > 0 ORDER BY tariff_id, state';
    const counted = `SELECT coalesce(tariff_id, 0) AS tariff_id, state, count(*) AS count FROM users
      GROUP BY 1, 2 ORDER BY 1, 2`;
    expect(db.prepare(kept).all()).toEqual(db.prepare(counted).all());
  } finally {
    db.close();
  }
}

/** Names of what a kill broke off among the backups. */
export function unfinishedIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.unfinished')) : [];
}

/** mulberry32: the same numbers, from 0 to below 1, for the same seed. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
