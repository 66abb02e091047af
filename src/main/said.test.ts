// What the shell shows: tray, menu, messages; and nothing secret on the screen.
import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import type { EventData, EventType } from '../contract/events.ts';
import type { Core } from '../core/core.ts';
import { hostTexts } from '../i18n/host.ts';
import { menuTemplate } from './menu.ts';
import { createNotifier, noticeOf } from './notices.ts';
import { subjectOf } from './subject.ts';
import { trayTemplate } from './tray.ts';

const english = hostTexts('en', 'desktop');
const status = {
  baseUrl: 'https://127.0.0.1:8443/secret/api/v1',
  usersOnline: 3,
  trafficToday: 1_234_000_000,
  isPaused: false,
};
const trayActs = { open() {}, copyBaseUrl() {}, pause() {}, quit() {} };

it('shows in the tray how the panel fares, without the secret path', () => {
  const labels = trayTemplate(status, english, trayActs).map(({ label }) => label);
  expect(labels).toEqual(
    expect.arrayContaining(['Serving at 127.0.0.1:8443', 'Users online: 3', 'Traffic today: 1.2 GB']),
  );
  expect(labels.join()).not.toContain('secret');
  expect(trayTemplate({ ...status, isPaused: true }, english, trayActs)).toContainEqual(
    expect.objectContaining({ label: 'Pause the API', checked: true }),
  );
  expect(trayTemplate(null, english, trayActs).map(({ label }) => label)).not.toContain('Copy base_url');
});

it.each([
  ['linux', 'File'],
  ['darwin', 'Gatehouse'],
] as const)('has the menu of %s, with zoom and no tools for developers', (platform, first) => {
  const acts = {
    go() {},
    openDataFolder() {},
    about() {},
    checkForUpdates: null,
    closeWindow() {},
    quit() {},
  };
  const template = menuTemplate(english, acts, platform);
  expect(template[0]?.label).toBe(first);
  const roles = JSON.stringify(template);
  for (const role of ['zoomIn', 'zoomOut', 'resetZoom', 'copy', 'paste', 'reload']) expect(roles).toContain(role);
  expect(roles).not.toMatch(/toggleDevTools/i);
});

const names: Readonly<Record<number, string>> = { 7: 'Anna' };
const core = {
  call(_id: string, { id }: { id: number }) {
    if (names[id] === undefined) throw new Error('not found');
    return { status: 200, body: { name: names[id] } };
  },
} as unknown as Pick<Core, 'call'>;
const subject = (data: EventData) => () => subjectOf(core, data);

it('names what an event is about, by its number where it is gone', () => {
  expect([{ user_id: 7 }, { user_id: 8 }, { node_id: 7 }, {}].map((data) => subjectOf(core, data))).toEqual([
    'Anna',
    '#8',
    'Anna',
    '',
  ]);
});

it.each([
  ['node.down', { node_id: 4, name: 'Berlin' }, 'Node Berlin does not answer', '#/nodes/4'],
  ['node.up', { node_id: 4, name: 'Berlin' }, 'Node Berlin answers again', '#/nodes/4'],
  ['user.limited', { user_id: 7 }, 'Anna has used all traffic', '#/users/7'],
  ['backup.failed', { name: 'no room' }, 'The backup failed', '#/settings/backups'],
] as const)('tells of %s and leads there', (type, data, title, hash) => {
  expect(noticeOf({ id: 1, type, at: 0, data }, english, subject(data))).toMatchObject({ title, hash });
});

it('lets the rest wait', () => {
  for (const type of ['user.created', 'user.extended', 'backup.made', 'settings.changed'] satisfies EventType[]) {
    expect(noticeOf({ id: 1, type, at: 0, data: {} }, english, () => '')).toBeNull();
  }
});

it('shows a few messages of a burst, and goes where one is pressed', () => {
  const shown: FakeNotification[] = [];
  class FakeNotification extends EventEmitter {
    static isSupported = () => true;
    show() {
      shown.push(this);
    }
  }
  const gone: string[] = [];
  let now = 0;
  const notify = createNotifier({
    Notification: FakeNotification as never,
    now: () => now,
    go: (hash) => gone.push(hash),
  });
  for (let id = 0; id < 100; id++) notify({ title: 't', body: 'b', hash: `#/users/${id}` });
  expect(shown).toHaveLength(5);
  shown[2]?.emit('click');
  expect(gone).toEqual(['#/users/2']);
  now = 60_001;
  notify({ title: 't', body: 'b', hash: '' });
  expect(shown).toHaveLength(6);
});
