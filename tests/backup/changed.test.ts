// A clear backup that was changed: an attacker who could write where it lay plants a key, points links elsewhere and empties the audit log.
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { type Machine, PASSPHRASE, restoreConfirmed, startMachine } from './machine.ts';
import { tamper } from './tamper.ts';

const PLANTED = 'f'.repeat(64);

function attack(db: Database.Database): void {
  db.exec(
    `INSERT INTO api_keys (hash, name, access, prefix, created_at) VALUES ('${PLANTED}', 'planted', 'full', 'pnl_evil', 0);
     UPDATE api_keys SET access = 'full' WHERE name = 'reader';
     INSERT OR REPLACE INTO settings (name, value) VALUES ('publicUrl', '"https://evil.example"'), ('enginePath', '"/tmp/evil"');
     DELETE FROM audit;
     UPDATE sqlite_sequence SET seq = 1000000 WHERE name = 'audit'`,
  );
}

async function readAudit({ act }: Machine): Promise<readonly string[]> {
  const { items } = await act('listAudit', { limit: 100 });
  return items.map(({ id, action }) => `${id} ${action}`);
}

async function prepared(machine: Machine) {
  const { act, backups } = machine;
  await act('createTariff', { name: 'Monthly' });
  await act('createKey', { name: 'reader', access: 'read' });
  const made = await act('createBackup', {});
  const name = 'changed.gatehouse-backup';
  return { made, name, file: join(backups.folder, made.name), changed: join(backups.folder, name) };
}

test('an unchanged one is known as made here, and restores its keys', async () => {
  await using machine = await startMachine();
  const { made } = await prepared(machine);
  expect(await machine.act('checkBackup', { name: made.name })).toMatchObject({
    ok: true,
    origin: 'made_here',
    differences: null,
  });
  await machine.act('restoreBackup', { name: made.name });
  expect(machine.store.keys.all().filter(({ revokedAt }) => revokedAt === null)).toHaveLength(1);
});

test('a changed one is not, and its check names what it would bring', async () => {
  await using machine = await startMachine();
  const { name, file, changed } = await prepared(machine);
  tamper(file, changed, attack);
  const verdict = await machine.act('checkBackup', { name });
  expect(verdict).toMatchObject({ ok: true, origin: 'unknown' });
  expect(verdict.differences?.keys).toEqual({
    count: 1,
    items: [{ name: 'planted', access: 'full', prefix: 'pnl_evil' }],
  });
  expect(verdict.differences?.settings).toContainEqual({
    name: 'publicUrl',
    here: null,
    there: '"https://evil.example"',
  });
});

test('its keys come back revoked, known ones as they are, and no audit row is lost', async () => {
  await using machine = await startMachine();
  const { file, changed } = await prepared(machine);
  tamper(file, changed, attack);
  const before = await readAudit(machine);
  await restoreConfirmed(machine, changed);
  const keys = machine.store.keys.all();
  expect(keys.find((key) => key.name === 'planted')).toMatchObject({ revokedAt: expect.any(Number), unconfirmed: 1 });
  expect(keys.find((key) => key.name === 'reader')).toMatchObject({ access: 'read', revokedAt: null, unconfirmed: 0 });
  expect(machine.core.settings().enginePath).toBeNull();
  expect(await readAudit(machine)).toEqual(expect.arrayContaining([...before]));
});

test('its keys are valid where they were accepted', async () => {
  await using machine = await startMachine();
  const { file, changed } = await prepared(machine);
  tamper(file, changed, attack);
  await restoreConfirmed(machine, changed, null, true);
  expect(machine.store.keys.all().find((key) => key.name === 'planted')?.revokedAt).toBeNull();
});

test('elsewhere a clear one is unknown, one with a passphrase is not', async () => {
  await using old = await startMachine();
  const { file } = await prepared(old);
  const sealed = await old.act('createBackup', { passphrase: PASSPHRASE });
  await using fresh = await startMachine({ isSetUp: false });
  const restored = await restoreConfirmed(fresh, file);
  expect(restored.restored.origin).toBe('unknown');
  expect(fresh.store.keys.all().every(({ revokedAt }) => revokedAt !== null)).toBe(true);
  const again = await fresh.core.local.restore(join(old.backups.folder, sealed.name), PASSPHRASE);
  expect(again.restored).toMatchObject({ origin: 'passphrase', differences: null });
});
