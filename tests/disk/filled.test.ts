// A small disk filled at random moments while clients write: nothing acknowledged is lost, reading and signing in go on, it ends by itself.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import type { Client } from '../support/http-client.ts';
import { times } from '../support/long.ts';
import { servePanelOn } from './panel-on.ts';
import { limitedDisk, mountDisk, type SmallDisk, whyNoMount } from './small-disk.ts';
import { startTraffic, type Traffic } from './traffic.ts';

const ROUNDS = times(8, 50);
const QUOTA_ROUNDS = times(4, 10);
/** At most so many acknowledged writes lie between two fills. */
const MAX_BETWEEN = 20;
/** For what hangs, not for what is slow. */
const LIMIT_MS = 600_000 + ROUNDS * 30_000;

async function fillAgainAndAgain(disk: SmallDisk, rounds: number): Promise<void> {
  await using panel = await servePanelOn(disk);
  const { client, tariffId } = panel;
  const link = String((await client.call('createUser', { name: 'Anna', tariff_id: tariffId })).body.sub_url);
  const traffic = startTraffic(client, tariffId, link);
  const recoveries: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const goal = traffic.acknowledged.size + 1 + Math.floor(Math.random() * MAX_BETWEEN);
    await traffic.until('writes are acknowledged', () => traffic.acknowledged.size >= goal);
    disk.fill(panel.pid());
    await whileFull(traffic, async () => {
      const [name = '', id] = [...traffic.acknowledged].at(-1) ?? [];
      const again = client.call('createUser', { name, tariff_id: tariffId }, { 'idempotency-key': name });
      expect(await panel.signIn()).toBe(200);
      const { status, body, headers } = await again;
      expect([status, body.id, headers['idempotency-replayed']]).toEqual([201, id, 'true']);
      // Whatever the panel finds to give up, as a long journal, is taken too.
      while (disk.isHard && !(await saysFull(client))) {
        disk.fill(panel.pid());
        const refusals = traffic.count('write 507');
        await traffic.until('writes are refused', () => traffic.count('write 507') > refusals);
      }
    });
    disk.clear(panel.pid());
    const cleared = performance.now();
    const before = traffic.acknowledged.size;
    await traffic.until('writing goes on', () => traffic.acknowledged.size > before);
    recoveries.push(performance.now() - cleared);
  }
  await traffic.stop();
  expect(await panel.serving().end('SIGTERM')).toEqual({ code: 0, signal: null });
  expectNothingLost(join(panel.folder, 'panel.db'), traffic);
  const slowest = Math.round(Math.max(...recoveries));
  console.log(
    `${rounds} fills, ${traffic.acknowledged.size} acknowledged, ${traffic.refused.size} refused, slowest recovery ${slowest} ms`,
  );
}

async function saysFull(client: Client): Promise<boolean> {
  const { text } = await client.call('getMetrics', {});
  return /^panel_disk_full 1$/m.test(text);
}

/** Runs what is to be shown between the first refusal and the last, with reads going on around it. */
async function whileFull(traffic: Traffic, show: () => Promise<void>): Promise<void> {
  const refusals = traffic.count('write 507');
  await traffic.until('a write is refused', () => traffic.count('write 507') > refusals);
  const reads = traffic.count('link 200');
  await show();
  await traffic.until('reading goes on', () => traffic.count('link 200') > reads + 1);
}

function expectNothingLost(file: string, { acknowledged, refused, replies }: Traffic): void {
  const kinds = new Set(replies.keys());
  expect(kinds).toEqual(new Set(['write 201', 'write 507', 'list 200', 'metrics 200', 'link 200']));
  const db = new Database(file);
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
  expect(db.pragma('foreign_key_check')).toEqual([]);
  const stored = db.prepare<[], { id: number; name: string }>('SELECT id, name FROM users').all();
  db.close();
  const found = new Map(stored.map(({ id, name }) => [name, id]));
  expect(found.size).toBe(stored.length);
  const lost = [...acknowledged].filter(([name, id]) => found.get(name) !== id);
  expect(lost).toEqual([]);
  expect([...refused].filter((name) => found.has(name))).toEqual([]);
}

const reason = whyNoMount();
if (reason !== null) console.warn(`\n  !!! NO DISK IS FILLED: ${reason}. A limit on the size of files stands in.\n`);
const isLinux = process.platform === 'linux';

it.runIf(reason === null)(`${ROUNDS} times, a disk of its own`, { timeout: LIMIT_MS }, async () => {
  using disk = mountDisk(48);
  await fillAgainAndAgain(disk, ROUNDS);
});

it.runIf(isLinux)('again and again, a limit as a quota sets it', { timeout: LIMIT_MS }, async () => {
  using disk = limitedDisk();
  await fillAgainAndAgain(disk, reason === null ? QUOTA_ROUNDS : ROUNDS);
});
