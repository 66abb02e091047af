// A real engine on another machine's end of the wire: counted to the byte by the panel, through kills of the service and of the engine while the
// panel is away.
import { createHash } from 'node:crypto';
import { createWriteStream, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { ZipFile } from 'yazl';
import { joinMachine, leaveMachine } from '../../src/agent/machine.ts';
import { programName, readProgramsInUse } from '../../src/agent/programs.ts';
import { installEngine, rollBackEngine, switchEngine } from '../../src/agent/switch-engine.ts';
import type { InboundCreate } from '../../src/contract/inbounds.ts';
import { openPanel } from '../../src/panel/panel.ts';
import { CHEAP_COST } from '../support/cheap-password.ts';
import { ADMINISTRATOR_CALL } from '../support/core.ts';
import { freePort } from '../support/free-port.ts';
import { createClient } from '../support/http-client.ts';
import { times } from '../support/long.ts';
import { type OwnPanel, openOwnPanel, PASSWORD } from '../support/own-panel.ts';
import { getProgramPath, whyWithout } from './found.ts';
import {
  ANSWER,
  openMachineFolder,
  openPuller,
  openStream,
  POLLED,
  PULLED,
  readShareLink,
  readTwice,
  SHAPES,
} from './panel-traffic.ts';

const PROGRAM = 'xray';
const HOST = '127.0.0.1';
const missing = whyWithout(PROGRAM);

/** A node on another machine with a connection and a user, and a token for it. */
async function openFar(
  { administrator, panel, newKey, ca }: OwnPanel,
  shape: Pick<InboundCreate, 'protocol'> & Partial<InboundCreate> = SHAPES[PROGRAM],
) {
  const api = createClient({ baseUrl: panel.baseUrl, key: await newKey('full'), ca });
  const far = { name: 'Far', address: HOST, allows_private: true, password: PASSWORD };
  const { id: nodeId } = (await administrator.call('createNode', far)).body;
  const inbound = { ...shape, node_id: nodeId, tag: 'in', name: 'In', port: await freePort() };
  await api.call('createInbound', inbound);
  const { id: tariff_id } = (await api.call('createTariff', { name: 'Unlimited' })).body;
  const { id: userId } = (await api.call('createUser', { name: 'Anna', tariff_id })).body;
  const invited = { id: nodeId, port: await freePort(), password: PASSWORD };
  const { token } = (await administrator.call('inviteNode', invited)).body;
  return { api, nodeId, userId, tariff_id, token, node: async () => (await api.call('getNode', { id: nodeId })).body };
}

test.skipIf(missing !== null)(
  `an engine that is killed while the panel is away loses no byte that its machine has written down ${missing ?? ''}`,
  async () => {
    await using far = openMachineFolder();
    const { parent, folder } = far;
    const keyFile = join(parent, 'master.key');
    await using own = await openOwnPanel({ keyFile });
    const scene = await openFar(own);
    await joinMachine({ folder, token: scene.token, host: HOST, waiting: () => {} });
    const options = { host: HOST, enginePath: getProgramPath(PROGRAM), beatMs: 100, startAgainMs: 100 };
    const machine = await far.run(options);
    await expect.poll(async () => (await scene.node()).status, POLLED).toBe('up');
    await using client = await openPuller(PROGRAM, await readShareLink(scene));
    const pull = async () => expect(await client.pull(60_000)).toBe(ANSWER.length);
    await pull();
    await own.panel.close();

    const ledger = new Database(join(folder, 'ledger.db'), { readonly: true });
    const asked = (sql: string) => ledger.prepare(`SELECT ${sql}`).pluck().get();
    const written = () => asked('total(down) FROM counters WHERE user_id > 0');
    await pull();
    await expect.poll(written, POLLED).toBe(2 * PULLED.down);
    const { pid } = JSON.parse(readFileSync(join(folder, 'engines', 'node-1.json'), 'utf8'));
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => asked('count(*) FROM boots'), POLLED).toBe(2);
    await pull();
    ledger.close();

    const again = await openPanel({ folder: own.folder, port: 0, keyFile, passwordCost: CHEAP_COST });
    const counted = () => {
      const { total_up: up, total_down: down } = again.core.call(
        'getUser',
        { id: scene.userId },
        ADMINISTRATOR_CALL,
      ).body;
      return { up, down };
    };
    await expect.poll(counted, POLLED).toEqual({ up: 3 * PULLED.up, down: 3 * PULLED.down });
    await again.close();
    await machine.close();
    await leaveMachine(folder);
    scene.api.close();
  },
);

