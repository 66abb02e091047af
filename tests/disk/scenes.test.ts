// A full disk at awkward moments: at a start, at the first one, when the process dies, in the middle of a bulk, and under the log.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { bulkLoader } from '../../src/store/bulk-load.ts';
import { openStore } from '../../src/store/index.ts';
import { openCommandLine, PASSWORD } from '../support/cli.ts';
import { freePort } from '../support/free-port.ts';
import { sampleUser } from '../support/temp-store.ts';
import { type PanelOn, servePanelOn } from './panel-on.ts';
import { mountDisk, type SmallDisk, whyNoMount } from './small-disk.ts';

const MIB = 2 ** 20;
const RECOVERY = { timeout: 300_000, interval: 50 };

const create = ({ client, tariffId }: PanelOn, name: string) =>
  client.call('createUser', { name, tariff_id: tariffId }, { 'idempotency-key': name });

/** Fills the disk and writes until the panel has noticed. */
async function fillUp(disk: SmallDisk, panel: PanelOn): Promise<void> {
  for (let count = 0; ; count += 1) {
    disk.fill(panel.pid());
    const { status } = await create(panel, `filling ${count}`);
    if (status === 507) return;
    expect(status).toBe(201);
  }
}

function untilWritten(panel: PanelOn, name: string): Promise<void> {
  return vi.waitFor(async () => expect((await create(panel, name)).status).toBe(201), RECOVERY);
}

describe.runIf(whyNoMount() === null)('a full disk', () => {
  it('lets in, takes away and frees room: what guards the panel is done', async () => {
    using disk = mountDisk(128);
    await using panel = await servePanelOn(disk);
    const administrator = await panel.browser();
    const { body: backup, status } = await administrator.call('createBackup', { password: PASSWORD });
    expect(status).toBe(201);
    await fillUp(disk, panel);
    expect((await administrator.call('panelState', {})).body.disk_full).toBe(true);
    const done = [
      await panel.signIn(),
      (await administrator.call('deleteBackup', { name: backup.name })).status,
      (await administrator.call('endOtherSessions', {})).status,
      (await administrator.call('refreshVault', {})).status,
    ];
    expect(done).toEqual([200, 204, 200, 200]);
    const refused = [
      await administrator.call('createKey', { name: 'k', access: 'read', password: PASSWORD }),
      await administrator.call('createBackup', {}),
      await administrator.call('updateSettings', { panel_title: 'x' }),
    ];
    expect(refused.map(({ problem }) => problem.detail)).toEqual(['storage_full', 'storage_full', 'storage_full']);
    const { body: audit } = await administrator.call('listAudit', { limit: 2 });
    expect(audit.items.map(({ action }) => action)).toEqual(['endOtherSessions', 'deleteBackup']);
    expect((await administrator.call('revokeKey', { id: 1 })).body.state).toBe('revoked');
    expect((await panel.client.call('listUsers', {})).status).toBe(401);
    const doctor = await panel.cli.run(['doctor', '--data', panel.folder]);
    expect(doctor.stdout).toMatch(/PROBLEM +disk +full, 0 MB free, and the panel lives on its reserve/);
    administrator.close();
  });

  it('at a start: what is there is served, the administrator gets in, and it ends by itself', async () => {
    using disk = mountDisk(32);
    await using panel = await servePanelOn(disk);
    await create(panel, 'Anna');
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      await fillUp(disk, panel);
      await panel.serving().end(signal);
      disk.fill(0);
      await panel.serveAgain();
      expect((await panel.client.call('listUsers', { q: 'Anna' })).body.total).toBe(1);
      expect((await create(panel, 'Anna')).headers['idempotency-replayed']).toBe('true');
      expect((await create(panel, `after ${signal}`)).status).toBe(507);
      expect(await panel.signIn()).toBe(200);
      disk.clear(0);
      await untilWritten(panel, `after ${signal}`);
    }
    const log = panel.read('logs/panel.log');
    expect(log).toContain('disk full: nothing is changed until there is space again');
    expect(log).toContain('disk has space again');
  });

  it('at the first start: one sentence, and a start once there is room', async () => {
    using disk = mountDisk(16);
    await using cli = openCommandLine();
    const data = ['--data', join(disk.folder, 'data')];
    disk.fill(0);
    const refused = await cli.run(['serve', '--port', '0', ...data]);
    expect(refused.code).toBe(4);
    expect(refused.stderr).toMatch(/^panel: .*(is full\. Free some space|no space left on device)[^\n]*\n$/);
    disk.clear(0);
    expect((await cli.serve(['--port', '0', ...data])).setupUrl).not.toBeNull();
  });

  it('in the middle of a bulk: whole parts of it, and the rest by a repetition once there is room', async () => {
    const users = 3000;
    using disk = mountDisk(64);
    const folder = join(disk.folder, 'data');
    mkdirSync(folder, { mode: 0o700 });
    const store = openStore(join(folder, 'panel.db'));
    bulkLoader(store).loadUsers(Array.from({ length: users }, () => sampleUser()));
    store.close();
    await using panel = await servePanelOn(disk);
    const disable = () =>
      panel.client.call('bulkUsers', { action: 'disable', filter: { all: true } }, { 'idempotency-key': 'bulk' });
    disk.fill(panel.pid(), MIB);
    const refused = await disable();
    expect(refused.problem.detail).toBe('storage_full');
    expect((await panel.client.call('listUsers', { state: 'disabled', limit: 1 })).body.total).toBeLessThan(users);
    expect(await panel.signIn()).toBe(200);
    disk.clear(panel.pid());
    await vi.waitFor(async () => expect((await disable()).body.affected).toBe(users), RECOVERY);
    expect((await panel.client.call('listUsers', { state: 'disabled', limit: 1 })).body.total).toBe(users);
  });

  it('under a log that is kept on it: lines are lost, nothing else', async () => {
    using disk = mountDisk(32);
    await using panel = await servePanelOn(disk);
    await panel.serving().end('SIGTERM');
    disk.fill(0);
    // The service manager's way: whatever is said goes to a file, which is on the same disk.
    const file = openSync(join(disk.folder, 'said'), 'a');
    const port = await freePort();
    const command = join(import.meta.dirname, '../../bin/panel.mjs');
    const child = spawn(process.execPath, [command, 'serve', '--port', String(port), '--data', panel.folder], {
      env: { ...process.env, GATEHOUSE_LOG: 'stderr', XDG_CONFIG_HOME: join(panel.folder, '../config') },
      stdio: ['ignore', file, file],
    });
    closeSync(file);
    const exited = once(child, 'exit');
    await vi.waitFor(() => connects(port), { timeout: 300_000, interval: 50 });
    expect((await panel.cli.run(['url', 'base_url', '--data', panel.folder])).stdout).toContain(`:${port}/`);
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
  });
});

function connects(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve();
    });
    socket.on('error', reject);
  });
}
