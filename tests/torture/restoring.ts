// Kills the panel, or the command, while a backup is restored and users are made meanwhile: the former data or the restored, never a mix.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import { describeMoment, killDuring, type Moment, momentWithin } from './kill.ts';
import type { Tally } from './panel-lanes.ts';
import { body, openTarget, PASSWORD, requireSound, type Target, unfinishedIn } from './target.ts';
import type { KillOptions } from './writing.ts';

const COMMAND = join(import.meta.dirname, '../../bin/panel.mjs');
/** When a kill comes, at the latest: after so many restores and this long. */
const MAX_RESTORES = 2;
const LONGEST_MS = 800;
const POLL_MS = 5;
/** Users of each of the two backups. */
const USERS = 40;
/** Who is killed at what: the panel at its operation, the panel at the command's request, the command where no panel runs. */
const WAYS = ['operation', 'command', 'alone'] as const;

/** What must be found: which of the two backups lies beneath, and the users made on top of it, by their numbers. */
interface Expected {
  base: number;
  /** The first of them lies within these, both included: a user made while a restore ran went with the former data or stayed. */
  first: readonly [number, number];
  /** The last that was acknowledged, whether kept since or not. */
  last: number;
  /** The backup whose restore is under way, and the last number acknowledged when it was asked for; null: none is. */
  pending: { readonly base: number; readonly last: number } | null;
  isMaking: boolean;
}

/** Kills so many times; the restores and the users made meanwhile. */
export async function killRestoring({ kills, random, log }: KillOptions): Promise<ReadonlyMap<string, Tally>> {
  await using target = await openTarget();
  const { id } = await body(target.client().call('createTariff', { name: 'Torture' }));
  const backups = [await makeBase(target, id, 0), await makeBase(target, id, 1)];
  const expected: Expected = { base: 1, first: [1, 1], last: 0, pending: null, isMaking: false };
  const restores: Tally = { acknowledged: 0, interrupted: 0, completed: 0 };
  const users: Tally = { acknowledged: 0, interrupted: 0, completed: 0 };

  for (let kill = 1; kill <= kills; kill++) {
    const way = WAYS[kill % WAYS.length] ?? 'operation';
    const chosen = momentWithin(random, MAX_RESTORES, LONGEST_MS);
    // On a slow machine a restore takes longer than any delay: at least one is acknowledged.
    const moment = kill === WAYS.length ? { ...chosen, acts: Math.max(1, chosen.acts) } : chosen;
    const before = expected.last;
    const restored = (base: number) => {
      restores.acknowledged += 1;
      const first = firstKept(expected);
      Object.assign(expected, { base, first, pending: null });
    };
    const begin = () => {
      const base = 1 - expected.base;
      expected.pending = { base, last: expected.last };
      return { base, name: backups[base] ?? '' };
    };
    if (way === 'operation') await killOperation(target, id, expected, begin, restored, moment);
    if (way === 'command') await killUnderCommand(target, begin, restored, moment);
    if (way === 'alone') await killCommand(target, begin, restored, moment);
    users.acknowledged += expected.last - before;
    const isInterrupted = expected.pending !== null;
    await target.start();
    requireSound(target.database);
    expect(existsSync(join(target.folder, 'panel.db.restored'))).toBe(false);
    const wasMaking = expected.isMaking;
    const found = await look(target, expected);
    if (isInterrupted) restores.interrupted += 1;
    if (found.isRestored) restores.completed += 1;
    if (wasMaking) users.interrupted += 1;
    if (found.isMade) users.completed += 1;
    log(
      `kill ${kill}/${kills} after ${describeMoment(moment)} of restoring (${way}): ${isInterrupted ? 'one' : 'none'} under way`,
    );
  }
  await requireBackups(target);
  await target.stop();
  requireSound(target.database);
  return new Map([
    ['restores', restores],
    ['users made meanwhile', users],
  ]);
}

/** Puts the users of one base in the place of all there are, and backs them up. */
async function makeBase(target: Target, tariff_id: number, base: number): Promise<string> {
  const client = target.client();
  const { total } = await body(client.call('listUsers', { limit: 1 }));
  await body(client.call('bulkUsers', { action: 'delete', filter: { all: true }, expect_matched: total }));
  for (let number = 0; number < USERS; number += 1) {
    await body(client.call('createUser', { name: `base ${base}`, tariff_id, note: `${number}` }));
  }
  return (await body(target.operate('createBackup', { password: PASSWORD }))).name;
}

type Begin = () => { readonly base: number; readonly name: string };
type Restored = (base: number) => void;