test.skipIf(missing !== null)(
  `a machine whose service is killed under traffic loses no byte ${missing ?? ''}`,
  async () => {
    await using far = openMachineFolder();
    await using own = await openOwnPanel({ keyFile: join(far.parent, 'master.key') });
    const { api, nodeId, userId, token, node } = await openFar(own);
    expect(await far.panelNode(['join', '--host', HOST], token).ended).toEqual([0, null]);
    let run = far.panelNode(['run', '--host', HOST]);
    await expect.poll(async () => (await node()).status, POLLED).toBe('up');

    await using client = await openPuller(PROGRAM, await readShareLink({ api, nodeId, userId }));
    const pull = async () => expect(await client.pull(60_000)).toBe(ANSWER.length);
    let pulls = 0;
    for (let kills = 0; kills < times(2, 50); kills += 1) {
      await pull();
      run.child.kill('SIGKILL');
      await run.ended;
      await pull();
      run = far.panelNode(['run', '--host', HOST]);
      pulls += 2;
    }
    const counted = async () => {
      const { total_up: up, total_down: down } = (await api.call('getUser', { id: userId })).body;
      return { up, down };
    };
    await expect.poll(counted, POLLED).toEqual({ up: pulls * PULLED.up, down: pulls * PULLED.down });
    expect((await node()).last_restart, 'the engine was adopted each time').toBeNull();

    run.child.kill('SIGTERM');
    expect(await run.ended).toEqual([0, null]);
    expect(await client.pull(60_000), 'the engine goes on').toBe(ANSWER.length);
    expect(await far.panelNode(['leave']).ended).toEqual([0, null]);
    expect(await client.pull(), 'and ends when the machine leaves').toBe(0);
    api.close();
  },
);

const HYSTERIA2 = { protocol: 'hysteria2', sni: 'a.example' } as const;

/** The process of the engine that serves a node of this machine. */
function readEnginePid(folder: string): number {
  return JSON.parse(readFileSync(join(folder, 'engines', 'node-1.json'), 'utf8')).pid;
}

/** Moves bytes over an open connection until it ends, or nothing comes for some time. */
async function moveToTheEnd(stream: Awaited<ReturnType<typeof openStream>>): Promise<void> {
  for (;;) {
    const moved = stream.move(10, 1000).then(
      () => true,
      () => false,
    );
    if (!(await Promise.race([moved, pause(4000, false)]))) return;
    await pause(5);
  }
}

/** Of the build of the newest only the engine runs: the commands that it lacks are those of the release before it. */
function writeWithCommands(folder: string): string {
  const path = join(folder, 'xray-with-commands');
  const run = (program: 'xray-new' | 'xray-newest') => `exec ${getProgramPath(program)} "$@"`;
  writeFileSync(path, `#!/bin/sh\n[ "$1" = api ] && ${run('xray-new')}\n${run('xray-newest')}\n`, { mode: 0o755 });
  return path;
}

test.for(['xray', 'xray-new', 'xray-newest'] as const)(
  'a machine with %s ends sessions over Hysteria2 by opening the connection anew, while its engine goes on, with the panel and without',
  { timeout: 240_000 },
  async (program, { skip }) => {
    const lacking = whyWithout(PROGRAM, program, 'xray-new');
    if (lacking !== null) return skip(lacking);
    await using far = openMachineFolder();
    const { parent, folder } = far;
    const keyFile = join(parent, 'master.key');
    await using own = await openOwnPanel({ keyFile, pollEveryMs: 1000 });
    const scene = await openFar(own, HYSTERIA2);
    const { api, nodeId, userId, tariff_id } = scene;
    const createUser = async (name: string, fields: { readonly expires_at?: string } = {}) =>
      (await api.call('createUser', { name, tariff_id, ...fields })).body.id;
    const mateId = await createUser('Mate');
    await joinMachine({ folder, token: scene.token, host: HOST, waiting: () => {} });
    const enginePath = program === 'xray-newest' ? writeWithCommands(parent) : getProgramPath(program);
    const machine = await far.run({ host: HOST, enginePath, beatMs: 100, startAgainMs: 100 });
    await expect.poll(scene.node, POLLED).toMatchObject({ status: 'up', pending_changes: 0 });
    const pid = readEnginePid(folder);
    const open = async (id: number) => openStream(PROGRAM, await readShareLink({ api, nodeId, userId: id }));
    {
      await using stream = await open(userId);
      await stream.move(1001, 50_003);
      await readTwice(scene);
      await api.call('updateUser', { id: userId, enabled: false });
      await moveToTheEnd(stream);
    }
    const [quic] = (await api.call('listInbounds', {})).body.items;
    const last = { reason: 'cut_off', inbound_id: quic?.id };
    await expect
      .poll(scene.node, POLLED)
      .toMatchObject({ status: 'up', pending_changes: 0, last_restart: { ...last, user_ids: [userId] } });
    expect(readEnginePid(folder), 'the engine goes on').toBe(pid);
    {
      await using mate = await open(mateId);
      await mate.move(11, 101);
    }

    // By itself the machine ends who expires while the panel is away.
    const lateId = await createUser('Late', { expires_at: new Date(Date.now() + 15_000).toISOString() });
    await expect.poll(scene.node, POLLED).toMatchObject({ status: 'up', pending_changes: 0 });
    await using late = await open(lateId);
    await late.move(11, 101);
    await readTwice(scene);
    const mateLink = await readShareLink({ api, nodeId, userId: mateId });
    await own.panel.close();
    await moveToTheEnd(late);
    expect(readEnginePid(folder), 'the engine goes on').toBe(pid);
    await using mate = await openStream(PROGRAM, mateLink);
    await mate.move(11, 101);
    await machine.close();
    await leaveMachine(folder);
    api.close();
  },
);

