// Kills the real panel with SIGKILL while it writes, and looks at what is left: every acknowledged effect once, any other whole or not
// at all, and a repetition under the same Idempotency-Key makes it exactly one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { expect } from 'vitest';
import { type CommandLine, openCommandLine, PASSWORD, type Serving } from '../support/cli.ts';
import { type Answer, type Client, createClient } from '../support/http-client.ts';
import { type Lane, makeLanes } from './lanes.ts';

export interface TortureOptions {
  readonly kills: number;
  /** Makes the moments of the kills. */
  readonly seed: number;
  readonly log?: (line: string) => void;
}

export interface TortureReport {
  readonly kills: number;
  /** Acts that were acknowledged before a kill, and those that were under way. */
  readonly acknowledged: number;
  readonly interrupted: number;
  /** Of the interrupted ones, how many had taken effect. */
  readonly completed: number;
  readonly ms: number;
}

/** The longest that a panel is left to write before it is killed. */
const LONGEST_MS = 500;
const SERVE = ['--http', '--port', '0', '--rate-limit', '0'];

/** How far a lane has come: acts answered with success, and whether one is under way. */
interface Progress {
  acknowledged: number;
  isPending: boolean;
}

/** mulberry32: the same moments for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export async function torture({ kills, seed, log = () => {} }: TortureOptions): Promise<TortureReport> {
  const began = performance.now();
  const random = randomOf(seed);
  await using line = openCommandLine();
  const key = await makeKey(line);
  const database = join(line.folder, 'panel.db');
  let serving = await line.serve(SERVE);
  let client = createClient({ baseUrl: serving.baseUrl, key, sockets: 16 });
  const lanes = await makeLanes(client);
  const progress = new Map<Lane, Progress>(lanes.map((lane) => [lane, { acknowledged: 0, isPending: false }]));
  let interrupted = 0;
  let completed = 0;

  for (let kill = 1; kill <= kills; kill++) {
    const delay = Math.floor(random() * LONGEST_MS);
    await writeUntilKilled(serving, client, lanes, progress, delay);
    client.close();
    if (kill % 4 === 0) await killWhileStarting(line.folder, Math.floor(random() * 2 * LONGEST_MS));
    serving = await line.serve(SERVE);
    client = createClient({ baseUrl: serving.baseUrl, key, sockets: 16 });
    requireSound(database);
    const pending = lanes.filter((lane) => progress.get(lane)?.isPending);
    for (const lane of lanes) if (await settle(client, lane, progressOf(progress, lane))) completed += 1;
    interrupted += pending.length;
    log(`kill ${kill}/${kills} after ${delay} ms: ${pending.length} acts under way`);
  }
  await requireTold(client, database, lanes, progress);
  client.close();
  const { code } = await serving.end('SIGTERM');
  expect(code, 'a last, gentle stop').toBe(0);
  requireSound(database);
  const acknowledged = lanes.reduce((sum, lane) => sum + progressOf(progress, lane).acknowledged, 0) - interrupted;
  return { kills, acknowledged, interrupted, completed, ms: performance.now() - began };
}

async function makeKey(line: CommandLine): Promise<string> {
  const set = await line.run(['setup', '--name', 'admin'], `${PASSWORD}\n`);
  expect(set.code, set.stderr).toBe(0);
  const added = await line.run(['key', 'add', '--name', 'torture', '--access', 'full'], `${PASSWORD}\n`);
  expect(added.code, added.stderr).toBe(0);
  return added.stdout.trim();
}

function progressOf(progress: ReadonlyMap<Lane, Progress>, lane: Lane): Progress {
  const found = progress.get(lane);
  if (!found) throw new Error(`no progress of ${lane.name}`);
  return found;
}

/** All lanes write, each one act after the other, until the panel dies under them. */
async function writeUntilKilled(
  serving: Serving,
  client: Client,
  lanes: readonly Lane[],
  progress: ReadonlyMap<Lane, Progress>,
  delay: number,
): Promise<void> {
  let isKilled = false;
  const writing = lanes.map(async (lane) => {
    const own = progressOf(progress, lane);
    while (!isKilled && own.acknowledged < (lane.last ?? Number.POSITIVE_INFINITY)) {
      own.isPending = true;
      let answer: Answer;
      try {
        answer = await lane.send(client, own.acknowledged + 1);
      } catch {
        // The connection died with the panel: nobody knows what became of it.
        return;
      }
      expect(answer.status, `${lane.name}: ${answer.text}`).toBeLessThan(300);
      own.acknowledged += 1;
      own.isPending = false;
    }
  });
  await wait(delay);
  isKilled = true;
  expect((await serving.end('SIGKILL')).signal).toBe('SIGKILL');
  await Promise.all(writing);
}

