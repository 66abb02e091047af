// The engine of the panel's own machine: installed from a file, used, taken back where it does not start, and rolled back.
import { createHash } from 'node:crypto';
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { expect, test } from 'vitest';
import { ZipFile } from 'yazl';
import { readProgramsInUse } from '../../src/agent/programs.ts';
import { installEngine, rollBackPanelEngine, switchEngine } from '../../src/agent/switch-engine.ts';
import { freePort } from '../support/free-port.ts';
import { createClient } from '../support/http-client.ts';
import { openOwnPanel, PASSWORD } from '../support/own-panel.ts';
import { getProgramPath, whyWithout } from './found.ts';
import { POLLED } from './panel-traffic.ts';

const missing = whyWithout('xray-new');
const BROKEN =
  '#!/bin/sh\n[ "$1" = version ] && echo "Xray 99.1.1 (a program that starts with no configuration)"\nexit 23\n';

const CONNECTION = {
  address: '127.0.0.1',
  tag: 'in',
  name: 'In',
  protocol: 'vless',
  network: 'tcp',
  security: 'none',
} as const;

/** Installs a program from an archive in `place`. */
async function installFrom(folder: string, place: string, program: Buffer) {
  const file = join(place, 'engine.zip');
  const zip = new ZipFile();
  zip.addBuffer(program, 'xray', { mode: 0o100755 });
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(file));
  const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex');
  return installEngine(folder, { file, sha256 }, () => {});
}

test.skipIf(missing !== null)(`is switched with its local nodes, or not at all ${missing ?? ''}`, async () => {
  const keys = mkdtempSync(join(tmpdir(), 'gatehouse-switch-'));
  await using own = await openOwnPanel({ keyFile: join(keys, 'key'), pollEveryMs: 500 });
  const api = createClient({ baseUrl: own.panel.baseUrl, key: await own.newKey('full'), ca: own.ca });
  const install = (program: Buffer) => installFrom(own.folder, keys, program);
  const { version } = await install(readFileSync(getProgramPath('xray-new')));
  const name = `xray-${version}`;
  expect(await switchEngine(own.folder, name)).toEqual({ outcome: 'switched', reason: '' });
  expect(await switchEngine(own.folder, name)).toEqual({ outcome: 'same', reason: '' });

  const { id } = (await own.administrator.call('createNode', { name: 'Here', kind: 'local', address: '127.0.0.1' }))
    .body;
  const connection = {
    protocol: 'vless',
    network: 'tcp',
    security: 'none',
    node_id: id,
    tag: 'in',
    name: 'In',
  } as const;
  await api.call('createInbound', { ...connection, port: await freePort() });
  const tariff = (await api.call('createTariff', { name: 'Unlimited' })).body;
  await api.call('createUser', { name: 'Anna', tariff_id: tariff.id });
  const read = async () => (await api.call('getNode', { id })).body;
  await expect.poll(async () => (await read()).status, POLLED).toBe('up');
  expect((await read()).core).toEqual({ name: 'xray', version });

  await install(Buffer.from(BROKEN));
  expect(await switchEngine(own.folder, 'xray-99.1.1')).toMatchObject({ outcome: 'taken_back' });
  expect(readProgramsInUse(own.folder)).toEqual({ current: name, former: null });
  expect(await read()).toMatchObject({ status: 'up', core: { version } });
  expect(await switchEngine(own.folder, 'xray-1.2.3')).toEqual({ outcome: 'refused', reason: 'it is not installed' });
  await own.administrator.call('updateNode', { id, enabled: false });
  expect(await rollBackPanelEngine(own.folder)).toMatchObject({ outcome: 'switched' });
  expect(readProgramsInUse(own.folder)).toEqual({ current: null, former: name });
  api.close();
  rmSync(keys, { recursive: true, force: true });
});

test.skipIf(missing !== null)(
  `is updated and rolled back by the pages, as those of other machines ${missing ?? ''}`,
  async () => {
    const keys = mkdtempSync(join(tmpdir(), 'gatehouse-switch-'));
    await using own = await openOwnPanel({ keyFile: join(keys, 'key'), pollEveryMs: 500 });
    const { administrator } = own;
    const { version } = await installFrom(own.folder, keys, readFileSync(getProgramPath('xray-new')));
    const name = `xray-${version}`;
    const { node_id: id } = (
      await administrator.call('setUpLocalNode', { ...CONNECTION, node_name: 'Here', port: await freePort() })
    ).body;
    const preview = async () => (await administrator.call('previewEngineUpdate', { engine: name })).body;
    await expect.poll(preview, POLLED).toMatchObject({ nodes: [{ node_id: id, problem: null }] });
    const update = async (engine: string | null) => {
      const begun = await administrator.call('updateEngines', { node_ids: [id], engine, password: PASSWORD });
      expect(begun.status).toBe(200);
      const read = async () => (await administrator.call('getEngineUpdate', {})).body.update;
      await expect.poll(async () => (await read())?.is_running, POLLED).toBe(false);
      return (await read())?.steps[0];
    };
    expect(await update(name)).toMatchObject({ state: 'switched' });
    expect(readProgramsInUse(own.folder)).toEqual({ current: name, former: null });
    await installFrom(own.folder, keys, Buffer.from(BROKEN));
    expect(await update('xray-99.1.1')).toMatchObject({ state: 'taken_back' });
    expect(readProgramsInUse(own.folder)).toEqual({ current: name, former: null });
    expect((await administrator.call('getNode', { id })).body).toMatchObject({ status: 'up', core: { version } });
    await administrator.call('updateSettings', { engine_path: getProgramPath('xray-new'), password: PASSWORD });
    expect((await preview()).nodes).toMatchObject([{ problem: 'own_path' }]);
    rmSync(keys, { recursive: true, force: true });
  },
);