/** An archive as projects publish it. */
async function createZip(file: string, add: (zip: ZipFile) => void): Promise<{ file: string; sha256: string }> {
  const zip = new ZipFile();
  add(zip);
  zip.addBuffer(Buffer.from('list'), 'geoip.dat');
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(file));
  return { file, sha256: createHash('sha256').update(readFileSync(file)).digest('hex') };
}

/** An archive of an engine with this version, which behaves as the shell lines say before it becomes the real one. */
function buildArchive(folder: string, version: string, lines = '') {
  const script = `#!/bin/sh
case "$*" in -version | version) echo "Xray ${version} (stands for another version)"; exit 0 ;; esac
${lines}
exec ${getProgramPath(PROGRAM)} "$@"
`;
  return createZip(join(folder, `${version}.zip`), (zip) => zip.addBuffer(Buffer.from(script), PROGRAM));
}

test.skipIf(missing !== null || process.platform === 'win32')(
  `the engine of a machine is updated, refused or taken back, without losing a byte ${missing ?? ''}`,
  async () => {
    await using far = openMachineFolder();
    const { parent, folder } = far;
    await using own = await openOwnPanel({ keyFile: join(parent, 'master.key') });
    const scene = await openFar(own);
    await joinMachine({ folder, token: scene.token, host: HOST, waiting: () => {} });
    const install = async (version: string, lines?: string) => {
      await installEngine(folder, await buildArchive(parent, version, lines), () => {});
      return `xray-${version}`;
    };
    expect(await switchEngine(folder, await install('26.3.28'))).toMatchObject({ outcome: 'switched' });
    const machine = await far.run({ host: HOST, watchMs: 200 });
    const version = async () => (await scene.node()).core?.version;
    await expect.poll(version, POLLED).toBe('26.3.28');
    await using client = await openPuller(PROGRAM, await readShareLink(scene));
    const pull = async () => expect(await client.pull(60_000)).toBe(ANSWER.length);
    await pull();

    expect(await switchEngine(folder, await install('26.3.29'))).toEqual({ outcome: 'switched', reason: '' });
    await expect.poll(version, POLLED).toBe('26.3.29');
    await pull();
    const refuses = await install('26.3.30', 'case "$*" in *-test*) echo "no such protocol"; exit 23 ;; esac');
    expect(await switchEngine(folder, refuses)).toEqual({ outcome: 'refused', reason: 'no such protocol' });
    await pull();
    const ends = await install('26.3.31', 'case "$*" in *-test*) ;; *) echo "out of memory"; exit 1 ;; esac');
    const taken = await switchEngine(folder, ends);
    expect(taken).toMatchObject({ outcome: 'taken_back', reason: expect.stringContaining('out of memory') });
    await pull();
    expect(readProgramsInUse(folder)).toEqual({ current: 'xray-26.3.29', former: 'xray-26.3.28' });

    const { file } = await buildArchive(parent, '26.3.32');
    await expect(installEngine(folder, { file, sha256: 'a'.repeat(64) }, () => {})).rejects.toThrow('should be');
    expect(readdirSync(join(folder, 'programs'))).not.toContain('xray-26.3.32');
    expect(await rollBackEngine(folder)).toEqual({ name: 'xray-26.3.28', outcome: 'switched', reason: '' });
    await expect.poll(version, POLLED).toBe('26.3.28');
    await pull();
    const counted = async () => {
      const { total_up: up, total_down: down } = (await scene.api.call('getUser', { id: scene.userId })).body;
      return { up, down };
    };
    await expect.poll(counted, POLLED).toEqual({ up: 5 * PULLED.up, down: 5 * PULLED.down });
    await machine.close();
    await leaveMachine(folder);
    scene.api.close();
  },
);

