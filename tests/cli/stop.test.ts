// `panel serve` is stopped while everything runs: exit code 0 each time, and nothing in the log that is an error.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createAdministrator } from '../support/administrator.ts';
import { type CallOperation, openPeers, type Scene, WORK_KINDS, type WorkKind } from '../support/busy-panel.ts';
import { openCommandLine, PASSWORD, type Serving } from '../support/cli.ts';
import { times } from '../support/long.ts';

/** At the first stop nothing is under way but what nodes do by themselves. The listening address stays that of the browser. */
const UNDER_WAY: readonly (readonly WorkKind[])[] = [
  [],
  WORK_KINDS.filter((kind) => kind !== 'address'),
  ['write', 'change'],
];

/** An administrator who is signed in; requests that a stop cuts off are no failure. */
async function signIn({ panelUrl, caPath }: Serving): Promise<{ call: CallOperation; close(): void }> {
  const browser = createAdministrator(panelUrl, readFileSync(caPath ?? '', 'utf8'));
  const call: CallOperation = async (id, input) => {
    const { status, body, problem } = await browser.call(id, input);
    if (status >= 400) throw new Error(`${id}: ${problem.detail}`);
    return body;
  };
  await call('signIn', { name: 'admin', password: PASSWORD });
  return { call, close: browser.close };
}

test('a panel with two nodes, the bot, webhooks and payment providers ends with exit code 0', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'gatehouse-stop-'));
  await using peers = await openPeers(parent);
  await using line = openCommandLine({ GATEHOUSE_KEY_FILE: join(parent, 'master.key') });
  let scene: Scene | null = null;
  const ends: unknown[] = [];
  const runs = times(3, 20);
  for (let run = 0; run < runs; run += 1) {
    peers.answer();
    const serving = await line.serve(['--port', '0', '--rate-limit', '0']);
    if (scene === null) await line.run(['setup', '--name', 'admin'], `${PASSWORD}\n`);
    const { call, close } = await signIn(serving);
    scene ??= await peers.setUp(call, PASSWORD);
    await peers.untilUp(call, scene);
    const { begun } = await peers.generateLoad(call, scene, PASSWORD, UNDER_WAY[run % UNDER_WAY.length]);
    const { code, signal } = await serving.end('SIGTERM');
    close();
    await begun;
    const log = readFileSync(join(line.folder, 'logs', 'panel.log'), 'utf8');
    const errors = log.split('\n').filter((entry) => entry.includes('"level":"error"'));
    ends.push({ code, signal, errors });
    console.log(`stop ${run + 1} of ${runs}: exit code ${code}, ${errors.length} errors in the log`);
  }
  expect(ends).toEqual(Array.from({ length: runs }, () => ({ code: 0, signal: null, errors: [] })));
  rmSync(parent, { recursive: true });
});
