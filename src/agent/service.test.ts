// The service of a node's machine: its unit, the installation steps, and when they are refused.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempFolder } from '../../tests/support/temp-store.ts';
import type { ServiceHost } from '../adapters/system-service.ts';
import { installService, uninstallService, writeUnit } from './service.ts';

const PROGRAM = ['/opt/gatehouse/panel'];

function createHost(units: string, changes: Partial<ServiceHost> = {}) {
  const ran: string[] = [];
  const host: ServiceHost = {
    isRoot: true,
    hasSystemd: true,
    units,
    self: () => PROGRAM,
    run: (...words) => {
      ran.push(words.join(' '));
      if (words[0] === 'id') throw new Error('no such user');
    },
    ...changes,
  };
  return { host, ran };
}

it('has a unit with an account of its own that may do nothing but bind low ports', () => {
  const lines = writeUnit({ enginePath: '/opt/xray core/xray', host: '192.0.2.1' }, PROGRAM).split('\n');
  const command = '/opt/gatehouse/panel node run --data /var/lib/gatehouse-node --engine "/opt/xray core/xray"';
  expect(lines).toContain(`ExecStart=${command} --host 192.0.2.1`);
  for (const line of [
    'User=gatehouse-node',
    'StateDirectory=gatehouse-node',
    'KillMode=process',
    'AmbientCapabilities=CAP_NET_BIND_SERVICE',
    'CapabilityBoundingSet=CAP_NET_BIND_SERVICE',
    'NoNewPrivileges=yes',
    'ProtectSystem=strict',
    'PrivateDevices=yes',
    'RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK',
    'SystemCallFilter=@system-service',
  ]) {
    expect(lines).toContain(line);
  }
  const odd = writeUnit({}, ['/opt/a "b" 50% $HOME\\x/panel']);
  expect(odd).toContain('ExecStart="/opt/a \\"b\\" 50%% $$HOME\\\\x/panel" node run');
  expect(() => writeUnit({}, ['/home/anna/gatehouse/panel'])).toThrow('Install it into /opt');
  expect(() => writeUnit({}, ['/tmp/gatehouse/panel'])).toThrow('hidden from it');
  expect(() => writeUnit({ enginePath: '/root/xray' }, PROGRAM)).toThrow('/root/xray');
  expect(() => writeUnit({ enginePath: '/opt/x\nUser=root' }, PROGRAM)).toThrow('line break');
});

it('is installed with its account and folder, and taken away', () => {
  using folder = tempFolder();
  const { host, ran } = createHost(folder.path);
  const unit = writeUnit({}, PROGRAM);
  const file = installService(unit, host);
  expect(readFileSync(file, 'utf8')).toBe(unit);
  expect(statSync(file).mode & 0o777).toBe(0o644);
  expect(ran.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
    'id -u',
    'useradd --system',
    'install -d',
    'systemctl daemon-reload',
    'systemctl enable',
    'systemctl restart',
  ]);
  ran.length = 0;
  uninstallService(host);
  expect(existsSync(file)).toBe(false);
  expect(ran).toEqual(['systemctl disable --now gatehouse-node', 'systemctl daemon-reload']);
  expect(() => uninstallService(host)).toThrow('not installed');
});

it('is refused in words, and changes nothing, without systemd or root, and where a step fails', () => {
  using folder = tempFolder();
  const file = join(folder.path, 'gatehouse-node.service');
  const refused = (changes: Partial<ServiceHost>, words: string) => {
    const { host, ran } = createHost(folder.path, changes);
    expect(() => installService('', host)).toThrow(words);
    expect(() => uninstallService(host)).toThrow(words);
    expect(ran).toEqual([]);
    expect(existsSync(file)).toBe(false);
  };
  refused({ hasSystemd: false }, 'systemd does not run here');
  refused({ isRoot: false }, 'Only root');
  const fails: ServiceHost['run'] = (program) => {
    if (program === 'install') throw new Error('read-only file system');
  };
  const { host } = createHost(folder.path, { run: fails });
  expect(() => installService('', host)).toThrow('Making its folder failed: read-only file system');
  expect(existsSync(file)).toBe(false);
});