const NEWER = 'xray-new';
const missingOfBoth = whyWithout(PROGRAM, NEWER);

test.skipIf(missingOfBoth !== null || process.platform === 'win32')(
  `the panel brings another version of a real engine to a machine, and one that does not stay up is taken back ${missingOfBoth ?? ''}`,
  async () => {
    await using far = openMachineFolder();
    const { parent, folder } = far;
    await using own = await openOwnPanel({ keyFile: join(parent, 'master.key') });
    const scene = await openFar(own);
    const { nodeId } = scene;
    await joinMachine({ folder, token: scene.token, host: HOST, waiting: () => {} });
    const install = async (archive: { file: string; sha256: string }) =>
      programName(await installEngine(folder, archive, () => {}));
    const published = (program: typeof PROGRAM | typeof NEWER) =>
      createZip(join(parent, `${program}.zip`), (zip) =>
        zip.addFile(getProgramPath(program), PROGRAM, { compress: false }),
      );
    const older = await install(await published(PROGRAM));
    const newer = await install(await published(NEWER));
    expect(newer).not.toBe(older);
    expect(await switchEngine(folder, older)).toMatchObject({ outcome: 'switched' });
    const machine = await far.run({ host: HOST, watchMs: 1000 });
    const engine = async () => {
      const { core } = await scene.node();
      return core && `${core.name}-${core.version}`;
    };
    await expect.poll(engine, POLLED).toBe(older);
    await using client = await openPuller(PROGRAM, await readShareLink(scene));
    const pull = async () => expect(await client.pull(60_000)).toBe(ANSWER.length);
    await pull();

    const { body: preview } = await own.administrator.call('previewEngineUpdate', { engine: newer });
    expect(preview.nodes).toMatchObject([{ node_id: nodeId, current: older, problem: null, lost: [], unserved: [] }]);
    const update = async (wanted: string | null) => {
      await own.administrator.call('updateEngines', { node_ids: [nodeId], engine: wanted, password: PASSWORD });
      const run = async () => (await own.administrator.call('getEngineUpdate', {})).body.update;
      await expect.poll(async () => (await run())?.is_running, POLLED).toBe(false);
      return (await run())?.steps;
    };
    expect(await update(newer)).toEqual([{ node_id: nodeId, state: 'switched', reason: '' }]);
    await expect.poll(engine, POLLED).toBe(newer);
    await pull();
    const late = (await scene.api.call('createUser', { name: 'Boris', tariff_id: scene.tariff_id })).body;
    await using second = await openPuller(PROGRAM, await readShareLink({ ...scene, userId: late.id }));
    await expect.poll(() => second.pull(), POLLED).toBe(ANSWER.length);

    const ends = 'case "$*" in *-test*) ;; *) echo "out of memory"; exit 1 ;; esac';
    const broken = await install(await buildArchive(parent, '99.1.1', ends));
    const reason = expect.stringContaining('out of memory');
    expect(await update(broken)).toMatchObject([{ node_id: nodeId, state: 'taken_back', reason }]);
    expect(readProgramsInUse(folder)).toEqual({ current: newer, former: older });
    await pull();
    expect(await second.pull(60_000), 'who came meanwhile is let in').toBe(ANSWER.length);

    expect(await update(null)).toEqual([{ node_id: nodeId, state: 'switched', reason: '' }]);
    await expect.poll(engine, POLLED).toBe(older);
    await pull();
    const counted = async (id: number) => {
      const { total_up: up, total_down: down } = (await scene.api.call('getUser', { id })).body;
      return { up, down };
    };
    await expect.poll(() => counted(scene.userId), POLLED).toEqual({ up: 4 * PULLED.up, down: 4 * PULLED.down });
    await expect.poll(() => counted(late.id), POLLED).toEqual({ up: 2 * PULLED.up, down: 2 * PULLED.down });
    await machine.close();
    await leaveMachine(folder);
    scene.api.close();
  },
);
