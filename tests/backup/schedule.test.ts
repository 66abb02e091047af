// Backups that are made by themselves: when they are due, how many are kept, and what becomes of a failure.
import { readdirSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import type { Event } from '../../src/contract/event-types.ts';
import { pairAdmin } from '../support/bot-admin.ts';
import { createTestClock, createTestTimers } from '../support/clock.ts';
import { PASSPHRASE, startMachine } from './machine.ts';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 10, 20, 12);

async function startScheduled() {
  const clock = createTestClock(START);
  const timers = createTestTimers();
  const machine = await startMachine({ clock, timers });
  const nextEvent = () =>
    new Promise<Event>((resolve) => {
      const stop = machine.core.subscribe((event) => {
        // That none has left the machine is told beside.
        if (!event.type.startsWith('backup.') || event.type === 'backup.late') return;
        stop();
        resolve(event);
      });
    });
  return {
    machine,
    now: () => clock.now(),
    schedule: async () => (await machine.act('listBackups', {})).schedule,
    /** When each backup was made, newest first, in hours from the beginning. */
    hours: async () =>
      (await machine.act('listBackups', {})).items.map(({ created_at }) => (Date.parse(created_at) - START) / HOUR),
    /** Lets the hours pass, at whose end a backup is due; what was told of it. */
    async due(hours: number): Promise<Event> {
      clock.advance(hours * HOUR);
      const told = nextEvent();
      timers.tick();
      return told;
    },
    /** Lets the hours pass, at whose end none is due: the look has had its turn. */
    async notDue(hours: number): Promise<void> {
      clock.advance(hours * HOUR);
      timers.tick();
      await new Promise((resolve) => setImmediate(resolve));
    },
    [Symbol.asyncDispose]: () => machine[Symbol.asyncDispose](),
  };
}

test('the newest N are kept; what was made by hand stays', async () => {
  await using scheduled = await startScheduled();
  const { machine, due } = scheduled;
  await machine.act('createBackup', {});
  await machine.act('scheduleBackups', { every_hours: 6, keep: 3 });
  for (let round = 1; round <= 5; round += 1) expect((await due(6)).type).toBe('backup.made');
  expect(await scheduled.hours()).toEqual([30, 24, 18, 0]);
  expect(await scheduled.schedule()).toMatchObject({ last_at: '2026-11-21T18:00:00.000Z', last_error: null });
});

test('a new panel makes its first after an hour, and none before it is due or with the schedule off', async () => {
  await using scheduled = await startScheduled();
  const { machine, due, notDue } = scheduled;
  expect(await scheduled.schedule()).toMatchObject({ every_hours: 24, keep: 7, encrypted: false, last_at: null });
  await notDue(0.9);
  await due(0.1);
  await notDue(23);
  await due(1);
  await machine.act('scheduleBackups', { every_hours: null, keep: 7 });
  await notDue(100);
  await machine.act('createBackup', {});
  expect(await scheduled.hours()).toEqual([125, 25, 1]);
});

test('a clock that was set back makes the next one due', async () => {
  await using scheduled = await startScheduled();
  await scheduled.due(50);
  await scheduled.due(-10);
  expect(await scheduled.schedule()).toMatchObject({ last_at: new Date(START + 40 * HOUR).toISOString() });
});

test('with a passphrase each is encrypted; where it cannot be had none is made in clear instead', async () => {
  await using scheduled = await startScheduled();
  const { machine, due, notDue } = scheduled;
  const asked = await machine.act('scheduleBackups', { every_hours: 1, keep: 5, passphrase: PASSPHRASE });
  expect(asked.encrypted).toBe(true);
  await due(1);
  const [made] = (await machine.act('listBackups', {})).items;
  expect(made).toMatchObject({ kind: 'scheduled', encrypted: true, secrets: 'inside' });
  const verdict = await machine.act('checkBackup', { name: made?.name ?? '', passphrase: PASSPHRASE });
  expect(verdict.ok).toBe(true);

  machine.store.write(() => machine.store.sealed.remove('backup:passphrase'));
  const { queued } = pairAdmin(machine.store);
  expect(await due(1)).toMatchObject({ type: 'backup.failed', data: { reason: 'vault_unavailable' } });
  expect(queued(scheduled.now())).toEqual([
    expect.stringMatching(/^The scheduled backup failed \(vault_unavailable\)/),
  ]);
  expect(await scheduled.schedule()).toMatchObject({ last_error: 'vault_unavailable', encrypted: true });
  // The same failure is told once.
  await notDue(1);
  expect(queued(scheduled.now())).toEqual([]);
  expect(readdirSync(machine.backups.folder)).toHaveLength(1);

  await machine.act('scheduleBackups', { every_hours: 1, keep: 5, passphrase: PASSPHRASE });
  expect((await due(1)).type).toBe('backup.made');
  expect(await scheduled.schedule()).toMatchObject({ last_error: null });
});

test('a failure is noted and logged, and the panel and the schedule go on', async () => {
  await using scheduled = await startScheduled();
  const { machine, due, notDue } = scheduled;
  await machine.act('scheduleBackups', { every_hours: 24, keep: 5 });
  const create = vi.spyOn(machine.backups, 'create').mockRejectedValueOnce(new Error('EROFS: read-only file system'));
  expect(await due(24)).toMatchObject({ type: 'backup.failed', data: { reason: 'internal' } });
  expect(machine.log.lines.filter((line) => line.includes('scheduled backup failed'))).toHaveLength(1);
  await notDue(0.1);
  expect(create).toHaveBeenCalledTimes(1);
  // A quarter of an hour later it is tried again, not a day later.
  expect((await due(0.2)).type).toBe('backup.made');
});
