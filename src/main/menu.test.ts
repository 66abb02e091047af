// The application's menu on each system.
import { expect, it } from 'vitest';
import { hostTexts } from '../i18n/host.ts';
import { menuTemplate } from './menu.ts';

const english = hostTexts('en', 'desktop');
const actions = { go() {}, openDataFolder() {}, about() {}, checkForUpdates: null, closeWindow() {}, quit() {} };

it.each([
  ['linux', 'File'],
  ['darwin', 'Gatehouse'],
] as const)('has the menu of %s, with zoom and without developer tools', (platform, first) => {
  const template = menuTemplate(english, actions, platform);
  expect(template[0]?.label).toBe(first);
  const roles = JSON.stringify(template);
  for (const role of ['zoomIn', 'zoomOut', 'resetZoom', 'copy', 'paste', 'reload']) expect(roles).toContain(role);
  expect(roles).not.toMatch(/toggleDevTools/i);
});

it('has what macOS users expect in the menu of the application, and only there', () => {
  const rolesOn = (platform: NodeJS.Platform) => JSON.stringify(menuTemplate(english, actions, platform));
  for (const role of ['services', 'hide', 'hideOthers', 'unhide']) {
    expect(rolesOn('darwin')).toContain(`"role":"${role}"`);
    expect(rolesOn('linux')).not.toContain(`"role":"${role}"`);
  }
});

it.each(['linux', 'darwin', 'win32'] as const)('offers on %s to check for updates if there is a feed', (platform) => {
  const checkForUpdates = () => {};
  const entries = (check: (() => void) | null) =>
    menuTemplate(english, { ...actions, checkForUpdates: check }, platform)
      .flatMap(({ submenu }) => (Array.isArray(submenu) ? submenu : []))
      .filter(({ label }) => label === english('checkForUpdates'));
  expect(entries(null)).toEqual([]);
  expect(entries(checkForUpdates).map(({ click }) => click)).toEqual([checkForUpdates]);
});
