// Kills the panel while bots and the administrator change it: what was acknowledged is there once, anything else whole or not at all.
import Database from 'better-sqlite3';
import { expect } from 'vitest';
import type { Answer } from '../support/http-client.ts';
import { buyingLane } from './buying-lane.ts';
import { describeMoment, killDuring, momentWithin } from './kill.ts';
import { type Lane, makeLanes } from './lanes.ts';
import { addressLane, backupLane, keyLane, type PanelLane, type Tally } from './panel-lanes.ts';
import { salesLane } from './sales-lane.ts';
import { body, openTarget, requireSound, type Target } from './target.ts';

export interface KillOptions {
  readonly kills: number;
  /** From 0 to below 1: makes the moments of the kills. */
  readonly random: () => number;
  readonly log: (line: string) => void;
}

/** When a kill comes, at the latest. */
const LONGEST_MS = 500;
/** What goes on, by turns, and for how many acts a kill waits, at least and at most: beside all others, a backup hardly comes to its end. */
const AT_WORK = [
  ['everything', 0, 12],
  ['bots', 0, 12],
  ['the administrator', 0, 12],
  ['backups', 1, 2],
] as const;
/** Every so many kills, the start after it is cut short as well. */
const CUT_STARTS = 4;

/** How far a lane has come: acts answered with success, and whether one is under way. */
interface Progress extends Tally {
  isPending: boolean;
}

/** Kills it so many times; what the lanes did, by their names. */
export async function killWriting({ kills, random, log }: KillOptions): Promise<ReadonlyMap<string, Tally>> {
  await using target = await openTarget();
  const lanes = await makeLanes(target.client());
  const progress = new Map<Lane, Progress>(
    lanes.map((lane) => [lane, { acknowledged: 0, interrupted: 0, completed: 0, isPending: false }]),
  );
  const backups = backupLane(target);
  const panelLanes = [keyLane(target), backups, await addressLane(target, await linkToken(target))];
  const sales = await salesLane(target);
  await using buying = await buyingLane(target);
  const bots = lanes.map((lane) => () => next(target, lane, getProgress(progress, lane)));
  const panel = panelLanes.map(({ act }) => act);
  // Payments are so fast that a kill would wait for them alone: it waits for what goes on beside them.
  const besides = {
    everything: [sales.act, buying.act],
    bots: [buying.act],
    'the administrator': [sales.act],
    backups: [],
  };

  for (let kill = 1; kill <= kills; kill++) {
    const [what, leastActs, maxActs] = AT_WORK[kill % AT_WORK.length] ?? AT_WORK[0];
    const moment = momentWithin(random, maxActs, LONGEST_MS, leastActs);
    const acts = { everything: [...bots, ...panel], bots, 'the administrator': panel, backups: [backups.act] }[what];
    await killDuring(target, acts, moment, besides[what]);
    if (kill % CUT_STARTS === 0) await target.killWhileStarting(Math.floor(random() * 2 * LONGEST_MS));
    await target.start();
    requireSound(target.database);
    for (const [lane, own] of progress) await settle(target, lane, own);
    for (const lane of [...panelLanes, sales, buying]) await lane.verify();
    log(`kill ${kill}/${kills} after ${describeMoment(moment)} of ${what}`);
  }
  await requireTold(target, progress);
  requireAudited(target.database, progress, panelLanes);
  sales.requireTraces();
  buying.requireTraces();
  await target.stop();
  requireSound(target.database);
  return new Map([
    ...[...progress].map(([{ name }, tally]) => [name, tally] as const),
    ...[...panelLanes, sales, buying].map(({ name, tally }) => [name, tally] as const),
  ]);
}

function getProgress(progress: ReadonlyMap<Lane, Progress>, lane: Lane): Progress {
  const found = progress.get(lane);
  if (!found) throw new Error(`no progress of ${lane.name}`);
  return found;
}

/** The last segment of a user's link. */
async function linkToken(target: Target): Promise<string> {
  const { items } = await body(target.client().call('listUsers', { limit: 1 }));
  return items[0]?.sub_url?.split('/').at(-1) ?? '';
}

