// What a backup brings back, on a new machine and on its own, and what a restore leaves as it is.
import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Secret, TOTP } from 'otpauth';
import { expect, test } from 'vitest';
import { writeBackupFile } from '../../src/adapters/backup-file.ts';
import { createTestClock } from '../support/clock.ts';
import { tempFolder } from '../support/temp-store.ts';
import {
  fillWithUsers,
  listLinks,
  type Machine,
  PASSPHRASE,
  PASSWORD,
  restoreConfirmed,
  startMachine,
} from './machine.ts';

const SECRET = 'a private key that nobody may read';
const PLACE = 'inbound:1:reality';

async function sealSecret({ store, vault }: Machine, secret = SECRET): Promise<void> {
  await vault.prepare();
  store.write(() => store.sealed.save(vault.seal(PLACE, secret)));
}

function readSecret({ store, vault }: Machine): string | null {
  const row = store.sealed.get(PLACE);
  return row ? vault.open(row) : null;
}

const getBackupPath = ({ backups }: Machine, { name }: { readonly name: string }) => join(backups.folder, name);

test('on a new machine every link is as it was, and secrets are sealed with its own key', async () => {
  await using old = await startMachine();
  const links = await fillWithUsers(old, 50);
  await sealSecret(old);
  const made = await old.act('createBackup', { passphrase: PASSPHRASE });
  expect(made).toMatchObject({ kind: 'manual', encrypted: true, secrets: 'inside' });

  await using fresh = await startMachine({ origin: 'https://198.51.100.7:9443', isSetUp: false });
  const restored = await fresh.core.local.restore(getBackupPath(old, made), PASSPHRASE);
  expect(restored.restored).toMatchObject({ ok: true, users: 50, secrets: 'inside' });
  expect(restored.links_url).toBe('https://192.0.2.1:8443/sub/');
  expect(await listLinks(fresh)).toEqual(links);
  expect(readSecret(fresh)).toBe(SECRET);
  expect(fresh.store.sealed.keyId()).not.toBe(old.store.sealed.keyId());
  // There was no administrator: now the old one's signs in, at the path of the old one.
  expect(await fresh.signIn()).toMatch(/^[\w-]{40,}$/);
  expect(fresh.core.settings().secretPath).toBe(old.core.settings().secretPath);
  expect(fresh.core.settings().instanceId).not.toBe(old.core.settings().instanceId);
});

test.each([
  ['an empty folder', { isSetUp: false, origin: null }],
  ['a running panel', { origin: 'https://198.51.100.7:9443' }],
  ['a running panel at the same address', { origin: 'https://192.0.2.1:8443' }],
])('restored again and again into %s, links are the same byte for byte', async (_place, options) => {
  await using old = await startMachine();
  const links = await fillWithUsers(old, 3);
  const file = getBackupPath(old, await old.act('createBackup', {}));
  await using here = await startMachine(options);
  for (let restores = 1; restores <= 3; restores += 1) {
    const { links_url } = await restoreConfirmed(here, file, null, true);
    expect([restores, links_url, await listLinks(here)]).toEqual([restores, 'https://192.0.2.1:8443/sub/', links]);
  }
});

test('a machine that is in use keeps its addresses and who may sign in', async () => {
  await using old = await startMachine();
  const links = await fillWithUsers(old, 3);
  old.store.write(() => old.store.settings.set({ host: '0.0.0.0', port: 1234, publicAddress: 'old.example.org' }));
  old.store.write(() => old.store.settings.set({ subPath: 'links', subscriptionTitle: 'Old' }));
  const made = await old.act('createBackup', {});

  await using here = await startMachine({ origin: 'https://198.51.100.7:9443' });
  here.store.write(() => here.store.settings.set({ port: 9443 }));
  const before = here.core.settings();
  const administrator = here.store.administrator.get();
  await restoreConfirmed(here, getBackupPath(old, made));
  const { host, port, publicAddress, secretPath, instanceId, subscriptionTitle } = here.core.settings();
  expect({ host, port, publicAddress, secretPath, instanceId }).toEqual({
    host: before.host,
    port: 9443,
    publicAddress: null,
    secretPath: before.secretPath,
    instanceId: before.instanceId,
  });
  expect(subscriptionTitle).toBe('Old');
  expect(here.store.administrator.get()).toEqual(administrator);
  const moved = new Map([...links].map(([id, link]) => [id, link.replace('/sub/', '/links/')]));
  expect(await listLinks(here)).toEqual(moved);
});

