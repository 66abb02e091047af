// SIGKILL at every step of a backup and of a restore, and at random moments of both: the old or the new is there, whole.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { times } from '../support/long.ts';
import { listLinks, PASSPHRASE, startMachine } from './machine.ts';

const RANDOM_KILLS = times(10, 200);
/** In the short form every second step is killed before. */
const STRIDE = times(2, 1);
const WHICH = STRIDE === 1 ? 'each step' : 'every second step';
/** More steps than a backup or a restore has. */
const MAX_STEPS = 200;

let template: string;
/** Names of the users in each state. */
const STATES = { old: ['old 1', 'old 2', 'old 3'], new: ['new 1', 'new 2'] } as const;

beforeAll(async () => {
  template = mkdtempSync(join(tmpdir(), 'gatehouse-kill-'));
  const machine = await startMachine({ place: template });
  await machine.act('createTariff', { name: 'Monthly', duration: { months: 1 } });
  for (const state of ['new', 'old'] as const) {
    const { total } = await machine.act('listUsers', { limit: 1 });
    await machine.act('bulkUsers', { action: 'delete', filter: { all: true }, expect_matched: total });
    for (const name of STATES[state]) await machine.act('createUser', { name, tariff_id: 1 });
    const { name } = await machine.act('createBackup', { passphrase: PASSPHRASE });
    cpSync(join(machine.backups.folder, name), join(template, `${state}.gatehouse-backup`));
    machine.backups.remove(name);
  }
  await machine.close();
});

afterAll(() => rmSync(template, { recursive: true, force: true }));

interface Victim {
  /** What it said until it ended. */
  readonly said: readonly string[];
  readonly wasKilled: boolean;
}

/** Runs a victim on a copy of the template to its end; `onReady` may kill it. */
async function runVictim(
  place: string,
  what: string,
  dieAt: string,
  onReady: (kill: () => void) => () => void = () => () => {},
): Promise<Victim> {
  const armed = join(place, 'armed');
  const args = [
    '--import',
    join(import.meta.dirname, 'die-at.ts'),
    join(import.meta.dirname, 'victim.ts'),
    place,
    what,
    armed,
  ];
  const env = { ...process.env, DIE_AT: dieAt, ARMED: armed };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const said: string[] = [];
  let stop = () => {};
  createInterface({ input: child.stdout }).on('line', (line) => {
    said.push(line);
    if (line === 'ready') stop = onReady(() => child.kill('SIGKILL'));
  });
  const [code, signal] = await once(child, 'close');
  stop();
  rmSync(armed, { force: true });
  expect([code, signal]).toEqual(signal === null ? [0, null] : [null, 'SIGKILL']);
  return { said, wasKilled: signal !== null };
}

function newPlace(): string {
  const place = mkdtempSync(join(tmpdir(), 'gatehouse-victim-'));
  cpSync(template, place, { recursive: true });
  return place;
}

/** Starts a panel on what the killed one left and asserts the invariants. Returns the names of its users. */
async function inspect(place: string): Promise<readonly string[]> {
  await using machine = await startMachine({ place });
  const db = machine.store.connection();
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
  expect(db.pragma('foreign_key_check')).toEqual([]);
  const { folder } = machine.backups;
  const left = existsSync(folder) ? readdirSync(folder) : [];
  expect(left.filter((name) => name.endsWith('.unfinished'))).toEqual([]);
  expect(readdirSync(machine.folder)).not.toContain('panel.db.restored');
  expect(existsSync(join(machine.folder, 'workshop'))).toBe(false);
  for (const { name, encrypted } of machine.backups.list()) {
    const { problem } = await machine.backups.check({ name }, encrypted ? PASSPHRASE : null);
    expect([name, problem]).toEqual([name, null]);
  }
  expect(await machine.signIn()).toMatch(/^[\w-]{40,}$/);
  expect((await listLinks(machine)).size).toBe((await machine.act('listUsers', {})).total);
  return (await machine.act('listUsers', { sort: 'id' })).items.map(({ name }) => name);
}

for (const thread of ['main', 'worker']) {
  test(`a restore killed before ${WHICH} of the ${thread} thread`, async () => {
    const outcomes = new Set<string>();
    let step = 1;
    for (let isOver = false; !isOver && step < MAX_STEPS; step += STRIDE) {
      const place = newPlace();
      const { said, wasKilled } = await runVictim(place, 'restore', `${thread}:${step}`);
      const names = (await inspect(place)).join();
      const state = names === STATES.old.join() ? 'old' : names === STATES.new.join() ? 'new' : names;
      expect([step, ['old', 'new'].includes(state)]).toEqual([step, true]);
      // What was acknowledged stays.
      if (said.includes('restored new')) expect([step, state]).toEqual([step, 'new']);
      outcomes.add(state);
      isOver = !wasKilled;
      rmSync(place, { recursive: true });
    }
    expect(step).toBeLessThan(MAX_STEPS);
    expect(outcomes.has('new') && outcomes.has('old')).toBe(true);
  });
}

test(`a backup killed before ${WHICH} of its thread`, async () => {
  for (let step = 1, isOver = false; !isOver; step += STRIDE) {
    const place = newPlace();
    const { said, wasKilled } = await runVictim(place, 'backup', `worker:${step}`);
    expect((await inspect(place)).at(-1)).toBe('made 1');
    expect(said.filter((line) => line.startsWith('backup ')).length).toBe(wasKilled ? 0 : 1);
    isOver = !wasKilled;
    rmSync(place, { recursive: true });
  }
});

test(`${RANDOM_KILLS} kills at random moments of backups, restores and writes`, async () => {
  const place = newPlace();
  mkdirSync(join(place, 'data'), { recursive: true });
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  for (let kill = 1; kill <= RANDOM_KILLS; kill += 1) {
    // So many changes in the folder are waited for: they come as fast as the machine makes them.
    let left = 1 + random(150);
    const { said } = await runVictim(place, 'forever', '', (end) => {
      const watcher = watch(join(place, 'data'), { recursive: true }, () => {
        left -= 1;
        if (left === 0) end();
      });
      return () => watcher.close();
    });
    const names = await inspect(place);
    const restored = said.findLastIndex((line) => line.startsWith('restored'));
    const [, last = null] = said[restored]?.split(' ') ?? [];
    const next = last === 'new' ? 'old' : 'new';
    const base = names.filter((name) => !name.startsWith('made')).join();
    const allowed = last === null ? [STATES.old, STATES.new] : [STATES[last as 'old' | 'new'], STATES[next]];
    expect([kill, allowed.map((state) => state.join())]).toEqual([kill, expect.arrayContaining([base])]);
    // A user that was acknowledged since the last restore is there, unless the next restore took it back.
    const made = said.slice(restored + 1).filter((line) => line.startsWith('user ')).length;
    if (last !== null && base === STATES[last as 'old' | 'new'].join()) {
      expect([kill, names.filter((name) => name.startsWith('made')).length >= made]).toEqual([kill, true]);
    }
  }
  rmSync(place, { recursive: true });
});
