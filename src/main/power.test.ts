// After a sleep: the panel catches up, and one message says how long it was and what passed.
import { EventEmitter } from 'node:events';
import { beforeEach, expect, it, vi } from 'vitest';
import { sampleEvent, userFacts } from '../../tests/support/sample-events.ts';
import type { Event } from '../contract/event-types.ts';
import { hostTexts } from '../i18n/host.ts';
import { followSleep, type SleepingPanel } from './power.ts';

const powerMonitor = new EventEmitter();
const notify = vi.fn();
const onFailed = vi.fn();
const wake = vi.fn(async () => {});
let now: number;
let panel: SleepingPanel | null;
let passed: Event[] | null;
beforeEach(() => {
  powerMonitor.removeAllListeners();
  vi.clearAllMocks();
  now = 1_000_000;
  passed = [];
  const core = { latestEventId: () => 41, eventsAfter: vi.fn((id: number) => (id === 41 ? passed : [])) };
  panel = { core, log: { info: vi.fn() }, wake };
  followSleep({
    powerMonitor: powerMonitor as never,
    panel: () => panel,
    now: () => now,
    texts: () => hostTexts('en', 'desktop'),
    notify,
    onFailed,
  });
});

async function sleep(ms: number): Promise<void> {
  powerMonitor.emit('suspend');
  now += ms;
  powerMonitor.emit('resume');
  await vi.waitFor(() => expect(wake).toHaveBeenCalledOnce());
}

it('says how long it was, and whom it concerned', async () => {
  passed = [
    sampleEvent('user.expired', userFacts(7)),
    sampleEvent('user.expired', userFacts(8)),
    sampleEvent('user.limited', userFacts(9)),
    sampleEvent('settings.changed', {}),
  ];
  await sleep(3 * 3_600_000 + 5 * 60_000);
  await vi.waitFor(() => expect(notify).toHaveBeenCalledOnce());
  expect(notify).toHaveBeenCalledWith({
    title: 'Resumed after 3 h 5 min of sleep',
    body: 'The API and links did not respond during that time. Terms expired meanwhile: 2. Users at their limit: 1.',
    hash: '#/overview',
  });
});

it('says only how long it was where nothing passed, or where the events are gone', async () => {
  passed = null;
  await sleep(90_000);
  await vi.waitFor(() => expect(notify).toHaveBeenCalledOnce());
  expect(notify).toHaveBeenCalledWith({
    title: 'Resumed after 2 min of sleep',
    body: 'The API and links did not respond during that time.',
    hash: '#/overview',
  });
});

it('says nothing after a moment in which nothing passed', async () => {
  await sleep(20_000);
  await vi.waitFor(() => expect(panel?.log.info).toHaveBeenCalledOnce());
  expect(notify).not.toHaveBeenCalled();
});

it('does nothing without a panel, or where the computer did not sleep', () => {
  powerMonitor.emit('resume');
  powerMonitor.emit('suspend');
  panel = null;
  powerMonitor.emit('resume');
  expect(wake).not.toHaveBeenCalled();
});

it('reports what fails', async () => {
  wake.mockRejectedValueOnce(new Error('closed'));
  await sleep(90_000);
  await vi.waitFor(() => expect(onFailed).toHaveBeenCalledOnce());
  expect(notify).not.toHaveBeenCalled();
});
