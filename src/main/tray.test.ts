// The tray: the panel's status without anything secret, and the icon of each system.
import { EventEmitter } from 'node:events';
import { expect, it, vi } from 'vitest';
import { hostTexts } from '../i18n/host.ts';
import { openTray, readStatus, trayIcon, trayTemplate } from './tray.ts';

const english = hostTexts('en', 'desktop');
const status = {
  baseUrl: 'https://127.0.0.1:8443/secret/api/v1',
  usersOnline: 3,
  trafficToday: '1.23 GB',
  isPaused: false,
};
const actions = { open() {}, copyBaseUrl() {}, pause() {}, act() {}, quit() {} };

it('shows the status of the panel without the secret path', () => {
  const labels = trayTemplate(status, english, actions).map(({ label }) => label);
  expect(labels).toEqual(
    expect.arrayContaining(['Serving at 127.0.0.1:8443', 'Users online: 3', 'Traffic today: 1.23 GB']),
  );
  expect(labels.join()).not.toContain('secret');
  expect(trayTemplate({ ...status, isPaused: true }, english, actions)).toContainEqual(
    expect.objectContaining({ label: 'Pause the API', checked: true }),
  );
  expect(trayTemplate(null, english, actions).map(({ label }) => label)).not.toContain('Copy base_url');
});

it.each([
  ['en', 0, 'Traffic today: 0 bytes'],
  ['ru', 0, 'Трафик за сегодня: 0 байт'],
  ['ru', 1_234_000_000, 'Трафик за сегодня: 1,23 ГБ'],
] as const)('says in %s that %i bytes were moved', (language, down, label) => {
  const body = { users: { online: 0 }, traffic: { today: { up: 0, down } } };
  const panel = { core: { call: () => ({ body }), baseUrl: () => status.baseUrl }, api: { isPaused: () => false } };
  const shown = trayTemplate(readStatus(panel as never, language), hostTexts(language, 'desktop'), actions);
  expect(shown.map((item) => item.label?.replaceAll('\u00a0', ' '))).toContain(label);
});

it('has the commands that are possible everywhere, without their keys, which it cannot hear', () => {
  const act = vi.fn();
  const group = 'acts';
  const acts = [
    { id: 'users.create', label: 'Add a user', group, isEverywhere: true, keys: 'n' },
    { id: 'users.delete', label: 'Delete: Anna', group, isEverywhere: false },
    { id: 'frame.signOut', label: 'Sign out', group: 'appearance', isEverywhere: true },
  ] as const;
  const items = trayTemplate(status, english, { ...actions, act }, acts);
  expect(items.map(({ label }) => label)).toEqual(expect.arrayContaining(['Open Gatehouse', 'Add a user']));
  expect(JSON.stringify(items)).not.toMatch(/Anna|Sign out|accelerator/);
  items.find(({ label }) => label === 'Add a user')?.click?.({} as never, undefined, {} as never);
  expect(act).toHaveBeenCalledWith('users.create');
});

it.each([
  ['linux', 1],
  ['win32', 1],
  ['darwin', 0],
] as const)('on %s a click on it shows the window %i times', (platform, times) => {
  const open = vi.fn();
  const tray = new EventEmitter();
  const Tray = function FakeTray() {
    return tray;
  };
  openTray({ Tray, Menu: {}, icon: {}, actions: { ...actions, open }, platform } as never);
  tray.emit('click');
  expect(open).toHaveBeenCalledTimes(times);
});

/** The pictures of a platform's icon. */
function drawIcon(platform: NodeJS.Platform) {
  const pictures: { readonly scale: number; readonly width: number; readonly url: string }[] = [];
  const add = (scale: number, url = '') => {
    const png = Buffer.from(url.replace('data:image/png;base64,', ''), 'base64');
    expect(png.toString('latin1', 1, 4)).toBe('PNG');
    pictures.push({ scale, width: png.readUInt32BE(16), url });
  };
  let isTemplate = false;
  const image = {
    addRepresentation: ({ scaleFactor = 1, dataURL }: { scaleFactor?: number; dataURL?: string }) =>
      add(scaleFactor, dataURL),
    setTemplateImage(is: boolean) {
      isTemplate = is;
    },
  };
  const createFromDataURL = (url: string) => {
    add(1, url);
    return image as never;
  };
  expect(trayIcon({ createFromDataURL }, platform)).toBe(image);
  return { pictures, isTemplate };
}

it.each(['linux', 'win32'] as const)('the icon is coloured on %s', (platform) => {
  const { pictures, isTemplate } = drawIcon(platform);
  expect([pictures.map(({ scale, width }) => [scale, width]), isTemplate]).toEqual([[[1, 32]], false]);
});

it('the icon is a template image on macOS, with one and two pixels per point', () => {
  const { pictures, isTemplate } = drawIcon('darwin');
  expect(pictures.map(({ scale, width }) => [scale, width])).toEqual([
    [1, 18],
    [2, 36],
  ]);
  expect(isTemplate).toBe(true);
  expect(pictures[0]?.url).not.toBe(drawIcon('linux').pictures[0]?.url);
});
