// System notifications: which events have one, what it opens, and how many are shown at once.
import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import type { EventData, EventType } from '../contract/events.ts';
import type { Core } from '../core/core.ts';
import { hostTexts } from '../i18n/host.ts';
import { createNotifier, describeEvent, readEventName } from './notifications.ts';

const english = hostTexts('en', 'desktop');
const names: Readonly<Record<number, string>> = { 7: 'Anna' };
const core = {
  call(_id: string, { id }: { id: number }) {
    if (names[id] === undefined) throw new Error('not found');
    return { status: 200, body: { name: names[id] } };
  },
} as unknown as Pick<Core, 'call'>;
const name = (data: EventData) => () => readEventName(core, data);

it('names the user or node of an event, by its id if it has been deleted', () => {
  expect([{ user_id: 7 }, { user_id: 8 }, { node_id: 7 }, {}].map((data) => readEventName(core, data))).toEqual([
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
  ['backup.failed', { name: 'disk full' }, 'The backup failed', '#/settings/backups'],
] as const)('describes %s and opens its page', (type, data, title, hash) => {
  expect(describeEvent({ id: 1, type, at: 0, data }, english, name(data))).toMatchObject({ title, hash });
});

it('describes no other event', () => {
  for (const type of ['user.created', 'user.extended', 'backup.made', 'settings.changed'] satisfies EventType[]) {
    expect(describeEvent({ id: 1, type, at: 0, data: {} }, english, () => '')).toBeNull();
  }
});

it('limits a burst, and opens the page of the notification that is clicked', () => {
  const shown: FakeNotification[] = [];
  class FakeNotification extends EventEmitter {
    static isSupported = () => true;
    show() {
      shown.push(this);
    }
  }
  const visited: string[] = [];
  let now = 0;
  const notify = createNotifier({
    Notification: FakeNotification as never,
    now: () => now,
    go: (hash) => visited.push(hash),
  });
  for (let id = 0; id < 100; id++) notify({ title: 't', body: 'b', hash: `#/users/${id}` });
  expect(shown).toHaveLength(5);
  shown[2]?.emit('click');
  expect(visited).toEqual(['#/users/2']);
  now = 60_001;
  notify({ title: 't', body: 'b', hash: '' });
  expect(shown).toHaveLength(6);
});