/** A start that is cut short, maybe before the lock, maybe in the middle of recovery. */
async function killWhileStarting(folder: string, delay: number): Promise<void> {
  const command = join(import.meta.dirname, '../../bin/panel.mjs');
  const env = { ...process.env, GATEHOUSE_DATA: folder };
  const child = spawn(process.execPath, [command, 'serve', ...SERVE], { env, stdio: 'ignore' });
  const exit = once(child, 'exit');
  await wait(delay);
  child.kill('SIGKILL');
  await exit;
}

/** The act that was under way is there or not; repeated twice at once, it is there once. Returns whether it was there. */
async function settle(client: Client, lane: Lane, own: Progress): Promise<boolean> {
  const { acknowledged, isPending } = own;
  const found = await lane.count(client);
  const possible = isPending ? [acknowledged, acknowledged + 1] : [acknowledged];
  expect(possible, `${lane.name}: acknowledged ${acknowledged}`).toContain(found);
  if (!isPending) return false;
  const wasThere = found > acknowledged;
  const number = acknowledged + 1;
  const answers = await Promise.all([1, 2].map(() => persist(() => lane.send(client, number))));
  for (const { status, text } of answers) {
    const isGone = lane.name === 'delete' && status === 404;
    expect(isGone || status < 300, `${lane.name}, repeated: ${text}`).toBe(true);
  }
  if (lane.isKeyed) {
    const replayed = answers.filter(({ headers }) => headers['idempotency-replayed'] === 'true').length;
    expect(replayed, `${lane.name}: answered from memory`).toBe(wasThere ? 2 : 1);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  }
  own.acknowledged = number;
  own.isPending = false;
  expect(await lane.count(client), `${lane.name}, after the repetition`).toBe(number);
  return wasThere;
}

async function persist(send: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await send();
    if (answer.status !== 409) return answer;
    expect(answer.problem.detail).toBe('idempotency_in_flight');
  }
}

/** The file is whole, every reference leads somewhere, and the maintained counts are those of the rows. */
function requireSound(database: string): void {
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

/** Every act is told once in the feed, and stands once in the audit log. */
async function requireTold(
  client: Client,
  database: string,
  lanes: readonly Lane[],
  progress: ReadonlyMap<Lane, Progress>,
): Promise<void> {
  const told = new Map<Lane, number>(lanes.map((lane) => [lane, 0]));
  for (let after = 0; ; ) {
    const { items, next_after } = (await client.call('listEvents', { after, limit: 500 })).body;
    for (const { type, data } of items) {
      for (const lane of lanes) {
        if (lane.told.type === type && lane.told.about(data)) told.set(lane, (told.get(lane) ?? 0) + 1);
      }
    }
    if (items.length === 0) break;
    after = next_after;
  }
  for (const lane of lanes) {
    expect(told.get(lane), `${lane.name} in the feed`).toBe(progressOf(progress, lane).acknowledged * lane.told.each);
  }
  const db = new Database(database, { readonly: true, fileMustExist: true });
  const audited = (action: string) =>
    Number(db.prepare('SELECT count(*) FROM audit WHERE action = ? AND outcome = ?').pluck().get(action, 'done'));
  const sum = (name: string) =>
    lanes
      .filter((lane) => lane.name.startsWith(name))
      .reduce((total, lane) => total + progressOf(progress, lane).acknowledged, 0);
  const expected = {
    extendUser: sum('extend'),
    createGrant: sum('grant'),
    deleteUser: sum('delete'),
    bulkUsers: sum('bulk'),
  };
  for (const [action, count] of Object.entries(expected))
    expect(audited(action), `${action} in the audit log`).toBe(count);
  db.close();
}
