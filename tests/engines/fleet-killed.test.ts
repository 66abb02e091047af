// Panel, machine and engine killed in random order under traffic: the panel counts what the client moved, but for what died inside an engine.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { times } from '../support/long.ts';
import { readSeed } from '../support/seed.ts';
import { body, openTarget, PASSWORD } from '../torture/target.ts';
import { whyWithout } from './found.ts';
import { ANSWER, openMachineFolder, openPuller, POLLED, PULLED, pullOn, SHAPES } from './panel-traffic.ts';

const PROGRAM = 'xray';
const HOST = '127.0.0.1';
const missing = whyWithout(PROGRAM);
/** A poll is every 10 seconds, and a panel that was away for long starts with a pause. */
const PATIENT = { timeout: 180_000, interval: 250 };

/** Who is killed: each equally often. */
function pickKillOrder(kills: number, seed: number): readonly ('panel' | 'machine' | 'engine')[] {
  const all = Array.from(
    { length: kills },
    (_, index) => (['panel', 'machine', 'engine'] as const)[index % 3] ?? 'panel',
  );
  return fc.sample(fc.shuffledSubarray(all, { minLength: kills }), { seed, numRuns: 1 })[0] ?? all;
}

test.skipIf(missing !== null)(
  `panel, machine and engine that are killed in random order lose no byte but of an engine ${missing ?? ''}`,
  async () => {
    await using machineFolder = openMachineFolder();
    const { folder } = machineFolder;
    await using target = await openTarget();
    const far = { name: 'Far', kind: 'remote', address: HOST, allows_private: true, password: PASSWORD } as const;
    const { id: nodeId } = await body(target.operate('createNode', far));
    const inbound = { ...SHAPES[PROGRAM], node_id: nodeId, tag: 'in', name: 'In', port: await freePort() };
    await body(target.operate('createInbound', inbound));
    const { id: tariff_id } = await body(target.operate('createTariff', { name: 'Unlimited' }));
    const user = await body(target.operate('createUser', { name: 'Anna', tariff_id }));
    const invited = { id: nodeId, port: await freePort(), password: PASSWORD };
    const { token } = await body(target.operate('inviteNode', invited));
    expect(await machineFolder.panelNode(['join', '--host', HOST], token).ended).toEqual([0, null]);
    let machine = machineFolder.panelNode(['run', '--host', HOST]);
    const node = () => body(target.operate('getNode', { id: nodeId }));
    const untilMet = async () => {
      const from = Date.now();
      const seenAt = async () => Date.parse((await node()).last_seen_at ?? '') || 0;
      await expect.poll(seenAt, PATIENT).toBeGreaterThan(from);
    };
    await expect.poll(async () => (await node()).status, PATIENT).toBe('up');
    const link = await target.client().send({ method: 'GET', path: `${user.sub_url}?format=plain` });
    await using client = await openPuller(PROGRAM, link.text.trim());

    const counted = async () => {
      const { total_up: up, total_down: down } = await body(target.operate('getUser', { id: user.id }));
      return { up, down };
    };
    let [pulls, pullsOfStart] = [0, 0];
    const lost = { up: 0, down: 0 };
    const truth = () => ({ up: pulls * PULLED.up - lost.up, down: pulls * PULLED.down - lost.down });
    const note = (some: number) => {
      pulls += some;
      pullsOfStart += some;
    };
    const pull = async () => {
      await expect.poll(() => client.pull(60_000), POLLED).toBe(ANSWER.length);
      note(1);
    };
    /** Kills under pulls, which go on meanwhile. */
    const underPulls = async (kill: () => Promise<void>, start: () => Promise<void>) => {
      const traffic = pullOn(client);
      await kill();
      await start();
      note(await traffic.stop());
    };

    const readLedger = <T>(read: (ledger: Database.Database) => T): T => {
      const ledger = new Database(join(folder, 'ledger.db'), { readonly: true });
      try {
        return read(ledger);
      } finally {
        ledger.close();
      }
    };
    /** The start of the engine that the machine has read last. */
    const presentBoot = () =>
      readLedger((ledger) => ledger.prepare<[], string>('SELECT boot FROM boots WHERE ended IS NULL').pluck().get());
    /** What it has written down of a start; undefined: that is forgotten. */
    const readWritten = (boot: string) =>
      readLedger((ledger) =>
        ledger
          .prepare<[string], { up: number; down: number }>(
            `SELECT total(up) AS up, total(down) AS down FROM boots LEFT JOIN counters USING (boot)
             WHERE boot = ? AND coalesce(user_id, 1) > 0 GROUP BY boot`,
          )
          .get(boot),
      );
    const pidOfEngine = () => {
      const file = join(folder, 'engines', 'node-1.json');
      return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { pid: number }).pid : null;
    };
    const endsInLog = () => readFileSync(join(folder, 'logs', 'node.log'), 'utf8').split('"engine ended"').length;

    const kills = times(3, 300);
    const seed = readSeed('TORTURE_SEED');
    for (const what of pickKillOrder(kills, seed)) {
      await pull();
      if (what === 'panel') await underPulls(target.kill, target.start);
      else if (what === 'machine') {
        const kill = async () => {
          machine.child.kill('SIGKILL');
          await machine.ended;
        };
        await underPulls(kill, async () => {
          machine = machineFolder.panelNode(['run', '--host', HOST]);
          await untilMet();
        });
      } else {
        const boot = presentBoot() ?? '';
        const ends = endsInLog();
        const pid = pidOfEngine() ?? 0;
        process.kill(pid, 'SIGKILL');
        // What the engine answered before is written down when its machine has found it gone. It is forgotten only after that.
        let written = { up: 0, down: 0 };
        const isFound = () => {
          const isGone = endsInLog() > ends || pidOfEngine() !== pid;
          written = readWritten(boot) ?? written;
          return isGone;
        };
        await expect.poll(isFound, PATIENT).toBe(true);
        lost.up += pullsOfStart * PULLED.up - written.up;
        lost.down += pullsOfStart * PULLED.down - written.down;
        expect(Math.min(lost.up, lost.down)).toBeGreaterThanOrEqual(0);
        pullsOfStart = 0;
        await pull();
        // So that its machine has heard of this start.
        await expect.poll(presentBoot, PATIENT).not.toBe(boot);
        await expect.poll(counted, PATIENT).toEqual(truth());
      }
    }
    await expect.poll(counted, PATIENT).toEqual(truth());
    expect((await node()).last_restart, 'no engine was restarted but those that were killed').toBeNull();
    console.log(`${kills} kills (seed ${seed}): ${pulls} pulls, ${lost.down} bytes died inside engines`);
    machine.child.kill('SIGTERM');
    await machine.ended;
    expect(await machineFolder.panelNode(['leave']).ended).toEqual([0, null]);
  },
  times(10, 360) * 60_000,
);
