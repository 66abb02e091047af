// Secrets of every kind, driven through what is done with them and through every error: none comes to light where it does not belong.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { unpackBackupFile } from '../../src/adapters/backup-file.ts';
import { type Canary, found } from './canary.ts';
import { sendCanary } from './canary-carriers.ts';
import { type Driven, drive } from './canary-flows.ts';
import { openWatchedPanel, type WatchedPanel } from './canary-panel.ts';

const ROOM = 64 * 2 ** 20;

let panel: WatchedPanel;
let driven: Driven;
let canaries: readonly Canary[];
let audit: string;
let metrics: string;
let feed: string;

beforeAll(async () => {
  panel = await openWatchedPanel();
  driven = await drive(panel);
  ({ canaries } = driven);
  for (const { value } of canaries) await sendCanary(panel, value, driven.fullKey);
  const get = async (path: string) => (await panel.send({ method: 'GET', path }, driven.fullKey)).text;
  metrics = await get('/metrics');
  feed = await get('/events?limit=500');
  audit = (await panel.operate('listAudit', { limit: 200 })).text;
  await panel.run(['doctor'], '');
  await panel.serving.end('SIGTERM');
});
afterAll(() => panel[Symbol.asyncDispose]());

const ofKind = (...kinds: Canary['kind'][]) => canaries.filter(({ kind }) => kinds.includes(kind));
const names = (some: readonly Canary[]) => some.map(({ name }) => name);

it('every canary was in play, and would be found where it may be', () => {
  expect(canaries.length).toBeGreaterThan(20);
  expect(found(canaries, panel.spoken.join('\n')).sort()).toEqual(names(canaries).sort());
  const database = panel.files((path) => path.includes('panel.db'));
  expect(found(ofKind('kept'), database)).toEqual(expect.arrayContaining(['link', 'new secret path']));
  const keys = panel.files((path) => path.includes('/tls/'));
  expect(found(canaries, keys)).toEqual(['TLS key']);
  expect(found(canaries, panel.serving.printed)).toEqual(['setup token', 'secret path']);
});

it('none is in the log or in what the panel says after its introduction', () => {
  const log = panel.files((path) => path.includes('/logs/'));
  // The two defects are there, with all that is known of them.
  expect(log.toString().match(/"msg":"request_failed"/g)).toHaveLength(2);
  expect(found(canaries, log)).toEqual([]);
  expect(found(canaries, panel.serving.said())).toEqual([]);
});

it('none is in the audit log, the feed or the metrics', () => {
  const db = new Database(join(panel.folder, 'panel.db'), { readonly: true });
  const rows = JSON.stringify([db.prepare('SELECT * FROM audit').all(), db.prepare('SELECT * FROM events').all()]);
  db.close();
  expect(rows).toContain('createKey');
  for (const text of [rows, audit, feed, metrics]) {
    expect(text.length).toBeGreaterThan(100);
    expect(found(canaries, text)).toEqual([]);
  }
});

it('none is in anything that was refused, by the doors or the command line', () => {
  expect(panel.refused.length).toBeGreaterThan(500);
  expect(panel.refused.filter((text) => found(canaries, text).length > 0)).toEqual([]);
});

it('the database, its journal and all that lies beside it hold no secret of the vault and nothing that only needs to be proved', () => {
  const bytes = panel.files((path) => !path.includes('/tls/'));
  expect(found(ofKind('sealed', 'proved'), bytes)).toEqual([]);
  const db = new Database(join(panel.folder, 'panel.db'), { readonly: true });
  expect(db.prepare('SELECT place FROM sealed ORDER BY place').pluck().all()).toEqual(
    expect.arrayContaining(['administrator:totp', 'backup:passphrase']),
  );
  db.close();
});

it('a backup in clear holds no secret of the vault, and an encrypted one nothing at all', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-canary-'));
  try {
    const target = join(folder, 'database');
    const unpacked = unpackBackupFile(driven.backups.clear, target, null, ROOM);
    expect(unpacked).not.toHaveProperty('problem');
    const database = readFileSync(target);
    expect(found(ofKind('kept'), database)).toContain('link');
    const sealedOrProved = ofKind('sealed', 'proved');
    expect(found(sealedOrProved, database)).toEqual([]);
    expect(found(sealedOrProved, JSON.stringify(unpacked))).toEqual([]);
    expect(
      found(
        canaries.filter(({ kind }) => kind !== 'code'),
        readFileSync(driven.backups.encrypted),
      ),
    ).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