test('what was done since is gone, what must not come back does not, and going back again works', async () => {
  await using machine = await startMachine();
  const { act, store } = machine;
  const links = await fillWithUsers(machine, 3);
  const { key } = await act('createKey', { name: 'bot', access: 'full', expires_in_days: null, password: PASSWORD });
  const made = await act('createBackup', {});
  const since = await act('createUser', { name: 'since', tariff_id: 1 });
  await act('revokeKey', { id: key.id });
  const [mine, other] = [await machine.signIn(), await machine.signIn()];
  const feed = machine.core.latestEventId();
  const path = machine.core.settings().secretPath;

  const session = machine.core.authenticateSession(mine)?.sessionId ?? 0;
  const reply = await act('restoreBackup', { name: made.name, password: PASSWORD }, session);
  expect(reply.restored).toMatchObject({ ok: true, users: 3, keys: 1, secrets: 'none' });
  expect(await listLinks(machine)).toEqual(links);
  expect(machine.core.settings().secretPath).toBe(path);
  // The caller's session goes on, every other one ended.
  expect(machine.core.authenticateSession(mine)?.sessionId).toBe(session);
  expect(machine.core.authenticateSession(other)).toBeNull();
  expect(store.keys.get(key.id)?.revokedAt).not.toBeNull();
  // A client that follows the feed gets events_gone and reads everything again; no id is used twice.
  expect(machine.core.eventsAfter(feed, 10)).toBeNull();
  expect(machine.core.latestEventId()).toBeGreaterThan(feed);
  expect((await act('createUser', { name: 'next', tariff_id: 1 })).id).toBeGreaterThan(since.id);
  // What was done stays on record.
  const { items } = await act('listAudit', { limit: 100 });
  expect(items.map(({ action }) => action)).toEqual(expect.arrayContaining(['revokeKey', 'restoreBackup']));

  await act('restoreBackup', { name: reply.former, password: PASSWORD }, session);
  const names = (await act('listUsers', { sort: 'id' })).items.map(({ name }) => name);
  expect(names).toEqual(['User 1', 'User 2', 'User 3', 'since']);
});

test('search, counts and states are those of the restored users', async () => {
  await using machine = await startMachine();
  const { act } = machine;
  await fillWithUsers(machine, 30);
  await act('bulkUsers', { action: 'disable', ids: [1, 2] });
  const made = await act('createBackup', {});
  await act('bulkUsers', { action: 'delete', filter: { all: true }, expect_matched: 30 });
  await act('restoreBackup', { name: made.name, password: PASSWORD });
  expect((await act('listUsers', { q: 'note 30' })).items.map(({ name }) => name)).toEqual(['User 30']);
  expect((await act('listUsers', { state: 'disabled' })).total).toBe(2);
  expect((await act('getOverview', {})).users).toMatchObject({ total: 30, active: 28, disabled: 2 });
  const db = machine.store.connection();
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
  expect(db.pragma('journal_mode', { simple: true })).toBe('wal');
});

