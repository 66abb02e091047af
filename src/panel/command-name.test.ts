// What the command is called where the application was installed, and in a checkout.
import { expect, it } from 'vitest';
import { commandName } from './command-name.ts';

it.each([
  ['linux', '/opt/Gatehouse/gatehouse', {}, 'gatehouse panel'],
  [
    'linux',
    '/tmp/.mount_x/gatehouse',
    { APPIMAGE: '/home/a/my apps/g.AppImage' },
    '"/home/a/my apps/g.AppImage" panel',
  ],
  [
    'darwin',
    '/Applications/Gatehouse.app/Contents/MacOS/Gatehouse',
    {},
    '/Applications/Gatehouse.app/Contents/MacOS/Gatehouse panel',
  ],
  ['win32', 'C:\\Program Files\\Gatehouse\\Gatehouse.exe', {}, '"C:\\Program Files\\Gatehouse\\panel.cmd"'],
] as const)('is named on %s, where %s runs, by its path', (platform, execPath, env, name) => {
  expect(commandName(true, { platform, execPath, env })).toBe(name);
  expect(commandName(false, { platform, execPath, env })).toBe('npx panel');
});
