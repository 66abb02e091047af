// A clock that is wrong for a while: nothing that time brings about happens early, twice or not at all.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPanelClock } from '../../src/adapters/panel-clock.ts';
import type { PanelClock } from '../../src/core/ports/time.ts';
import { createTestTimers } from '../support/clock.ts';
import { createTestLog } from '../support/log.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';

const START = Date.parse('2026-05-20T10:00:00Z');
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 86_400_000;
const STRATEGIES = ['none', 'day', 'week', 'month', 'period'] as const;

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-time-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A machine whose clock is wrong by `error` (ms), and the panel on it. */
async function openMachine(place: string) {
  const machine = { steady: 0, error: 0 };
  let panel: TestPanel;
  let clock: PanelClock;
  let timers = createTestTimers();
  let knownAt: number | null = null;
  async function start(): Promise<void> {
    timers = createTestTimers();
    clock = createPanelClock({
      read: () => ({ machine: START + machine.steady + machine.error, steady: machine.steady }),
      knownAt,
      builtAt: null,
      log: createTestLog(),
    });
    panel = await startPanel({ folder: place, panelClock: clock, timers });
    panel.core.start();
    await turn();
  }
  /** Lets time pass and does what has come due. */
  async function pass(ms: number): Promise<void> {
    machine.steady += ms;
    await turn();
  }
  async function turn(): Promise<void> {
    for (let round = 0; round < 3; round++) {
      timers.tick();
      await panel.core.catchUp();
    }
  }
  await start();
  return {
    machine,
    pass,
    panel: () => panel,
    clock: () => clock,
    async restart() {
      knownAt = panel.store.settings.get().knownAt;
      await panel.stop({ keep: true });
      await start();
    },
    async [Symbol.asyncDispose]() {
      await panel.stop();
    },
  };
}
type Machine = Awaited<ReturnType<typeof openMachine>>;

/** Users of every way of resetting, with terms that end in the next days, and grants. */
async function fill({ panel }: Machine): Promise<void> {
  const plan = { name: 'Plan', traffic_limit: 10_000, duration: null, device_limit: null };
  const tariff = await panel().act('createTariff', plan);
  for (const reset_strategy of STRATEGIES) {
    for (const days of [1, 2, 40, 400]) {
      const created = await panel().full.call('createUser', {
        tariff_id: tariff.id,
        name: `${reset_strategy} ${days}`,
        reset_strategy,
        traffic_limit: 10_000,
        expires_at: new Date(START + days * DAY - 1234).toISOString(),
      });
      expect(created.status).toBe(201);
      const { id } = created.body;
      const grant = await panel().full.call('createGrant', { id, bytes: 500, lifetime: 'days', days });
      expect(grant.status).toBe(201);
    }
  }
}

async function readWorld({ panel }: Machine) {
  const users = (await panel().full.call('listUsers', { limit: 100 })).body.items;
  const events = (await panel().full.call('listEvents', { limit: 500 })).body.items;
  return {
    users: users.map(({ id, state, resets_at, traffic_extra, expires_at }) => ({
      id,
      state,
      resets_at,
      traffic_extra,
      expires_at,
    })),
    events: events.map(({ type, at, data }) => [type, at, 'user_id' in data ? data.user_id : null]),
  };
}

const JUMPS = { '+40 d': 40 * DAY, '+10 years': 3650 * DAY, '-400 d': -400 * DAY, 2020: Date.UTC(2020, 0, 1) - START };

test.each(Object.entries(JUMPS))('while the panel runs the clock is wrong for 20 s: %s', async (_, jump) => {
  await using machine = await openMachine(folder);
  await fill(machine);
  await machine.pass(MINUTE);
  const before = await readWorld(machine);
  machine.machine.error = jump;
  for (let second = 0; second < 20; second++) await machine.pass(SECOND);
  expect((await machine.panel().act('getClock', {})).state).toBe('doubted');
  expect(await readWorld(machine)).toEqual(before);
  machine.machine.error = 0;
  await machine.pass(SECOND);
  expect((await machine.panel().act('getClock', {})).state).toBe('followed');
  expect(await readWorld(machine)).toEqual(before);
});

