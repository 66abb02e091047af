// SIGKILL at random moments of a panel whose bot is written to all the time: what came is done once, each of it, whenever the panel ended.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { openDatabase } from '../../src/store/index.ts';
import { openBotApi } from '../support/bot-api.ts';
import { times } from '../support/long.ts';

const KILLS = times(10, 300);
const CHATS = 7;
/** Of one run, at most: a fast machine kills before its panel has all of them. */
const MOST_ROUND = 40;

const END_WITH_PARENT = pathToFileURL(join(import.meta.dirname, '..', 'support', 'end-with-parent.ts')).href;
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bot-kill-'));
function startVictim(root: string): ChildProcess {
  const args = ['--import', END_WITH_PARENT, join(import.meta.dirname, 'bot-victim.ts'), folder, root];
  return spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
}

afterEach(() => rmSync(folder, { recursive: true, force: true }));

it(`loses and doubles nothing in ${KILLS} kills`, async () => {
  await using fake = await openBotApi();
  let written = 0;
  const write = () => {
    fake.write(1 + (written % CHATS), `/start ${written}`);
    written += 1;
  };
  /** Polls and answers that the fake was asked for until now. */
  const progress = () => fake.calls.length;

  for (let round = 0; round < KILLS; round += 1) {
    const child = startVictim(round === 0 ? fake.root : '');
    const before = progress();
    // Killed after some requests of it, another number each time: between storing, confirming, handling and sending.
    const until = before + 2 + ((round * 7) % 23);
    while (progress() < until && child.exitCode === null) {
      if (written < (round + 1) * MOST_ROUND) write();
      await new Promise((resolve) => setImmediate(resolve));
      await once(fake.asked, 'call');
    }
    child.kill('SIGKILL');
    await once(child, 'close');
  }
  // The last one comes to the end of it.
  const last = startVictim('');
  await expect.poll(() => fake.waiting.length, { timeout: 60_000 }).toBe(0);
  const database = join(folder, 'data', 'panel.db');
  const count = (sql: string) => {
    const db = openDatabase(database, { readonly: true });
    try {
      return db.prepare(sql).pluck().get();
    } finally {
      db.close();
    }
  };
  await expect.poll(() => count('SELECT count(*) FROM bot_updates WHERE done_at IS NULL'), { timeout: 60_000 }).toBe(0);
  last.kill('SIGKILL');
  await once(last, 'close');
  expect(count('SELECT count(*) FROM bot_updates')).toBe(written);
  expect(count("SELECT count(*) FROM bot_messages WHERE method = 'sendMessage'")).toBe(written);
  expect(written).toBeGreaterThan(KILLS);
}, 600_000);
