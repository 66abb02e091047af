// The application's menu on each system, and the commands of the pages in it.
import { describe, expect, it, vi } from 'vitest';
import { hostTexts } from '../i18n/host.ts';
import { actItem, menuTemplate, parseActs } from './menu.ts';

const english = hostTexts('en', 'desktop');
const actions = {
  openPage() {},
  act() {},
  openDataFolder() {},
  about() {},
  checkForUpdates: null,
  closeWindow() {},
  quit() {},
};

it.each([
  ['linux', '&File'],
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

it.each(['linux', 'darwin', 'win32'] as const)('the windows and the help of %s are known as such', (platform) => {
  const roles = menuTemplate(english, actions, platform).map(({ role }) => role);
  expect(roles.filter((role) => role !== undefined)).toEqual(['window', 'help']);
});

it.each(['en', 'ru'] as const)('each menu of Linux and Windows opens by Alt and a letter (%s)', (language) => {
  const labels = menuTemplate(hostTexts(language, 'desktop'), actions, 'linux').map(({ label }) => label ?? '');
  for (const label of labels) expect(label).toMatch(/^&\p{L}/u);
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

describe('the commands of the pages', () => {
  const acts = [
    { id: 'go users', label: 'Go to Users', group: 'goTo', isEverywhere: false, keys: 'g u' },
    { id: 'users.create', label: 'Add a user', group: 'acts', isEverywhere: true, keys: 'n' },
    { id: 'theme', label: 'Theme: Dark', group: 'appearance', isEverywhere: false },
    { id: 'go settings sales', label: 'Settings: Sales', settingsLabel: 'Sales', group: 'goTo', isEverywhere: false },
    { id: 'frame.print', label: 'Print', group: 'appearance', isEverywhere: true, keys: 'mod+p' },
    { id: 'frame.signOut', label: 'Sign out', group: 'appearance', isEverywhere: true },
    { id: 'frame.keys', label: 'Keyboard shortcuts', group: 'appearance', isEverywhere: true, keys: '?' },
  ] as const;
  const listLabels = (commands: typeof acts | undefined) =>
    Object.fromEntries(
      menuTemplate(english, actions, 'linux', commands).map(({ label, submenu }) => [
        label?.replace('&', '') ?? '',
        Array.isArray(submenu) ? submenu.map((item) => item.label) : [],
      ]),
    );

  it('are in menus of their own and in the view, where there are any', () => {
    const { Go, Actions, View, File, Help } = listLabels(acts);
    expect(File).toContain('Print');
    expect(File).toEqual(expect.arrayContaining(['Print', 'Sign out']));
    expect(Help?.[0]).toBe('Keyboard shortcuts');
    for (const label of ['Print', 'Sign out', 'Keyboard shortcuts']) expect(View).not.toContain(label);
    expect(Go).toEqual(['Search…', undefined, 'Go to Users', undefined, 'Settings']);
    expect(Actions).toEqual(['Add a user']);
    expect(View).toContain('Theme: Dark');
    expect(listLabels(undefined)).not.toHaveProperty('Go');
  });

  it('are done by their ids', () => {
    const act = vi.fn();
    actItem({ id: 'users.create', label: 'Add a user' }, act, 'linux').click?.({} as never, undefined, {} as never);
    expect(act).toHaveBeenCalledWith('users.create');
  });

  it.each([
    ['n', 'linux', 'N'],
    ['mod+k', 'win32', 'CmdOrCtrl+K'],
    ['shift+x', 'linux', 'Shift+X'],
    ['mod+k', 'darwin', 'CmdOrCtrl+K'],
    ['n', 'darwin', undefined],
    ['g u', 'linux', undefined],
    ['?', 'linux', undefined],
    [undefined, 'linux', undefined],
  ] as const)('have the key %s on %s as %s, which the pages answer', (keys, platform, accelerator) => {
    const command = { id: 'a', label: 'R&D', ...(keys !== undefined && { keys }) };
    const item = actItem(command, () => {}, platform);
    expect(item.label).toBe('R&&D');
    expect([item.accelerator, item.registerAccelerator]).toEqual([
      accelerator,
      accelerator === undefined ? undefined : false,
    ]);
  });

  it('are taken from a page only if they are such', () => {
    expect(parseActs(acts)).toEqual(acts);
    expect(parseActs([])).toEqual([]);
    expect(parseActs([{ ...acts[0], settingsLabel: 7 }])).toBeNull();
    const [first] = acts;
    for (const wrong of [
      null,
      'acts',
      {},
      [null],
      [{ ...first, id: 7 }],
      [{ ...first, label: 'x'.repeat(201) }],
      [{ ...first, group: 'records' }],
      [{ ...first, isEverywhere: 1 }],
      [{ ...first, keys: {} }],
      Array(201).fill(first),
    ]) {
      expect(parseActs(wrong), JSON.stringify(wrong)?.slice(0, 80)).toBeNull();
    }
    expect(parseActs([{ ...first, click: 'more' }])).toEqual([first]);
  });
});
