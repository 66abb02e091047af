// The six states of the vault with a real keychain: gnome-keyring on a message bus of its own. In each of them the panel starts,
// says which it is, loses nothing, and falls back to nothing.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { formatMasterKey, newMasterKey } from '../../src/adapters/vault/master-key.ts';
import { afterFirstRun, dataFolder, entry, OPEN, REFUSED, SEAL, SECRET, startVault } from './panel.ts';
import { openSession, type Session } from './session.ts';

const noKeychain = inject('noKeychain');
/** The rows as they lie in the database. */
const database = (session: Session) => readFileSync(join(dataFolder(session), 'panel.db'));

describe.skipIf(noKeychain !== null)(`with a real keychain ${noKeychain ?? ''}`.trim(), () => {
  test('unlocked: an entry is made for the first secret, and after a kill the secret opens', async () => {
    await using session = await openSession();
    await session.startKeyring('open');
    const first = await startVault(session);
    expect(first.first).toMatchObject({ state: 'unlocked', reason: 'unlocked', backend: 'secret-service', rows: 0 });
    expect(entry(session, 'get')).toBeNull();
    expect(await first.callProcess(SEAL)).toMatchObject({ state: 'unlocked', rows: 1 });
    expect(entry(session, 'get')).toMatch(/^[\w-]{43}$/);
    expect(entry(session, 'get', '', 'probe')).toBeNull();
    await first.kill();

    const second = await startVault(session);
    expect(second.first).toMatchObject({ state: 'unlocked', rows: 1 });
    expect(await second.callProcess(OPEN)).toEqual({ secret: SECRET });
    await second.leave();
    await session.stopKeyring();
    await session.startKeyring('open');
    const third = await startVault(session);
    expect(await third.callProcess(OPEN)).toEqual({ secret: SECRET });
    await third.leave();
  });

  test('locked by the system: secrets wait, and open again once it is unlocked', async () => {
    await using session = await openSession();
    await afterFirstRun(session);
    await session.lock();
    const before = database(session);
    const panel = await startVault(session);
    expect(panel.first).toMatchObject({ state: 'locked', reason: 'locked', rows: 1 });
    expect(panel.first.message).toContain('Unlock it');
    expect(await panel.callProcess(OPEN)).toEqual(REFUSED);
    expect(await panel.callProcess(SEAL)).toEqual(REFUSED);
    expect(await panel.callProcess({ do: 'refresh' })).toMatchObject({ state: 'locked' });
    expect(database(session).equals(before)).toBe(true);
    await session.unlock();
    expect(await panel.callProcess({ do: 'refresh' })).toMatchObject({ state: 'unlocked', rows: 1 });
    expect(await panel.callProcess(OPEN)).toEqual({ secret: SECRET });
    await panel.leave();
  });

  test('locked as no one has signed in: what was sealed waits', async () => {
    await using session = await openSession();
    await afterFirstRun(session);
    await session.stopKeyring();
    await session.startKeyring('locked');
    const panel = await startVault(session);
    expect(panel.first).toMatchObject({ state: 'locked', rows: 1 });
    await session.unlock();
    expect(await panel.callProcess({ do: 'refresh' })).toMatchObject({ state: 'unlocked' });
    expect(await panel.callProcess(OPEN)).toEqual({ secret: SECRET });
    await panel.leave();
  });

  test('locked before the first secret: it looks empty, but is not taken to work', async () => {
    await using session = await openSession();
    await session.startKeyring('open');
    await session.lock();
    const panel = await startVault(session);
    expect(panel.first).toMatchObject({ state: 'locked', rows: 0 });
    expect(await panel.callProcess(SEAL)).toEqual(REFUSED);
    await session.unlock();
    expect(entry(session, 'get')).toBeNull();
    expect(await panel.callProcess(SEAL)).toMatchObject({ state: 'unlocked', rows: 1 });
    expect(await panel.callProcess(OPEN)).toEqual({ secret: SECRET });
    await panel.leave();
  });

  test('an entry that appears at the last moment is used, never written over', async () => {
    await using session = await openSession();
    await session.startKeyring('open');
    const panel = await startVault(session);
    const present = newMasterKey();
    entry(session, 'set', formatMasterKey(present));
    expect(await panel.callProcess({ do: 'make' })).toEqual({ keyId: present.id });
    expect(entry(session, 'get')).toBe(formatMasterKey(present));
    await panel.leave();
  });

  test('locked while the panel runs: it keeps the key that it has', async () => {
    await using session = await openSession();
    await session.startKeyring('open');
    const panel = await startVault(session);
    await panel.callProcess(SEAL);
    await session.lock();
    expect(await panel.callProcess({ do: 'refresh' })).toMatchObject({ state: 'unlocked' });
    expect(await panel.callProcess(OPEN)).toEqual({ secret: SECRET });
    await panel.leave();
  });

  test('absent without a message bus: nothing is kept anywhere else', async () => {
    await using session = await openSession();
    const { DBUS_SESSION_BUS_ADDRESS: _, ...env } = session.env;
    const alone = { ...session, env };
    const panel = await startVault(alone);
    expect(panel.first).toMatchObject({ state: 'absent', reason: 'absent', backend: null, rows: 0 });
    expect(panel.first.message).toContain('--key-file');
    expect(await panel.callProcess(SEAL)).toEqual(REFUSED);
    expect(await panel.callProcess({ do: 'state' })).toMatchObject({ state: 'absent', rows: 0 });
    await panel.leave();
    const kernelKeys = existsSync('/proc/keys') ? readFileSync('/proc/keys', 'utf8') : '';
    expect(kernelKeys).not.toMatch(/gatehouse|master-key/i);
  });

  test('absent without the service: all is there once it is back', async () => {
    await using session = await openSession();
    await afterFirstRun(session);
    await session.stopKeyring();
    const panel = await startVault(session);
    expect(panel.first).toMatchObject({ state: 'absent', rows: 1 });
    expect(await panel.callProcess(OPEN)).toEqual(REFUSED);
    await session.startKeyring('open');
    expect(await panel.callProcess({ do: 'refresh' })).toMatchObject({ state: 'unlocked' });
    expect(await panel.callProcess(OPEN)).toEqual({ secret: SECRET });
    await panel.leave();
  });

  test('changed: another key in the entry is neither used nor written over', async () => {
    await using session = await openSession();
    await afterFirstRun(session);
    const former = entry(session, 'get') ?? '';
    for (const other of [formatMasterKey(newMasterKey()), 'no key at all']) {
      entry(session, 'set', other);
      const panel = await startVault(session);
      expect(panel.first).toMatchObject({ state: 'changed', reason: 'changed', backend: 'secret-service', rows: 1 });
      expect(panel.first.message).toContain('another key');
      expect(await panel.callProcess(OPEN)).toEqual(REFUSED);
      expect(await panel.callProcess(SEAL)).toEqual(REFUSED);
      expect(entry(session, 'get')).toBe(other);
      entry(session, 'set', former);
      expect(await panel.callProcess({ do: 'refresh' })).toMatchObject({ state: 'unlocked', rows: 1 });
      expect(await panel.callProcess(OPEN)).toEqual({ secret: SECRET });
      await panel.leave();
    }
  });

  test('deleted: no new key is made over sealed secrets, and they open once the entry is back', async () => {
    await using session = await openSession();
    await afterFirstRun(session);
    const former = entry(session, 'get') ?? '';
    entry(session, 'delete');
    const panel = await startVault(session);
    expect(panel.first).toMatchObject({ state: 'deleted', reason: 'deleted', backend: 'secret-service', rows: 1 });
    expect(panel.first.message).toContain('deleted');
    expect(await panel.callProcess(OPEN)).toEqual(REFUSED);
    expect(await panel.callProcess(SEAL)).toEqual(REFUSED);
    expect(await panel.callProcess({ do: 'prepare' })).toEqual(REFUSED);
    expect(entry(session, 'get')).toBeNull();
    entry(session, 'set', former);
    expect(await panel.callProcess({ do: 'refresh' })).toMatchObject({ state: 'unlocked', rows: 1 });
    expect(await panel.callProcess(OPEN)).toEqual({ secret: SECRET });
    await panel.leave();
  });

  test('deleted while the panel runs: the same key is put back', async () => {
    await using session = await openSession();
    await session.startKeyring('open');
    const panel = await startVault(session);
    await panel.callProcess(SEAL);
    const former = entry(session, 'get');
    entry(session, 'delete');
    expect(await panel.callProcess({ do: 'refresh' })).toMatchObject({ state: 'unlocked' });
    expect(entry(session, 'get')).toBe(former);
    expect(panel.log()).toContain('stores its key again');
    await panel.leave();
  });

  test('headless: a key file of 0600 is made, opens after a restart, and is not created again when it is gone', async () => {
    await using session = await openSession();
    const { DBUS_SESSION_BUS_ADDRESS: _, ...env } = session.env;
    const alone = { ...session, env };
    const file = join(session.folder, 'master.key');
    const first = await startVault(alone, file);
    expect(first.first).toMatchObject({ state: 'headless', reason: 'headless', backend: 'key-file' });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const line = readFileSync(file, 'utf8');
    expect(await first.callProcess(SEAL)).toMatchObject({ state: 'headless', rows: 1 });
    await first.kill();

    const second = await startVault(alone, file);
    expect(await second.callProcess(OPEN)).toEqual({ secret: SECRET });
    expect(readFileSync(file, 'utf8')).toBe(line);
    await second.leave();

    const third = await startVault(alone, join(session.folder, 'elsewhere.key'));
    expect(third.first).toMatchObject({ state: 'deleted', reason: 'key_file_missing', rows: 1 });
    expect(await third.callProcess(OPEN)).toEqual(REFUSED);
    expect(await third.callProcess(SEAL)).toEqual(REFUSED);
    await third.leave();
    expect(existsSync(join(session.folder, 'elsewhere.key'))).toBe(false);

    const other = join(session.folder, 'other.key');
    writeFileSync(other, formatMasterKey(newMasterKey()), { mode: 0o600 });
    const fourth = await startVault(alone, other);
    expect(fourth.first).toMatchObject({ state: 'changed', reason: 'key_file_changed', rows: 1 });
    expect(await fourth.callProcess(SEAL)).toEqual(REFUSED);
    await fourth.leave();

    const inside = await startVault(alone, join(dataFolder(session), 'master.key'));
    expect(inside.first).toMatchObject({ state: 'locked', reason: 'key_file_unsafe', rows: 1 });
    await inside.leave();
    expect(readdirSync(dataFolder(session))).not.toContain('master.key');
  });
});
