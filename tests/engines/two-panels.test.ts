// Two panels of one database with two machines and a real engine on each: the engines are taken over by the panel that the data were restored to, with
// its users, and run on whatever is started and stopped.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { joinMachine } from '../../src/agent/machine.ts';
import { openPanel, type Panel } from '../../src/panel/panel.ts';
import { CHEAP_COST } from '../support/cheap-password.ts';
import { ADMINISTRATOR_CALL, CLI_CALL } from '../support/core.ts';
import { freePort } from '../support/free-port.ts';
import { createClient } from '../support/http-client.ts';
import { times } from '../support/long.ts';
import { openOwnPanel, PASSWORD } from '../support/own-panel.ts';
import { getProgramPath, whyWithout } from './found.ts';
import {
  ANSWER,
  openMachineFolder,
  openPuller,
  openStream,
  POLLED,
  PULLED,
  readShareLink,
  SHAPES,
} from './panel-traffic.ts';

const PROGRAM = 'xray';
const HOST = '127.0.0.1';
const PASSPHRASE = 'a passphrase for backups';
const ROUNDS = times(5, 20);
const missing = whyWithout(PROGRAM);

const readPid = (folder: string): number =>
  JSON.parse(readFileSync(join(folder, 'engines', 'node-1.json'), 'utf8')).pid;
const readRole = ({ core }: Panel) => core.call('getRole', {}, ADMINISTRATOR_CALL).body.state;
const readStatuses = ({ core }: Panel) =>
  core
    .call('listNodes', { limit: 9, offset: 0 }, ADMINISTRATOR_CALL)
    .body.items.map((node) => node.error_code ?? node.status);

test.skipIf(missing !== null)(`engines run on while the panel of before comes back ${missing ?? ''}`, async () => {
  await using stack = new AsyncDisposableStack();
  const machines = [stack.use(openMachineFolder()), stack.use(openMachineFolder())];
  const parent = machines[0]?.parent ?? '';
  const options = { passwordCost: CHEAP_COST, pollEveryMs: 200 };
  const own = stack.use(await openOwnPanel({ ...options, keyFile: join(parent, 'master.key') }));
  for (const [index, { folder, run }] of machines.entries()) {
    const far = { name: `Far ${index}`, address: HOST, allows_private: true, password: PASSWORD };
    const { id } = (await own.administrator.call('createNode', far)).body;
    const inbound = { ...SHAPES[PROGRAM], node_id: id, tag: 'in', name: `In ${index}`, port: await freePort() };
    await own.administrator.call('createInbound', inbound);
    const { token } = (await own.administrator.call('inviteNode', { id, port: await freePort(), password: PASSWORD }))
      .body;
    await joinMachine({ folder, token, host: HOST, waiting: () => {} });
    await run({ host: HOST, enginePath: getProgramPath(PROGRAM), beatMs: 100, startAgainMs: 100 });
  }
  await expect.poll(() => readStatuses(own.panel), POLLED).toEqual(['up', 'up']);
  const before = machines.map(({ folder }) => readPid(folder));
  const api = createClient({ baseUrl: own.panel.baseUrl, key: await own.newKey('full'), ca: own.ca });
  stack.defer(() => api.close());
  const { id: tariff_id } = (await api.call('createTariff', { name: 'Unlimited' })).body;
  const createUser = async (name: string) => {
    return (await api.call('createUser', { name, tariff_id })).body;
  };
  const readFirstLink = async (userId: number) =>
    (await readShareLink({ api, nodeId: 1, userId })).split('\n')[0] ?? '';
  const openClient = async (link: string) => stack.use(await openPuller(PROGRAM, link));
  const anna = await createUser('Anna');
  const link = await readFirstLink(anna.id);
  const client = await openClient(link);
  const stream = stack.use(await openStream(PROGRAM, link));
  await stream.move(1000, 100_000);
  const made = await own.panel.core.call('createBackup', { passphrase: PASSPHRASE }, CLI_CALL);
  // What the backup does not have: Anna's other credentials, and a user.
  await api.call('reissueUser', { id: anna.id });
  const late = await createUser('Late');
  const others = [await openClient(await readFirstLink(anna.id)), await openClient(await readFirstLink(late.id))];
  for (const other of others) await expect.poll(() => other.pull(), POLLED).toBe(ANSWER.length);

  const place = {
    ...options,
    folder: join(parent, 'second', 'data'),
    keyFile: join(parent, 'second.key'),
    makesKeyFile: true,
  };
  let second = await openPanel({ ...place, port: await freePort() });
  stack.defer(() => second.close());
  await second.core.local.restore(join(own.folder, 'backups', made.body.name), PASSPHRASE);
  await expect.poll(() => readRole(own.panel), POLLED).toBe('superseded');
  await expect.poll(() => readStatuses(second), POLLED).toEqual(['up', 'up']);
  const readPids = () => machines.map(({ folder }) => readPid(folder));
  expect(readPids()).toEqual(before);
  await stream.move(1000, 100_000);
  // The users are those of the backup.
  await expect.poll(() => client.pull(), POLLED).toBe(ANSWER.length);
  await expect.poll(() => Promise.all(others.map((other) => other.pull())), POLLED).toEqual([0, 0]);
  const readMoved = async () => {
    const { used_up, used_down } = (await second.core.call('getUser', { id: anna.id }, ADMINISTRATOR_CALL)).body;
    return [used_up, used_down];
  };
  // The stream twice and one pull, each counted once, wherever it was when the backup was made. What Anna pulled with the credentials that are lost is
  // lost too if her former panel had answered to it.
  const moved = [2000 + PULLED.up, 200_000 + PULLED.down].join();
  const withLost = [2000 + 2 * PULLED.up, 200_000 + 2 * PULLED.down].join();
  await expect.poll(async () => [moved, withLost].includes((await readMoved()).join()), POLLED).toBe(true);

  const keyFile = join(parent, 'master.key');
  await own.panel.close();
  for (let round = 0; round < ROUNDS; round += 1) {
    const again = await openPanel({ ...options, folder: own.folder, port: await freePort(), keyFile });
    expect(readRole(again)).toBe('superseded');
    if (round % 2 === 1) {
      await second.close();
      second = await openPanel({ ...place, port: await freePort() });
    }
    await expect.poll(() => readStatuses(second), POLLED).toEqual(['up', 'up']);
    expect([round, readPids()]).toEqual([round, before]);
    await stream.move(1000, 100_000);
    await again.close();
  }
});