test('a wrong password or a missing code restores nothing and counts as an attempt', async () => {
  await using machine = await startMachine();
  await fillWithUsers(machine, 2);
  const { name } = await machine.act('createBackup', {});
  await machine.act('deleteUser', { id: 1 });
  await expect(machine.act('restoreBackup', { name, password: 'not this one' })).rejects.toThrow('wrong_password');
  expect((await machine.act('listUsers', {})).total).toBe(1);
  const [last] = (await machine.act('listAudit', { limit: 1 })).items;
  expect(last).toMatchObject({ action: 'restoreBackup', outcome: 'refused' });
});

test('a second factor that is on is asked for, and no code of it works twice because of a restore', async () => {
  const clock = createTestClock(Date.UTC(2026, 10, 20, 12));
  await using machine = await startMachine({ clock });
  const { act } = machine;
  const { secret } = await act('beginTwoFactor', { password: PASSWORD });
  const codeNow = () => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: clock.advance(30_000) });
  const { recovery_codes } = await act('confirmTwoFactor', { code: codeNow() });
  const [recovery = '', another = ''] = recovery_codes;
  const { name } = await act('createBackup', { passphrase: PASSPHRASE, password: PASSWORD, code: another });
  const proof = { name, password: PASSWORD, passphrase: PASSPHRASE };

  await expect(act('restoreBackup', proof)).rejects.toThrow('wrong_password');
  const code = codeNow();
  expect((await act('restoreBackup', { ...proof, code })).restored.ok).toBe(true);
  await expect(act('restoreBackup', { ...proof, code })).rejects.toThrow('wrong_password');
  expect((await act('restoreBackup', { ...proof, code: recovery })).restored.ok).toBe(true);
  await expect(act('restoreBackup', { ...proof, code: recovery })).rejects.toThrow('wrong_password');
  expect(await act('getTwoFactor', {})).toMatchObject({ enabled: true, recovery_codes_left: 8 });

  // There was no administrator: the second factor comes with the restored one, and its secret opens there.
  await using fresh = await startMachine({ clock, isSetUp: false });
  await fresh.core.local.restore(getBackupPath(machine, { name }), PASSPHRASE);
  const signIn = { name: 'admin', password: PASSWORD };
  await expect(fresh.act('signIn', signIn)).rejects.toThrow('sign_in_failed');
  expect(await fresh.act('signIn', { ...signIn, code: codeNow() })).toEqual({ name: 'admin' });
});

test('only the right passphrase opens an encrypted backup, and nothing in it can be read without', async () => {
  await using machine = await startMachine();
  const links = await fillWithUsers(machine, 5);
  const { name } = await machine.act('createBackup', { passphrase: PASSPHRASE });
  const tryRestore = async (passphrase?: string) =>
    (await machine.act('checkBackup', { name, ...(passphrase !== undefined && { passphrase }) })).problem;
  expect(await tryRestore()).toBe('needs_passphrase');
  expect(await tryRestore('another passphrase')).toBe('wrong_passphrase');
  expect(await tryRestore(PASSPHRASE)).toBeNull();
  await expect(
    machine.act('restoreBackup', { name, password: PASSWORD, passphrase: 'another passphrase' }),
  ).rejects.toMatchObject({ code: 'backup_refused', errors: [{ code: 'wrong_passphrase' }] });
  expect(await listLinks(machine)).toEqual(links);
});

test('without a passphrase secrets are left out, and those of this machine stay', async () => {
  await using machine = await startMachine();
  await sealSecret(machine);
  const made = await machine.act('createBackup', {});
  expect(made).toMatchObject({ encrypted: false, secrets: 'left_out' });
  await sealSecret(machine, 'a newer one');
  await machine.act('restoreBackup', { name: made.name, password: PASSWORD });
  expect(readSecret(machine)).toBe('a newer one');

  await using elsewhere = await startMachine({ isSetUp: false });
  const restored = await restoreConfirmed(elsewhere, getBackupPath(machine, made));
  expect(restored.restored.secrets).toBe('left_out');
  expect(readSecret(elsewhere)).toBeNull();
});