/** The next act of a bot's lane. */
async function next(target: Target, lane: Lane, own: Progress): Promise<boolean> {
  if (own.acknowledged >= (lane.last ?? Number.POSITIVE_INFINITY)) return false;
  own.isPending = true;
  const answer = await target.send((client) => lane.send(client, own.acknowledged + 1));
  expect(answer.status, `${lane.name}: ${answer.text}`).toBeLessThan(300);
  own.acknowledged += 1;
  own.isPending = false;
  return true;
}

/** The act that was under way is there or not; repeated twice at once, it is there once. */
async function settle(target: Target, lane: Lane, own: Progress): Promise<void> {
  const client = target.client();
  const { acknowledged, isPending } = own;
  const found = await lane.count(client);
  const possible = isPending ? [acknowledged, acknowledged + 1] : [acknowledged];
  expect(possible, `${lane.name}: acknowledged ${acknowledged}`).toContain(found);
  if (!isPending) return;
  const wasThere = found > acknowledged;
  const number = acknowledged + 1;
  const answers = await Promise.all([1, 2].map(() => persist(() => lane.send(client, number))));
  for (const { status, text } of answers) {
    const isGone = lane.name === 'delete' && status === 404;
    expect(isGone || status < 300, `${lane.name}, repeated: ${status} ${text}`).toBe(true);
  }
  if (lane.isKeyed) {
    const replayed = answers.filter(({ headers }) => headers['idempotency-replayed'] === 'true').length;
    expect(replayed, `${lane.name}: answered from memory`).toBe(wasThere ? 2 : 1);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  }
  own.acknowledged = number;
  own.isPending = false;
  own.interrupted += 1;
  if (wasThere) own.completed += 1;
  expect(await lane.count(client), `${lane.name}, after the repetition`).toBe(number);
}

async function persist(send: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await send();
    if (answer.status !== 409) return answer;
    expect(answer.problem.detail).toBe('idempotency_in_flight');
  }
}

/** Every act is told once in the feed. */
async function requireTold(target: Target, progress: ReadonlyMap<Lane, Progress>): Promise<void> {
  const told = new Map<Lane, number>();
  for (let after = 0; ; ) {
    const { items, next_after } = await body(target.client().call('listEvents', { after, limit: 500 }));
    for (const { type, data } of items) {
      for (const lane of progress.keys()) {
        if (lane.told.type === type && lane.told.about(data)) told.set(lane, (told.get(lane) ?? 0) + 1);
      }
    }
    if (items.length === 0) break;
    after = next_after;
  }
  for (const [lane, { acknowledged }] of progress) {
    expect(told.get(lane) ?? 0, `${lane.name} in the feed`).toBe(acknowledged * lane.told.each);
  }
}

/** Every act stands once in the audit log; of a backup whose making a kill met, the file may be there without its row. */
function requireAudited(
  database: string,
  progress: ReadonlyMap<Lane, Progress>,
  panelLanes: readonly PanelLane[],
): void {
  const db = new Database(database, { readonly: true });
  const count = db.prepare<[string], number>(
    `SELECT count(*) FROM audit
     WHERE action IN (SELECT value FROM json_each(?)) AND outcome = 'done' AND actor_kind <> 'cli'`,
  );
  const audited = (...actions: string[]) => Number(count.pluck().get(JSON.stringify(actions)));
  const acts = (name: string) =>
    [...progress].reduce((sum, [lane, own]) => (lane.name.startsWith(name) ? sum + own.acknowledged : sum), 0);
  const findTally = (name: string) => panelLanes.find((lane) => lane.name === name)?.tally;
  try {
    expect({
      extended: audited('extendUser'),
      granted: audited('createGrant'),
      deleted: audited('deleteUser'),
      bulks: audited('bulkUsers'),
      keys: audited('createKey'),
      addresses: audited('changeAddresses', 'rotateSecretPath'),
    }).toEqual({
      extended: acts('extend'),
      granted: acts('grant'),
      deleted: acts('delete'),
      bulks: acts('bulk'),
      keys: whole(findTally('keys')),
      addresses: whole(findTally('addresses')),
    });
    const backups = findTally('backups');
    expect(audited('createBackup')).toBeGreaterThanOrEqual(backups?.acknowledged ?? 0);
    expect(audited('createBackup')).toBeLessThanOrEqual(whole(backups));
  } finally {
    db.close();
  }
}

/** Acts that took effect. */
function whole(tally: Tally | undefined): number {
  return (tally?.acknowledged ?? 0) + (tally?.completed ?? 0);
}
