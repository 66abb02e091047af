// `panel install`: its changes to the machine, a second run that finishes the first, and leftovers of `panel uninstall`.
import { existsSync, lstatSync, mkdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { tempFolder } from '../../tests/support/temp-store.ts';
import { readPointer, writePointer } from '../adapters/installation.ts';
import type { ServiceHost } from '../adapters/system-service.ts';
import {
  copyInstallation,
  type InstallPlaces,
  installPanel,
  type Reach,
  readReach,
  uninstallPanel,
  writePanelUnit,
} from './install.ts';
import { openPanel, type Panel } from './panel.ts';

const PROGRAM = ['/opt/gatehouse/panel'];
const DOMAIN: Reach = { mode: 'domain', domain: 'panel.example.org' };
const PROXY: Reach = { mode: 'proxy', publicUrl: 'https://panel.example.org' };

let running: Panel | null = null;
afterEach(async () => {
  await running?.close();
  running = null;
});

/**
 * A machine whose system is the folder `root`; its service is a panel of this process. `dies`: index of the command at which it is killed.
 */
function createMachine(root: string, dies = -1) {
  const places: InstallPlaces = {
    program: join(root, 'opt'),
    data: join(root, 'data'),
    settings: join(root, 'etc'),
    command: join(root, 'panel'),
  };
  const ran: string[] = [];
  const host: ServiceHost = {
    isRoot: true,
    hasSystemd: true,
    units: root,
    // A checkout may be in a home folder, which a service does not see.
    self: () => ['/bin/sh', '/bin/ls'],
    run(...words) {
      ran.push(words.join(' '));
      if (ran.length === dies) throw new Error('killed');
      if (words[0] === 'id') throw new Error('no such user');
      if (words[0] === 'install') mkdirSync(places.data, { recursive: true, mode: 0o700 });
      if (words[0] !== 'systemctl' || words[1] !== 'restart') return;
      void openPanel({ folder: places.data, keyFile: join(places.settings, 'key'), port: 0 }).then((panel) => {
        running = panel;
      });
    },
  };
  return { host, places, ran };
}

const install = (reach: Reach, { host, places }: ReturnType<typeof createMachine>) =>
  installPanel(reach, () => {}, host, places);

it('has a unit that listens as it is reached, with the key file', () => {
  const command = (reach: Reach) =>
    /^ExecStart=(.*)$/m
      .exec(writePanelUnit(reach, PROGRAM))?.[1]
      ?.replace('/opt/gatehouse/panel serve --data /var/lib/gatehouse --key-file /etc/gatehouse/key ', '');
  expect(command({ mode: 'loopback' })).toBe('--host 127.0.0.1');
  expect(command(DOMAIN)).toBe('--host 0.0.0.0 --port 443 --public-url https://panel.example.org');
  const proxy = '--host 127.0.0.1 --http --public-url https://panel.example.org --trusted-proxy 127.0.0.1 ::1';
  expect(command(PROXY)).toBe(proxy);
  const lines = writePanelUnit(DOMAIN, PROGRAM).split('\n');
  for (const line of ['User=gatehouse', 'StateDirectory=gatehouse', 'ReadWritePaths=-/opt/gatehouse'])
    expect(lines).toContain(line);
  expect(() => writePanelUnit(DOMAIN, ['/root/gatehouse/panel'])).toThrow('Install it into /opt');
});

it('makes account, folder, key, link and service, and says where the panel is', async () => {
  using folder = tempFolder();
  const machine = createMachine(folder.path);
  const { addresses } = await install(DOMAIN, machine);
  expect(addresses).toMatchObject({ set_up: false, panel_url: expect.stringMatching(/^https:/) });
  const { places, ran } = machine;
  expect(ran.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
    'id -u',
    'useradd --system',
    'install -d',
    'setpriv --reuid',
    expect.stringMatching(/^chown gatehouse/),
    'systemctl daemon-reload',
    'systemctl enable',
    'systemctl restart',
  ]);
  const modes = [places.settings, join(places.settings, 'key')].map((path) => lstatSync(path).mode & 0o777);
  expect(modes).toEqual([0o755, 0o600]);
  expect(existsSync(readlinkSync(places.command))).toBe(true);
  expect(readReach(places)).toEqual(DOMAIN);
});

it('is finished by a second run, wherever the first was killed', async () => {
  for (let dies = 2; dies <= 8; dies += 1) {
    using folder = tempFolder();
    await expect(install(PROXY, createMachine(folder.path, dies)).then(() => 'installed')).rejects.toThrow();
    const key = join(folder.path, 'etc/key');
    const before = existsSync(key) ? readFileSync(key, 'utf8') : null;
    const machine = createMachine(folder.path);
    await install(PROXY, machine);
    if (before !== null) expect(readFileSync(key, 'utf8')).toBe(before);
    await running?.close();
    running = null;
  }
});

it('puts another version on trial, and never half of one in place', () => {
  using folder = tempFolder();
  const target = join(folder.path, 'opt');
  const unpack = (version: string) => {
    const root = join(folder.path, `unpacked-${version}`);
    mkdirSync(join(root, 'versions', version), { recursive: true });
    writeFileSync(join(root, 'versions', version, 'package.json'), version);
    writeFileSync(join(root, 'panel'), 'launcher');
    writePointer(root, { version, trial: null });
    return { root, version };
  };
  mkdirSync(join(target, 'versions/.copying/half'), { recursive: true });
  copyInstallation(unpack('1.0.0'), target);
  expect(readPointer(target)).toEqual({ version: '1.0.0', trial: null });
  copyInstallation(unpack('1.1.0'), target);
  copyInstallation(unpack('1.1.0'), target);
  expect(readPointer(target)).toEqual({ version: '1.1.0', trial: { former: '1.0.0', seconds: 60 } });
  expect(readFileSync(join(target, 'versions/1.1.0/package.json'), 'utf8')).toBe('1.1.0');
  expect(existsSync(join(target, 'versions/.copying'))).toBe(false);
});

it('leaves the data where it is removed, and nothing where they are asked for', async () => {
  using folder = tempFolder();
  const machine = createMachine(folder.path);
  const { host, places, ran } = machine;
  expect(() => uninstallPanel(false, host, places)).toThrow('not installed');
  await install(DOMAIN, machine);
  await running?.close();
  running = null;
  uninstallPanel(false, host, places);
  expect(ran.slice(-2)).toEqual(['systemctl disable --now gatehouse', 'systemctl daemon-reload']);
  const left = [places.data, join(places.settings, 'key'), places.command].map((path) => existsSync(path));
  expect(left).toEqual([true, true, false]);
  uninstallPanel(true, host, places);
  expect([existsSync(places.data), existsSync(places.settings), ran.at(-1)]).toEqual([
    false,
    false,
    'userdel gatehouse',
  ]);
  rmSync(folder.path, { recursive: true, force: true });
});

it('is refused in words, and makes nothing, without systemd or root', async () => {
  using folder = tempFolder();
  const machine = createMachine(folder.path);
  const refused = (changes: Partial<ServiceHost>) =>
    installPanel(DOMAIN, () => {}, { ...machine.host, ...changes }, machine.places);
  await expect(refused({ hasSystemd: false })).rejects.toThrow('systemd does not run here');
  await expect(refused({ isRoot: false })).rejects.toThrow('Only root');
  expect(machine.ran).toEqual([]);
});