test('the backup from before a restore has its secrets back on this machine, and on this one only', async () => {
  await using machine = await startMachine();
  const { name } = await machine.act('createBackup', { passphrase: PASSPHRASE });
  await sealSecret(machine);
  const { former } = await machine.act('restoreBackup', { name, password: PASSWORD, passphrase: PASSPHRASE });
  expect(readSecret(machine)).toBeNull();
  const again = await machine.act('restoreBackup', { name: former, password: PASSWORD });
  expect(again.restored.secrets).toBe('this_machine');
  expect(readSecret(machine)).toBe(SECRET);

  await using elsewhere = await startMachine({ isSetUp: false });
  await restoreConfirmed(elsewhere, getBackupPath(machine, { name: former }));
  expect(readSecret(elsewhere)).toBeNull();
});

test('where the key of the vault is lost, a backup with a passphrase brings the secrets back', async () => {
  using place = tempFolder();
  const name = await (async () => {
    await using machine = await startMachine({ place: place.path });
    await sealSecret(machine);
    return (await machine.act('createBackup', { passphrase: PASSPHRASE })).name;
  })();
  rmSync(join(place.path, 'key'));
  await using machine = await startMachine({ place: place.path });
  expect(machine.vault.state()).toBe('deleted');
  await machine.act('restoreBackup', { name, password: PASSWORD, passphrase: PASSPHRASE });
  expect(machine.vault.state()).toBe('headless');
  expect(readSecret(machine)).toBe(SECRET);
});

test('the copy from before a migration and a bare database file are restored too', async () => {
  await using old = await startMachine();
  const links = await fillWithUsers(old, 4);
  const name = 'pre-migration-0001.sqlite';
  mkdirSync(old.backups.folder, { recursive: true });
  copyFileSync(old.database, join(old.backups.folder, name));
  copyFileSync(`${old.database}-wal`, join(old.backups.folder, `${name}-wal`));
  const { items } = await old.act('listBackups', {});
  expect(items).toMatchObject([{ name, kind: 'before_migration', encrypted: false, secrets: null }]);
  await old.act('deleteUser', { id: 1 });
  await restoreConfirmed(old, getBackupPath(old, { name }));
  expect(await listLinks(old)).toEqual(links);
});

test('the folder lists what is a backup, newest first, and nothing else', async () => {
  await using machine = await startMachine();
  const { folder } = machine.backups;
  const first = await machine.act('createBackup', {});
  const second = await machine.act('createBackup', { passphrase: PASSPHRASE });
  writeFileSync(join(folder, 'notes.txt'), 'mine');
  mkdirSync(join(folder, 'folder.gatehouse-backup'));
  writeFileSync(join(folder, 'from-elsewhere.gatehouse-backup'), 'not one');
  const { items } = await machine.act('listBackups', {});
  expect(items.map(({ name }) => name)).toContain('from-elsewhere.gatehouse-backup');
  expect(items.filter(({ kind }) => kind === 'manual')).toEqual([second, first]);
  expect(items).toHaveLength(3);
  await machine.act('deleteBackup', { name: first.name });
  await expect(machine.act('deleteBackup', { name: first.name })).rejects.toThrow('not_found');
  expect(readdirSync(folder)).not.toContain(first.name);
});

test('what the disk has no room for is refused before anything is written', async () => {
  await using machine = await startMachine();
  const { name: good } = await machine.act('createBackup', {});
  // One that the panel made itself; what is uploaded is bounded whatever room there is.
  const name = 'gatehouse-manual-vast.gatehouse-backup';
  const header = { version: '0.1.0', created_at: 0, database_bytes: 2 ** 52, secrets: 'none', key: null };
  const path = join(machine.backups.folder, name);
  writeBackupFile({ path, header, manifest: {}, database: machine.database, key: null });
  await expect(machine.act('checkBackup', { name })).rejects.toThrow('storage_full');
  expect((await machine.act('checkBackup', { name: good })).ok).toBe(true);
});
