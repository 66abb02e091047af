// System notifications: which events have one, what it opens, and how many are shown at once, and its buttons.
import { EventEmitter } from 'node:events';
import { beforeEach, describe, expect, it } from 'vitest';
import { sampleEvent, userFacts } from '../../tests/support/sample-events.ts';
import type { Core } from '../core/kernel/core.ts';
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
    sampleEvent('provider.failed', { provider_id: 3, kind: 'stripe', name: 'Cards', error: 'unauthorized', codes: [] }),
    'The payment provider Cards fails',
    '#/settings/payments/3',
  ],
  [
    sampleEvent('certificate.failed', { code: 'refused', not_after: null }),
    'The certificate was not renewed',
    '#/settings/certificates',
  ],
  [
    sampleEvent('certificate.ending', { not_after: '2026-12-20T09:00:00.000Z' }),
    'The certificate expires soon',
    '#/settings/certificates',
  ],
  [
    sampleEvent('node.certificate_failed', { node_id: 4, name: 'Berlin', code: 'refused', not_after: null }),
    'Berlin: the certificate for links was not renewed',
    '#/nodes/4',
  ],
  [
    sampleEvent('node.certificate_ending', { node_id: 4, name: 'Berlin', not_after: '2026-12-20T09:00:00.000Z' }),
    'Berlin: the certificate for links expires soon',
    '#/nodes/4',
  ],
  [sampleEvent('backup.failed', { reason: 'storage_full', place: null }), 'The backup failed', '#/settings/backups'],
])('describes $type and opens its page', (event, title, hash) => {
  expect(describeEvent(event, english, () => readEventName(core, event))).toMatchObject({ title, hash });
});

it('describes no other event', () => {
  const events = [
    sampleEvent('user.extended', userFacts(7)),
    sampleEvent('backup.made', { name: 'b' }),
    sampleEvent('backup.stored', { name: 'b', place: 'Storage' }),
    sampleEvent('settings.changed', {}),
  ];
  for (const event of events) expect(describeEvent(event, english, () => '')).toBeNull();
});

describe('a notifier', () => {
  const shown: FakeNotification[] = [];
  class FakeNotification extends EventEmitter {
    static isSupported = () => true;
    readonly options: { readonly actions: readonly { readonly text: string }[] };
    constructor(options: FakeNotification['options']) {
      super();
      this.options = options;
    }
    show() {
      shown.push(this);
    }
  }
  const visited: string[] = [];
  let now: number;
  let notify: ReturnType<typeof createNotifier>;
  beforeEach(() => {
    shown.length = 0;
    visited.length = 0;
    now = 1;
    notify = createNotifier({
      Notification: FakeNotification as never,
      now: () => now,
      texts: () => english,
      openPage: (hash) => visited.push(hash),
    });
  });

  it('limits a burst, and opens the page of the notification that is clicked', () => {
    for (let id = 0; id < 100; id++) notify({ title: 't', body: 'b', hash: `#/users/${id}` });
    expect(shown).toHaveLength(5);
    shown[2]?.emit('click');
    expect(visited).toEqual(['#/users/2']);
    now += 60_001;
    notify({ title: 't', body: 'b', hash: '' });
    expect(shown).toHaveLength(6);
  });

  it('shows the same one once while it is open', () => {
    const down = { title: 'Node Berlin does not answer', body: 'b', hash: '#/nodes/4' };
    notify(down);
    notify(down);
    notify({ ...down, title: 'Node Berlin answers again' });
    expect(shown).toHaveLength(2);
    shown[0]?.emit('close');
    notify(down);
    expect(shown).toHaveLength(3);
  });

  it('has a button that opens its page, and one that silences all for an hour', () => {
    notify({ title: 't', body: 'b', hash: '#/nodes/4' });
    expect(shown[0]?.options.actions.map(({ text }) => text)).toEqual(['Open', 'Mute for an hour']);
    shown[0]?.emit('action', { actionIndex: 0 });
    expect(visited).toEqual(['#/nodes/4']);
    notify({ title: 't', body: 'b', hash: '#/nodes/4' });
    shown[1]?.emit('action', { actionIndex: 1 });
    expect(visited).toEqual(['#/nodes/4']);
    now += 3_599_999;
    notify({ title: 't', body: 'b', hash: '#/nodes/4' });
    expect(shown).toHaveLength(2);
    now += 1;
    notify({ title: 't', body: 'b', hash: '#/nodes/4' });
    expect(shown).toHaveLength(3);
  });
});
