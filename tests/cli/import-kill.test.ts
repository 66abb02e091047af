// SIGKILL at random moments of `panel import`: whatever was written is whole, and the next import ends where one without kills does.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { exportDocument } from '../../src/contract/imports/document.ts';
import { openStore } from '../../src/store/index.ts';
import { type CommandLine, openCommandLine, PASSWORD } from '../support/cli.ts';
import { writeThreeXui } from '../support/foreign-panels.ts';
import { times } from '../support/long.ts';
import { sampleNode } from '../support/temp-store.ts';

const KILLS = times(4, 50);
const USERS = times(1500, 20_000);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-import-kill-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function setUp(line: CommandLine): Promise<void> {
  await line.run(['setup', '--name', 'admin'], PASSWORD);
  const store = openStore(join(line.folder, 'panel.db'));
  store.nodes.insert(sampleNode({ kind: 'remote' }));
  store.close();
}

/** Users with all that belongs to them; another number than that of users: one is half. */
const WHOLE = `SELECT count(*) FROM users JOIN imported_records ON kind = 'user' AND record_id = users.id AND facts IS NOT NULL
  WHERE (SELECT count(*) FROM user_credentials WHERE user_id = users.id) = 4
    AND (SELECT count(*) FROM imported_links WHERE user_id = users.id) = 1`;

function countUsers(line: CommandLine): readonly [all: number, whole: number] {
  const db = new Database(join(line.folder, 'panel.db'), { readonly: true });
  try {
    const count = (sql: string) => Number(db.prepare(sql).pluck().get());
    return [count('SELECT count(*) FROM users'), count(WHOLE)];
  } finally {
    db.close();
  }
}

async function exportFrom(line: CommandLine, name: string, key: readonly string[]) {
  const file = join(folder, name);
  expect(await line.run(['export', file, ...key])).toMatchObject({ code: 0 });
  const { users, inbounds } = exportDocument.parse(JSON.parse(readFileSync(file, 'utf8')));
  return {
    inbounds,
    // Made here for each: the link, and credentials that the source does not have.
    users: users.map(({ token: _token, credentials, created_at: _at, term_began_at: _began, ...user }) => ({
      ...user,
      uuid: credentials.uuid,
    })),
  };
}

it('reaches the same end after any number of kills, and never has half a user', { timeout: 600_000 }, async () => {
  const database = join(folder, 'x-ui.db');
  const more = Array.from({ length: USERS }, (_, index) => ({
    email: `m${index}`,
    id: `99999999-9999-4999-8999-${String(index).padStart(12, '0')}`,
    flow: 'xtls-rprx-vision',
    subId: `sub-of-${String(index).padStart(8, '0')}`,
  }));
  writeThreeXui(database, { clients: {}, more });
  const key = ['--key-file', join(folder, 'key')];
  const command = ['import', database, '--yes', '--json', ...key];
  await using killed = openCommandLine();
  await setUp(killed);
  let kills = 0;
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const target = Math.min(USERS - 1, countUsers(killed)[0] + Math.floor((Math.random() * USERS) / KILLS));
    const running = killed.spawn(command);
    let isOver = false;
    void running.finished.finally(() => {
      isOver = true;
    });
    while (!isOver && countUsers(killed)[0] <= target) await wait(5);
    running.kill();
    const { code, stderr } = await running.finished;
    if (code === null) kills += 1;
    else expect(code, stderr).toBe(0);
    const [all, whole] = countUsers(killed);
    expect(whole).toBe(all);
  }
  expect(kills).toBeGreaterThan(0);
  expect(await killed.run(command)).toMatchObject({ code: 0, stderr: '' });
  await using straight = openCommandLine();
  await setUp(straight);
  expect(await straight.run(command)).toMatchObject({ code: 0 });
  expect(countUsers(killed)).toEqual([USERS, USERS]);
  expect(await exportFrom(killed, 'killed.json', key)).toEqual(await exportFrom(straight, 'straight.json', key));
});
