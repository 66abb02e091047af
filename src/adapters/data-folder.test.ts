// Where the data folder is on each system, and which folders are refused.
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findDataFolder, prepareDataFolder } from './data-folder.ts';

const machine = (platform: NodeJS.Platform, env: NodeJS.ProcessEnv = {}) => ({ platform, env, home: '/home/ann' });

describe('findDataFolder', () => {
  test.each([
    ['linux', {}, '/home/ann/.local/share/gatehouse'],
    ['linux', { XDG_DATA_HOME: '/data' }, '/data/gatehouse'],
    ['linux', { XDG_DATA_HOME: 'data' }, '/home/ann/.local/share/gatehouse'],
    ['darwin', {}, '/home/ann/Library/Application Support/Gatehouse'],
    ['win32', { APPDATA: '/roaming' }, '/roaming/Gatehouse'],
    ['linux', { GATEHOUSE_DATA: '/srv/panel', XDG_DATA_HOME: '/data' }, '/srv/panel'],
  ] as const)('%s with %j: %s', (platform, env, expected) => {
    expect(findDataFolder(undefined, machine(platform, env))).toBe(expected);
  });

  test('what is asked for wins, and is made absolute', () => {
    expect(findDataFolder('here', machine('linux', { GATEHOUSE_DATA: '/srv' }))).toBe(resolve('here'));
  });
});

describe('prepareDataFolder', () => {
  let parent = '';
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'gatehouse-data-'));
  });
  afterEach(() => rmSync(parent, { recursive: true, force: true }));

  test('makes what is missing, for the owner only', () => {
    const folder = join(parent, 'a', 'b');
    prepareDataFolder(folder);
    expect(existsSync(folder)).toBe(true);
    if (process.platform !== 'win32') expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  test.skipIf(process.platform === 'win32')('closes an empty folder, or one of a panel, to others', () => {
    chmodSync(parent, 0o775);
    prepareDataFolder(parent);
    expect(statSync(parent).mode & 0o777).toBe(0o700);
    writeFileSync(join(parent, 'panel.db'), '');
    chmodSync(parent, 0o755);
    prepareDataFolder(parent);
    expect(statSync(parent).mode & 0o777).toBe(0o700);
  });

  test('refuses a folder of something else and leaves it as it is', () => {
    writeFileSync(join(parent, 'thesis.txt'), 'x');
    chmodSync(parent, 0o755);
    expect(() => prepareDataFolder(parent)).toThrow('holds other files and no panel');
    if (process.platform !== 'win32') expect(statSync(parent).mode & 0o777).toBe(0o755);
  });

  test('refuses a file, and what lies behind one', () => {
    const file = join(parent, 'file');
    writeFileSync(file, '');
    expect(() => prepareDataFolder(file)).toThrow(/cannot be used/);
    expect(() => prepareDataFolder(join(file, 'sub'))).toThrow(/cannot be used: not a directory/);
  });

  test('refuses a link in its place, and links in it', () => {
    const elsewhere = join(parent, 'elsewhere');
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, join(parent, 'link'));
    expect(() => prepareDataFolder(join(parent, 'link'))).toThrow('is a symbolic link');
    const folder = join(parent, 'own');
    prepareDataFolder(folder);
    writeFileSync(join(folder, 'lock'), '');
    symlinkSync(elsewhere, join(folder, 'backups'));
    expect(() => prepareDataFolder(folder)).toThrow('is a symbolic link');
  });

  test.each(['logs/panel.log', 'tls/ca.pem', 'tls/acme/account.pem', 'engines/1/state.json'])(
    'refuses a link in the place of %s',
    (name) => {
      writeFileSync(join(parent, 'lock'), '');
      const path = join(parent, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, '');
      expect(() => prepareDataFolder(parent)).not.toThrow();
      const elsewhere = join(parent, 'elsewhere');
      renameSync(path, elsewhere);
      symlinkSync(elsewhere, path);
      expect(() => prepareDataFolder(parent)).toThrow(`${path} is a symbolic link`);
    },
  );

  test.skipIf(process.platform === 'win32')('refuses the folder of another account, but not to root or of root', () => {
    const { uid } = statSync(parent);
    expect(() => prepareDataFolder(parent, uid)).not.toThrow();
    expect(() => prepareDataFolder(parent, 0)).not.toThrow();
    if (uid !== 0) expect(() => prepareDataFolder(parent, uid + 1)).toThrow('belongs to another account');
    else if (process.geteuid?.() === 0) {
      chownSync(parent, 1234, 1234);
      expect(() => prepareDataFolder(parent, 1235)).toThrow('belongs to another account');
    }
  });

  test('takes the root of a mounted disk', () => {
    mkdirSync(join(parent, 'lost+found'));
    expect(() => prepareDataFolder(parent)).not.toThrow();
  });
});