test.each(Object.entries(JUMPS))('at the start the clock is wrong: %s', async (_, jump) => {
  await using machine = await openMachine(folder);
  await fill(machine);
  const before = await readWorld(machine);
  machine.machine.error = jump;
  await machine.restart();
  await machine.pass(8 * SECOND);
  expect((await machine.panel().act('getClock', {})).state).toBe('doubted');
  expect(await readWorld(machine)).toEqual(before);
  machine.machine.error = 0;
  await machine.restart();
  expect(await readWorld(machine)).toEqual(before);
});

/** A panel on which three days simply pass. */
async function readPlainDays(): Promise<unknown> {
  const place = mkdtempSync(join(tmpdir(), 'gatehouse-time-'));
  await using machine = await openMachine(place);
  await fill(machine);
  for (let hour = 0; hour < 3 * 24; hour++) await machine.pass(60 * MINUTE);
  await machine.pass(3 * MINUTE);
  const world = await readWorld(machine);
  rmSync(place, { recursive: true, force: true });
  return world;
}

test('a machine that was paused for 3 days does what came due once others confirm its clock, and each once', async () => {
  const plain = (await readPlainDays()) as Awaited<ReturnType<typeof readWorld>>;
  await using machine = await openMachine(folder);
  await fill(machine);
  const before = await readWorld(machine);
  machine.machine.error = 3 * DAY;
  await machine.pass(SECOND);
  expect(await readWorld(machine)).toEqual(before);
  for (let passed = 0; passed <= 3 * MINUTE; passed += 30 * SECOND) {
    machine.clock().addEvidence(START + machine.machine.steady + 3 * DAY);
    await machine.pass(30 * SECOND);
  }
  const after = await readWorld(machine);
  expect(after.users).toEqual(plain.users);
  const once = (events: typeof plain.events) => events.map((event) => JSON.stringify(event)).sort();
  // Missed resets of one user become one, at the moment of the last.
  const isReset = (event: string) => event.includes('reset');
  expect(once(after.events).filter((event) => !isReset(event))).toEqual(
    once(plain.events).filter((event) => !isReset(event)),
  );
  expect(new Set(once(after.events)).size).toBe(after.events.length);
});

test('the administrator confirms a clock, and resets that a clock ahead has moved are computed again', async () => {
  await using machine = await openMachine(folder);
  await fill(machine);
  const before = await readWorld(machine);
  // Wrong by less than what is noticed at a start: it is believed, and moves the resets.
  machine.machine.error = 6 * DAY;
  await machine.restart();
  await machine.pass(MINUTE);
  expect((await readWorld(machine)).users).not.toEqual(before.users);
  machine.machine.error = 0;
  await machine.pass(SECOND);
  expect((await machine.panel().act('getClock', {})).state).toBe('doubted');
  expect((await machine.panel().act('confirmClock', {})).state).toBe('followed');
  const resets = ({ users }: typeof before) => users.map(({ id, resets_at }) => [id, resets_at]);
  expect(resets(await readWorld(machine))).toEqual(resets(before));
  const { items } = await machine.panel().act('listAudit', { limit: 5 });
  expect(items[0]).toMatchObject({ action: 'confirmClock' });
});

test('a wrong clock that the panel started with is named, and the right one is followed once it is confirmed', async () => {
  await using machine = await openMachine(folder);
  machine.machine.error = 40 * DAY;
  await machine.restart();
  expect(await machine.panel().act('getClock', {})).toMatchObject({ state: 'doubted', doubt: 'ahead' });
  expect(await machine.panel().act('confirmClock', {})).toMatchObject({ state: 'followed', doubt: null });
  await machine.restart();
  expect(await machine.panel().act('getClock', {})).toMatchObject({ state: 'followed' });
});
