// The name of the command for each kind of installation, and in a checkout.
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempFolder } from '../../tests/support/temp-store.ts';
import { LANGUAGES } from '../i18n/languages.ts';
import { loadPageTexts } from '../i18n/page-texts.ts';
import { COMMANDS, commandName, installedName, renderCommands } from './command-name.ts';

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

it('is named as it works where a release, a package of npm or a checkout is', () => {
  using folder = tempFolder();
  const version = join(folder.path, 'versions/1.0.0');
  const link = join(folder.path, 'bin-panel');
  mkdirSync(version, { recursive: true });
  expect(installedName(version, link)).toBe('panel');
  for (const name of ['current', 'panel']) writeFileSync(join(folder.path, name), '');
  expect(installedName(version, link)).toBe(join(folder.path, 'panel'));
  symlinkSync(join(folder.path, 'panel'), link);
  expect(installedName(version, link)).toBe('panel');
  mkdirSync(join(version, 'src/cli'), { recursive: true });
  writeFileSync(join(version, 'src/cli/index.ts'), '');
  expect(installedName(version, link)).toBe('npx panel');
});

it('is put into texts, in every command that there is', () => {
  const source = readFileSync(new URL('../cli/index.ts', import.meta.url), 'utf8');
  const named = [...source.matchAll(/^(?:const \w+ = )?program\s*\.command\('([\w-]+)'\)/gm)].map(([, name]) => name);
  expect(named.length).toBeGreaterThan(12);
  expect(named.toSorted()).toEqual(COMMANDS.toSorted());
  for (const name of COMMANDS)
    expect(renderCommands(`Run \`panel ${name} x\`.`, '"/a b/panel"')).toBe(`Run \`"/a b/panel" ${name} x\`.`);
  const others = 'panel: /opt/gatehouse/panel serve, gatehouse/panel install, the panel runs, panel keys';
  expect(renderCommands(others, 'npx panel')).toBe(others);
});

it.each(LANGUAGES)('is in no text of $code as it is', async ({ code, host }) => {
  const texts = JSON.stringify([await loadPageTexts(code), await host()]).split('","');
  expect(texts.filter((text) => renderCommands(text, 'npx panel') !== text)).toEqual([]);
});
