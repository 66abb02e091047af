// Starting with the computer: which program a Linux desktop starts, and that turning it off removes the entry.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLoginItem } from './login-item.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-autostart-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const setLoginItemSettings = vi.fn();
const getLoginItemSettings = vi.fn(() => ({ openAtLogin: true }));
function createItem(platform: NodeJS.Platform, execPath: string, { isPackaged = true, env = {} } = {}) {
  const app = { getLoginItemSettings, setLoginItemSettings, isPackaged, getPath: () => folder };
  return createLoginItem({ app: app as never, process: { platform, execPath, env } });
}

describe('on Linux', () => {
  const file = () => readFileSync(join(folder, 'autostart', 'gatehouse.desktop'), 'utf8');

  it('is a file of the autostart folder that starts the program without a window', () => {
    const item = createItem('linux', '/opt/Gatehouse/gatehouse');
    expect(item.isOn()).toBe(false);
    item.set(true);
    expect(item.isOn()).toBe(true);
    expect(file().split('\n')).toEqual([
      '[Desktop Entry]',
      'Type=Application',
      'Name=Gatehouse',
      'Exec="/opt/Gatehouse/gatehouse" --hidden',
      'Terminal=false',
      '',
    ]);
    item.set(false);
    item.set(false);
    expect([item.isOn(), readdirSync(join(folder, 'autostart'))]).toEqual([false, []]);
  });

  it('starts an AppImage itself, and is off for one that has moved', () => {
    const mounted = '/tmp/.mount_gate/gatehouse';
    createItem('linux', mounted, { env: { APPIMAGE: '/home/a/Gatehouse 1.AppImage' } }).set(true);
    expect(file()).toContain('Exec="/home/a/Gatehouse 1.AppImage" --hidden\n');
    const moved = createItem('linux', mounted, { env: { APPIMAGE: '/home/a/Programs/Gatehouse 1.AppImage' } });
    expect(moved.isOn()).toBe(false);
  });

  it.each([
    ['/opt/100% sure/gatehouse', '"/opt/100%% sure/gatehouse"'],
    ['/opt/a"b$c`d/gatehouse', String.raw`"/opt/a\\"b\\$c\\${'`'}d/gatehouse"`],
    ['/opt/a\\b/gatehouse', String.raw`"/opt/a\\\\b/gatehouse"`],
  ])('quotes %s', (program, quoted) => {
    createItem('linux', program).set(true);
    expect(file()).toContain(`Exec=${quoted} --hidden\n`);
  });

  it('is not offered in a checkout', () => {
    const item = createItem('linux', '/usr/lib/electron', { isPackaged: false });
    item.set(true);
    expect([item.isOn(), readdirSync(folder)]).toEqual([null, []]);
  });
});

it.each(['darwin', 'win32'] as const)('is a login item on %s', (platform) => {
  const item = createItem(platform, '/Applications/Gatehouse');
  item.set(true);
  expect(item.isOn()).toBe(true);
  expect(setLoginItemSettings).toHaveBeenCalledWith({ openAtLogin: true, args: ['--hidden'] });
  expect(getLoginItemSettings).toHaveBeenCalledWith({ args: ['--hidden'] });
});
