// The end of a panel in which everything runs: nothing uses the store after it was closed, whatever the moment at which it is stopped.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createIpcSession } from '../../src/main/ipc-session.ts';
import { openPanel, type Panel } from '../../src/panel/panel.ts';
import { type CallOperation, openPeers, type Scene, WORK_KINDS } from '../support/busy-panel.ts';
import { watchClosedStores } from '../support/closed-stores.ts';
import { times } from '../support/long.ts';
import { PASSWORD } from '../support/own-panel.ts';
import { readSeed } from '../support/seed.ts';
import { createRandom } from '../torture/target.ts';

/** A check of the password takes as long as many turns. */
const SLOW_COST = 13;
/** A stop comes at most so many turns of the event loop after the work has begun. */
const MAX_TURNS = 60;

let parent = '';
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'gatehouse-stop-'));
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

function open(): Promise<Panel> {
  const folder = join(parent, 'data');
  const keyFile = join(parent, 'master.key');
  return openPanel({ folder, keyFile, port: 0, rateLimit: 0, passwordCost: SLOW_COST, pollEveryMs: 50 });
}

/** Signed in as the desktop's window is: a stop does not wait for its calls, as it does for the requests of a socket. */
async function signIn(panel: Panel): Promise<CallOperation> {
  if (!panel.core.local.isSetUp()) await panel.core.local.setUp('admin', PASSWORD);
  const session = createIpcSession(panel, { device: 'test' });
  const call: CallOperation = async (id, input) => {
    const outcome = await session.call(id, JSON.stringify(input), {});
    if (!outcome.ok) throw new Error(`${id}: ${outcome.problem.detail}`);
    return outcome.text === null ? null : JSON.parse(outcome.text);
  };
  await call('signIn', { name: 'admin', password: PASSWORD });
  return call;
}

it('nothing uses the store after it was closed, and no error is left over, whenever it is stopped', async () => {
  await using peers = await openPeers(parent);
  using watch = watchClosedStores();
  const random = createRandom(readSeed('FUZZ_SEED'));
  const events: string[] = [];
  let scene: Scene | null = null;
  for (let run = 0; run < times(6, 60); run += 1) {
    peers.answer();
    const panel = await open();
    // As the desktop does, for as long as the panel is open.
    panel.core.subscribe(({ type }) => events.push(type));
    const call = await signIn(panel);
    scene ??= await peers.setUp(call, PASSWORD);
    await peers.untilUp(call, scene);
    const kinds = run === 0 ? WORK_KINDS : WORK_KINDS.filter(() => random() < 0.3);
    const { begun } = await peers.generateLoad(call, scene, PASSWORD, kinds);
    const swept = random() < 0.5 ? panel.core.catchUp().catch(() => {}) : null;
    const turns = Math.floor(random() * random() * MAX_TURNS);
    for (let passed = 0; passed < turns; passed += 1) await turn();
    await panel.close();
    const refused = await begun;
    await swept;
    // What was asked for outside is answered now.
    for (let passed = 0; passed < MAX_TURNS; passed += 1) await turn();
    const { uses, failures } = watch;
    expect({ run, kinds, turns, uses, failures }).toEqual({ run, kinds, turns, uses: [], failures: [] });
    expect(refused.filter((reason) => !/(unavailable|provider_failed)$/.test(reason))).toEqual([]);
  }
  expect(events).toContain('user.created');
  const log = readFileSync(join(parent, 'data', 'logs', 'panel.log'), 'utf8');
  const errors = log.split('\n').filter((line) => line.includes('"level":"error"'));
  expect(errors).toEqual([]);
});
