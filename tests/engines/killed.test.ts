// Kills under traffic: of the panel, whose engine goes on and is adopted with every byte, and of the engine, where only what moved since the
// last poll may be missing.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { times } from '../support/long.ts';
import { body, openTarget, PASSWORD, type Target } from '../torture/target.ts';
import { getProgramPath, whyWithout } from './found.ts';
import { ANSWER, openPuller, POLLED, PULLED, pullOn, SHAPES } from './panel-traffic.ts';

const PROGRAM = 'xray';
const missing = whyWithout(PROGRAM);

interface Scene {
  readonly nodeId: number;
  readonly userId: number;
  readonly link: string;
}

async function openScene(target: Target): Promise<Scene> {
  await body(target.operate('updateSettings', { engine_path: getProgramPath(PROGRAM), password: PASSWORD }));
  const node = { name: 'Here', kind: 'local', address: '127.0.0.1', allows_private: true, enabled: false } as const;
  const { id: nodeId } = await body(target.operate('createNode', node));
  const inbound = { ...SHAPES[PROGRAM], node_id: nodeId, tag: 'in', name: 'In', port: await freePort() };
  await body(target.operate('createInbound', inbound));
  const { id: tariff_id } = await body(target.operate('createTariff', { name: 'Unlimited' }));
  const user = await body(target.operate('createUser', { name: 'Anna', tariff_id }));
  await body(target.operate('updateNode', { id: nodeId, enabled: true }));
  await untilUp(target, nodeId);
  const link = await target.client().send({ method: 'GET', path: `${user.sub_url}?format=plain` });
  return { nodeId, userId: user.id, link: link.text.trim() };
}

async function untilUp(target: Target, nodeId: number): Promise<void> {
  await expect.poll(async () => (await body(target.operate('getNode', { id: nodeId }))).status, POLLED).toBe('up');
}

async function readTraffic(target: Target, id: number): Promise<{ up: number; down: number }> {
  const { total_up: up, total_down: down } = await body(target.operate('getUser', { id }));
  return { up, down };
}

function readPid(target: Target, nodeId: number): number {
  return JSON.parse(readFileSync(join(target.folder, 'engines', `node-${nodeId}.json`), 'utf8')).pid;
}

test.skipIf(missing !== null)(`a panel that is killed under traffic loses no byte ${missing ?? ''}`, async () => {
  await using target = await openTarget();
  const { nodeId, userId, link } = await openScene(target);
  await using client = await openPuller(PROGRAM, link);
  const pid = readPid(target, nodeId);
  let pulls = 0;
  for (let kills = 0; kills < times(5, 50); kills += 1) {
    const before = pullOn(client);
    await expect.poll(async () => (await readTraffic(target, userId)).down, POLLED).toBeGreaterThan(0);
    await target.kill();
    pulls += await before.stop();
    const away = pullOn(client);
    await target.start();
    await untilUp(target, nodeId);
    pulls += await away.stop();
    expect(readPid(target, nodeId), 'the engine is adopted').toBe(pid);
  }
  const truth = { up: pulls * PULLED.up, down: pulls * PULLED.down };
  await expect.poll(() => readTraffic(target, userId), POLLED).toEqual(truth);
  await target.stop();
  expect(await client.pull(), 'an orderly end stops the engine').toBe(0);
});

test.skipIf(missing !== null)(
  `of an engine that is killed only the last seconds are missing ${missing ?? ''}`,
  async () => {
    await using target = await openTarget();
    const { nodeId, userId, link } = await openScene(target);
    await using client = await openPuller(PROGRAM, link);
    let lost = 0;
    let counted = 0;
    // A pull that was given up on a busy machine would have moved bytes too.
    const pull = () => expect.poll(() => client.pull(60_000), POLLED).toBe(ANSWER.length);
    for (let kills = 0; kills < times(2, 50); kills += 1) {
      await pull();
      await expect
        .poll(async () => (await readTraffic(target, userId)).down, POLLED)
        .toBeGreaterThanOrEqual(counted + ANSWER.length);
      const settled = (await readTraffic(target, userId)).down;
      const pid = readPid(target, nodeId);
      await pull();
      process.kill(pid, 'SIGKILL');
      await expect.poll(() => readPid(target, nodeId), POLLED).not.toBe(pid);
      await untilUp(target, nodeId);
      counted = (await readTraffic(target, userId)).down;
      expect(counted).toBeGreaterThanOrEqual(settled);
      expect(counted).toBeLessThanOrEqual(settled + ANSWER.length);
      lost += settled + ANSWER.length - counted;
    }
    console.log(`${times(2, 50)} kills of the engine: ${lost} bytes missing, all moved after the last poll`);
  },
);
