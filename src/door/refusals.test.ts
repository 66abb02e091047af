// What a valid key may not do leaves a line in the log: one a minute for each key, reason and route, never one for each try.
import { expect, it } from 'vitest';
import { createTestClock, createTestTimers } from '../../tests/support/clock.ts';
import { createTestLog } from '../../tests/support/log.ts';
import { newCallState } from './call.ts';
import { createRefusals } from './refusals.ts';

const MINUTE = 60_000;
const START = Date.UTC(2026, 10, 20, 10);

function open() {
  const log = createTestLog();
  const timers = createTestTimers();
  const clock = createTestClock(START);
  const refusals = createRefusals({ clock, timers, log });
  const note = (
    caller: string | null,
    reason: Parameters<typeof refusals.recordRefusal>[1],
    route = '/users',
    id = 'r1',
  ) => refusals.recordRefusal({ ...newCallState(id, 'POST'), caller, route }, reason);
  const lines = () => log.lines.map((line) => JSON.parse(line));
  return { refusals, note, lines, timers, clock };
}

it('adds up what is alike, and writes it when the minute is over', () => {
  const { note, lines, timers, clock } = open();
  for (let count = 0; count < 50; count += 1) note('key 3', 'read_only_key', '/users', `r${count}`);
  note('key 3', 'panel_only', 'unmatched', 'other');
  note('key 4', 'read_only_key', '/users', 'fourth');
  timers.pass(MINUTE - 1);
  expect(lines()).toEqual([]);
  timers.pass(1);
  const alike = { level: 'warn', event: 'refused calls', since: new Date(START).toISOString() };
  expect(lines()).toEqual([
    { ...alike, caller: 'key 3', reason: 'read_only_key', route: 'POST /users', requestId: 'r0', count: 50 },
    { ...alike, caller: 'key 3', reason: 'panel_only', route: 'POST unmatched', requestId: 'other', count: 1 },
    { ...alike, caller: 'key 4', reason: 'read_only_key', route: 'POST /users', requestId: 'fourth', count: 1 },
  ]);

  clock.advance(5 * MINUTE);
  timers.pass(5 * MINUTE);
  expect(lines()).toHaveLength(3);
  note('key 3', 'read_only_key');
  timers.pass(MINUTE);
  expect(lines().slice(3)).toMatchObject([{ since: new Date(START + 5 * MINUTE).toISOString(), count: 1 }]);
});

it('writes what is known when the panel stops, and leaves no timer', () => {
  const { refusals, note, lines, timers } = open();
  note('key 3', 'read_only_key');
  refusals.close();
  expect([lines().length, timers.pending()]).toEqual([1, 0]);
  refusals.close();
  expect(lines()).toHaveLength(1);
});

it('says nothing of callers it does not know and of mistakes', () => {
  const { refusals, note, lines, timers } = open();
  note(null, 'read_only_key');
  note('key 3', 'validation');
  note('key 3', 'not_found');
  refusals.close();
  expect([lines(), timers.pending()]).toEqual([[], 0]);
});

it('has at most 201 lines a minute', () => {
  const { refusals, note, lines } = open();
  for (let id = 1; id <= 300; id += 1) note(`key ${id}`, 'read_only_key');
  refusals.close();
  expect(lines()).toHaveLength(201);
  expect(lines().at(-1)).toMatchObject({ caller: 'others', reason: 'others', route: 'others', count: 100 });
});
