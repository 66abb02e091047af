// System notifications: which events have one, what it opens, and how many are shown at once.
import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { sampleEvent, userFacts } from '../../tests/support/sample-events.ts';
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

it('names the user or node of an event, by its id if it has been deleted', () => {
  const events = [
    sampleEvent('user.limited', userFacts(7)),
    sampleEvent('user.limited', userFacts(8)),
    sampleEvent('node.down', { node_id: 7, name: 'Berlin' }),
    sampleEvent('settings.changed', {}),
  ];
  expect(events.map((event) => readEventName(core, event))).toEqual(['Anna', '#8', 'Berlin', '']);
});

it.each([
  [sampleEvent('node.down', { node_id: 4, name: 'Berlin' }), 'Node Berlin does not answer', '#/nodes/4'],
  [sampleEvent('node.up', { node_id: 4, name: 'Berlin' }), 'Node Berlin answers again', '#/nodes/4'],
  [sampleEvent('user.limited', userFacts(7)), 'Anna has used all traffic', '#/users/7'],
  [sampleEvent('webhook.disabled', { webhook_id: 1 }), 'A webhook was disabled', '#/settings/security/webhooks'],
  [
    sampleEvent('certificate.failed', { code: 'refused', not_after: null }),
    'The certificate was not renewed',
    '#/settings/certificates',
  ],
  [
    sampleEvent('certificate.ending', { not_after: '2026-12-20T09:00:00.000Z' }),
    'The certificate ends soon',
    '#/settings/certificates',
  ],
  [sampleEvent('backup.failed', { reason: 'storage_full' }), 'The backup failed', '#/settings/backups'],
])('describes $type and opens its page', (event, title, hash) => {
  expect(describeEvent(event, english, () => readEventName(core, event))).toMatchObject({ title, hash });
});

it('describes no other event', () => {
  const events = [
    sampleEvent('user.extended', userFacts(7)),
    sampleEvent('backup.made', { name: 'b' }),
    sampleEvent('settings.changed', {}),
  ];
  for (const event of events) expect(describeEvent(event, english, () => '')).toBeNull();
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