/** Restores by the panel's operation and makes users, without a pause, until the panel dies. */
async function killOperation(
  target: Target,
  tariff_id: number,
  expected: Expected,
  begin: Begin,
  restored: Restored,
  moment: Moment,
): Promise<void> {
  const restore = async () => {
    const { base, name } = begin();
    await body(target.operate('restoreBackup', { password: PASSWORD, name }));
    restored(base);
    return true;
  };
  const make = async () => {
    expected.isMaking = true;
    const name = `made ${expected.last + 1}`;
    await body(target.client().call('createUser', { name, tariff_id }));
    expected.last += 1;
    expected.isMaking = false;
    return true;
  };
  await killDuring(target, [restore], moment, [make]);
}

/** `panel restore` asks the running panel, which is killed. */
async function killUnderCommand(target: Target, begin: Begin, restored: Restored, moment: Moment): Promise<void> {
  const { base, name } = begin();
  const restoring = target.line.run(['restore', '--yes', getBackupPath(target, name)]);
  await passed(target, moment, restoring);
  await target.kill();
  const { code } = await restoring;
  if (code === 0) restored(base);
}

/** `panel restore` does it by itself, as no panel runs, and is killed. */
async function killCommand(target: Target, begin: Begin, restored: Restored, moment: Moment): Promise<void> {
  await target.stop();
  const { base, name } = begin();
  const env = { ...process.env, GATEHOUSE_DATA: target.folder };
  const child = spawn(process.execPath, [COMMAND, 'restore', '--yes', getBackupPath(target, name)], {
    env,
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  await passed(target, moment, ended);
  child.kill('SIGKILL');
  const [code] = await ended;
  if (code === 0) restored(base);
}

/** Of a command, the moment counts from its start or, with any act, from when the restore itself has begun. */
async function passed({ folder }: Target, { acts, delay }: Moment, ended: Promise<unknown>): Promise<void> {
  let isOver = false;
  const end = ended.then(() => {
    isOver = true;
  });
  while (acts > 0 && !isOver && !existsSync(join(folder, 'workshop'))) await wait(POLL_MS);
  await Promise.race([wait(delay), end]);
}

function getBackupPath(target: Target, name: string): string {
  return join(target.folder, 'backups', name);
}

/** Between which numbers the first lies that a restore has kept, which took effect some time between its beginning and now. */
function firstKept({ pending, last, isMaking }: Expected): readonly [number, number] {
  return [(pending?.last ?? 0) + 1, last + (isMaking ? 2 : 1)];
}

/** All users of one base and no other, and on top those made since, without a gap; what was found is expected from then on. */
async function look(target: Target, expected: Expected): Promise<{ isRestored: boolean; isMade: boolean }> {
  const names = await listUserNames(target);
  const bases = [0, 1].map((base) => names.filter((name) => name === `base ${base}`).length);
  expect(
    bases.toSorted((a, b) => a - b),
    'the users of one backup, all of them',
  ).toEqual([0, USERS]);
  const base = bases.indexOf(USERS);
  const { pending, last, isMaking } = expected;
  const isRestored = base !== expected.base;
  if (isRestored) expect(pending?.base, 'only what was asked for').toBe(base);
  const [from, to] = isRestored ? firstKept(expected) : expected.first;
  const made = names.filter((name) => name.startsWith('made ')).map((name) => Number(name.slice(5)));
  const end = made.at(-1) ?? last;
  const begin = made[0] ?? end + 1;
  expect(made, 'without a gap').toEqual(Array.from({ length: end - begin + 1 }, (_, index) => begin + index));
  expect(begin, 'the first that is kept').toBeGreaterThanOrEqual(from);
  expect(begin, 'the first that is kept').toBeLessThanOrEqual(to);
  expect(isMaking ? [last, last + 1] : [last], 'the last that was acknowledged').toContain(end);
  Object.assign(expected, { base, first: [begin, begin], last: end, pending: null, isMaking: false });
  return { isRestored, isMade: end > last };
}

async function listUserNames(target: Target): Promise<string[]> {
  const names: string[] = [];
  for (let offset = 0; ; offset += 500) {
    const { items } = await body(target.client().call('listUsers', { limit: 500, offset, sort: 'id' }));
    names.push(...items.map(({ name }) => name));
    if (items.length < 500) return names;
  }
}

/** Nothing broken off is among the backups, and each of them would restore. */
async function requireBackups(target: Target): Promise<void> {
  const { items, folder } = await body(target.operate('listBackups', {}));
  expect(unfinishedIn(folder)).toEqual([]);
  for (const { name } of items) {
    expect(await body(target.operate('checkBackup', { name })), name).toMatchObject({ ok: true, problem: null });
  }
}
