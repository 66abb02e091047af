// The drill: a panel and its data folder are lost, and a new machine restores the backup from S3-compatible storage. What users, programs and nodes notice.
import { rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { joinMachine, leaveMachine } from '../../src/agent/machine.ts';
import { openStorage } from '../backup/place-servers.ts';
import { BOT_TOKEN, openBotApi } from '../support/bot-api.ts';
import { openCommandLine } from '../support/cli.ts';
import { requirePrograms } from '../support/engines.ts';
import { freePort } from '../support/free-port.ts';
import { createClient } from '../support/http-client.ts';
import { openOwnPanel, PASSWORD } from '../support/own-panel.ts';
import { getProgramPath, whyWithout } from './found.ts';
import { ANSWER, openMachineFolder, openPuller, openStream, POLLED, readShareLink, SHAPES } from './panel-traffic.ts';

const PROGRAM = 'xray';
const HOST = '127.0.0.1';
const PASSPHRASE = 'a passphrase for backups';
const ANNA = 1001;
const missing = whyWithout(PROGRAM);

/** The text of a link, by a client that trusts this authority alone. */
function readLink(url: string, ca: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { ca, agent: false }, (reply) => resolve(text(reply))).on('error', reject);
  });
}

test.skipIf(missing !== null)(`a lost machine is replaced by one command ${missing ?? ''}`, async () => {
  await requirePrograms('the drill of a restore', ['versitygw']);
  await using storage = await openStorage([`BACKUP_PASSPHRASE=${PASSPHRASE}`]);
  await storage.start();
  await using telegram = await openBotApi();
  await using far = openMachineFolder();
  const own = await openOwnPanel({ keyFile: join(far.parent, 'master.key') });
  const { administrator, ca } = own;
  const key = await own.newKey('full');
  const api = createClient({ baseUrl: own.panel.baseUrl, key, ca });
  const bot = { token: BOT_TOKEN, api_root: telegram.root, allow_private: true, password: PASSWORD };
  expect((await administrator.call('saveBot', bot)).status).toBe(200);
  const node = { name: 'Far', address: HOST, allows_private: true, password: PASSWORD };
  const { id: nodeId } = (await administrator.call('createNode', node)).body;
  const inbound = { ...SHAPES[PROGRAM], node_id: nodeId, tag: 'in', name: 'In', port: await freePort() };
  await api.call('createInbound', inbound);
  const { id: tariff_id } = (await api.call('createTariff', { name: 'Unlimited' })).body;
  const { id: userId, sub_url } = (await api.call('createUser', { name: 'Anna', tariff_id })).body;
  const invited = { id: nodeId, port: await freePort(), password: PASSWORD };
  const { token } = (await administrator.call('inviteNode', invited)).body;
  await joinMachine({ folder: far.folder, token, host: HOST, waiting: () => {} });
  const options = { host: HOST, enginePath: getProgramPath(PROGRAM), beatMs: 100, startAgainMs: 100 };
  const machine = await far.run(options);
  /** Whether it is up, as it was seen since then. */
  const isUp = async (client: typeof api, since: number) => {
    const { status, last_seen_at: seen } = (await client.call('getNode', { id: nodeId })).body;
    return status === 'up' && seen !== null && Date.parse(seen) >= since;
  };
  await expect.poll(() => isUp(api, 0), POLLED).toBe(true);
  const share = await readShareLink({ api, nodeId, userId });
  await using client = await openPuller(PROGRAM, share);
  // A connection that a customer has open all the time.
  await using open = await openStream(PROGRAM, share);
  await open.move(1000, 100_000);
  const pull = async () => expect(await client.pull(60_000)).toBe(ANSWER.length);
  await pull();
  const link = String(sub_url);
  const before = await readLink(link, ca);

  const at = [storage.url, '--secrets', storage.secrets, '--allow-private'];
  await using fresh = openCommandLine({}, { hashing: 'real' });
  const made = await fresh.run(['backup', '--data', own.folder, '--to', ...at]);
  expect([made.code, made.code === 0 ? '' : made.stderr]).toEqual([0, '']);
  // All that the machine had is gone.
  await own[Symbol.asyncDispose]();
  rmSync(join(far.parent, 'master.key'));
  writeFileSync(join(far.parent, 'ca.pem'), ca);

  const began = Date.now();
  const beganAt = performance.now();
  const seconds = () => ((performance.now() - beganAt) / 1000).toFixed(1);
  const restored = await fresh.run(['restore', 'latest', '--from', ...at]);
  expect([restored.code, restored.code === 0 ? '' : restored.stderr]).toEqual([0, '']);
  const times = [`restored after ${seconds()} s`];
  const panel = await fresh.serve([]);
  expect(await readLink(link, ca)).toBe(before);
  times.push(`links after ${seconds()} s`);
  expect(panel.baseUrl).toBe(own.panel.baseUrl);
  const again = createClient({ baseUrl: panel.baseUrl, key, ca });
  expect((await again.call('getUser', { id: userId })).body).toMatchObject({ name: 'Anna', sub_url: link });
  times.push(`API after ${seconds()} s`);
  await expect.poll(() => isUp(again, began), POLLED).toBe(true);
  times.push(`node after ${seconds()} s`);
  await pull();
  await open.move(1000, 100_000);
  const asked = telegram.calls.length;
  telegram.write(ANNA, '/start');
  await expect
    .poll(() => telegram.calls.slice(asked).some(({ method }) => method === 'sendMessage'), POLLED)
    .toBe(true);
  times.push(`bot after ${seconds()} s`);
  console.log(times.join(', '));
  again.close();
  await panel.end('SIGTERM');
  await machine.close();
  await leaveMachine(far.folder);
  api.close();
});
