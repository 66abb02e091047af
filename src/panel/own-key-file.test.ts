// The key file that a panel creates: only on a server without a keychain, once, and later commands find it.
import { existsSync, lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempFolder } from '../../tests/support/temp-store.ts';
import { openVault } from '../adapters/vault/vault.ts';
import { findKeyFile, isHeadless, prepareKeyFile } from './own-key-file.ts';

const ID = '0123456789ab';
const log = { info() {}, warn() {}, error() {} };
const sealed = { keyId: () => null };

it.skipIf(process.platform !== 'linux' || process.env.DBUS_SESSION_BUS_ADDRESS !== undefined)(
  'is beside the configuration, for its owner only, and found from then on',
  async () => {
    using folder = tempFolder();
    const machine = { env: {}, home: folder.path };
    const own = join(folder.path, '.config/gatehouse', `${ID}.key`);
    expect(findKeyFile(null, ID, machine)).toBeNull();
    const options = { instanceId: ID, sealed, log };
    expect(await prepareKeyFile(null, options, machine)).toBe(own);
    const vault = await openVault({ ...options, keyFile: own });
    expect(vault.state()).toBe('headless');
    vault.close();
    expect(lstatSync(own).mode & 0o777).toBe(0o600);
    expect(findKeyFile(null, ID, machine)).toBe(own);
  },
);

it('is not made where a file is named, secrets are sealed otherwise, or its folder cannot be made', async () => {
  using folder = tempFolder();
  const machine = { env: { XDG_CONFIG_HOME: join(folder.path, 'conf') }, home: folder.path };
  expect(await prepareKeyFile('/etc/key', { instanceId: ID, sealed, log }, machine)).toBe('/etc/key');
  expect(await prepareKeyFile(null, { instanceId: ID, sealed: { keyId: () => 'ab' }, log }, machine)).toBeNull();
  expect(existsSync(join(folder.path, 'conf'))).toBe(false);
  writeFileSync(join(folder.path, 'conf'), '');
  expect(await prepareKeyFile(null, { instanceId: ID, sealed, log }, machine)).toBeNull();
});

it('is found in the configuration folder that the account names', () => {
  using folder = tempFolder();
  mkdirSync(join(folder.path, 'gatehouse'));
  writeFileSync(join(folder.path, 'gatehouse', `${ID}.key`), '');
  const machine = { env: { XDG_CONFIG_HOME: folder.path }, home: '/nowhere' };
  expect(findKeyFile(null, ID, machine)).toBe(join(folder.path, 'gatehouse', `${ID}.key`));
});

it('is for machines without a screen', () => {
  expect(isHeadless('linux', {})).toBe(true);
  expect(isHeadless('linux', { DISPLAY: ':0' })).toBe(false);
  expect(isHeadless('linux', { WAYLAND_DISPLAY: 'wayland-0' })).toBe(false);
  expect(isHeadless('darwin', {})).toBe(false);
});
