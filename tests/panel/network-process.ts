// One end of tests/panel/node-network.test.ts in a network namespace of its own: a panel, or a node's machine whose engine is in memory. Its clock is
// the system's and what the test adds.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { issuePinned, issueSelfSigned } from '../../src/adapters/certificates/issuer.ts';
import { FILES } from '../../src/adapters/data-folder.ts';
import { openVault } from '../../src/adapters/vault/vault.ts';
import { setLinks } from '../../src/agent/links.ts';
import { joinMachine, runMachine } from '../../src/agent/machine.ts';
import { readPanelIdentity } from '../../src/core/nodes/join.ts';
import type { PanelIdentity } from '../../src/core/ports/engines.ts';
import { joinNode } from '../../src/engines/remote/join-node.ts';
import { openPanel } from '../../src/panel/panel.ts';
import { openStore } from '../../src/store/index.ts';
import { type Administrator, createAdministrator } from '../support/administrator.ts';
import { CHEAP_COST } from '../support/cheap-password.ts';
import { createFakeMachine } from '../support/fake-engine.ts';
import { createTestLog } from '../support/log.ts';
import { makeKeys, realLooking } from '../support/node-machine.ts';

const PASSWORD = 'correct horse battery';
const HOUR = 3_600_000;
const PANEL_PORT = 8443;

const systemNow = Date.now;
let ahead = 0;
Date.now = () => systemNow() + ahead;
// Time passes by the steady clock as well: otherwise the clock would have been set, which the panel does not believe.
const steadyNow = performance.now.bind(performance);
performance.now = () => steadyNow() + ahead;

const fake = createFakeMachine();
let administrator: Administrator | null = null;

async function signIn(): Promise<void> {
  await administrator?.call('signIn', { name: 'admin', password: PASSWORD });
}

/** A key and its certificate, PEM. */
interface Own {
  readonly key: string;
  readonly certificate: string;
}

/** What is answered at a node's port to who shows this, or no certificate at all. */
function tryWith(own: Own | null, host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const shown = own && { key: own.key, cert: own.certificate };
    const socket = connect({ host, port, rejectUnauthorized: false, ...shown });
    socket.on('secureConnect', () =>
      socket.write('POST /1/running HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n{}'),
    );
    socket.on('data', () => resolve('answered'));
    socket.on('error', () => resolve('refused')).on('close', () => resolve('refused'));
  });
}

/** The panel's key for nodes, out of its folder. */
async function readIdentity(folder: string): Promise<PanelIdentity> {
  const store = openStore(join(folder, FILES.database));
  const log = createTestLog();
  const { instanceId } = store.settings.get();
  const vault = await openVault({
    instanceId,
    keyFile: `${folder}.key`,
    dataFolder: folder,
    sealed: store.sealed,
    log,
  });
  const identity = readPanelIdentity({ store, vault });
  store.close();
  if (identity === null) throw new Error('the panel has none');
  return identity;
}

const COMMANDS = {
  advance(ms: number) {
    ahead += ms;
    return Date.now();
  },
  async openPanel(folder: string) {
    const isNew = !existsSync(folder);
    const keyFile = `${folder}.key`;
    const panel = await openPanel({
      folder,
      keyFile,
      port: PANEL_PORT,
      rateLimit: 0,
      passwordCost: CHEAP_COST,
      pollEveryMs: 200,
    });
    if (isNew) await panel.core.local.setUp('admin', PASSWORD);
    administrator = createAdministrator(panel.panelUrl, readFileSync(join(folder, 'tls', 'ca.pem'), 'utf8'));
    await signIn();
  },
  async act(id: Parameters<Administrator['call']>[0], input: never) {
    let answer = await administrator?.call(id, input);
    if (answer?.status === 401) {
      await signIn();
      answer = await administrator?.call(id, input);
    }
    return { status: answer?.status, body: answer?.body };
  },
  join: (folder: string, token: string, limitMs: number) => joinMachine({ folder, token, waiting: () => {}, limitMs }),
  async run(folder: string, name: string) {
    const from = systemNow() - HOUR;
    const { key, pem } = await issueSelfSigned([name], { from, to: from + 24 * 30 * HOUR });
    setLinks(folder, { host: null, port: 443, key, chain: pem });
    await runMachine({ folder, engine: realLooking(fake), beatMs: 100, startAgainMs: 100 });
  },
  move: (userId: number, inboundId: number, down: number) => fake.move(userId, inboundId, { up: 0, down }),
  isIn: (userId: number, inboundId: number) => fake.process?.members.get(inboundId)?.has(userId) === true,
  /** What a stranger could have changed. */
  state: (folder: string) => [
    createHash('sha256')
      .update(readFileSync(join(folder, 'node.json')))
      .digest('hex'),
    fake.starts,
    [...(fake.process?.members ?? [])].map(([id, users]) => [id, [...users.keys()]]),
  ],
  tryWith,
  foreign: async (): Promise<Own> => (await makeKeys()).panel,
  readIdentity,
  readMachineKey: (machine: string): Own => JSON.parse(readFileSync(join(machine, 'node.json'), 'utf8')),
  /** The machine gets another key, as one has that stands in its place. Returns what there was. */
  async changeKey(machine: string): Promise<string> {
    const file = join(machine, 'node.json');
    const before = readFileSync(file, 'utf8');
    const { key, pem: certificate } = await issuePinned();
    writeFileSync(file, JSON.stringify({ ...JSON.parse(before), key, certificate }));
    return before;
  },
  /** Joins as a panel would that has this secret. */
  async tryJoin(host: string, port: number, secret: string) {
    const { panel: identity } = await makeKeys();
    const joining = joinNode({ host, port, secret, identity, takenBy: null });
    return joining.then(
      () => 'joined',
      (error: { code: string }) => error.code,
    );
  },
  fetch: (host: string, path: string) =>
    new Promise((resolve) => {
      const sent = request(
        { host, port: 443, path, agent: false, rejectUnauthorized: false, timeout: 5000 },
        (reply) => {
          reply.resume().on('end', () => resolve(reply.statusCode));
        },
      );
      sent.on('error', () => resolve(0)).end();
    }),
};
export type Commands = typeof COMMANDS;

process.on('message', ({ id, name, args }: { id: number; name: keyof Commands; args: readonly unknown[] }) => {
  const command = COMMANDS[name] as (...all: readonly unknown[]) => unknown;
  Promise.resolve()
    .then(() => command(...args))
    .then(
      (result) => process.send?.({ id, result }),
      (error: unknown) => process.send?.({ id, error: String(error) }),
    );
});
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
