// The panel's own authority: replaced on request or with its lost files, never without notice, and as the clients of a restored panel know it.
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { expect, test } from 'vitest';
import { issueAuthority, issueLeaf } from '../../src/adapters/certificates/issuer.ts';
import { inspectBackup, restoreFile } from '../../src/panel/backup/local-file.ts';
import { examine } from '../../src/panel/doctor.ts';
import { openPanel, type Panel } from '../../src/panel/panel.ts';
import { createAdministrator } from '../support/administrator.ts';
import { CHEAP_COST } from '../support/cheap-password.ts';
import { createClient } from '../support/http-client.ts';
import { openOwnPanel, PASSWORD } from '../support/own-panel.ts';

const REPLACED = 'certificate.authority_replaced';
const caIn = (folder: string) => readFileSync(join(folder, 'tls', 'ca.pem'), 'utf8');
const asideIn = (folder: string) => readdirSync(join(folder, 'tls')).filter((name) => name.startsWith('set-aside-'));
const examineAuthority = async (folder: string) => (await examine(folder)).find(({ check }) => check === 'authority');

/** Whether a client with this CA file trusts the panel. */
function isTrusted({ address }: Panel, ca: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port: address()?.port ?? 0, ca }, () => {
      resolve(true);
      socket.destroy();
    });
    socket.once('error', () => resolve(false));
  });
}

test('a new one is made on request, with proof, and notified until it is confirmed', async () => {
  await using own = await openOwnPanel();
  const { administrator, panel, folder, ca } = own;
  const key = await own.newKey('read');
  const before = (await administrator.call('getCertificates', {})).body.authority;
  expect(before).toMatchObject({ pem: ca, warning: null, replaced: null });
  expect(await examineAuthority(folder)).toMatchObject({ verdict: 'ok' });

  const { status, body } = await administrator.call('replaceAuthority', { password: PASSWORD });
  expect([status, body.replaced?.fingerprint]).toEqual([200, before?.fingerprint]);
  expect(caIn(folder)).toBe(body.pem);
  expect([await isTrusted(panel, body.pem), await isTrusted(panel, ca)]).toEqual([true, false]);
  expect(asideIn(folder).map((name) => name.replace(/.*Z-/, ''))).toContain('ca.pem');
  expect(await examineAuthority(folder)).toMatchObject({
    verdict: 'warning',
    found: expect.stringMatching(/^replaced .*set-aside/),
  });

  const now = createAdministrator(panel.panelUrl, body.pem);
  await now.call('signIn', { name: 'admin', password: PASSWORD });
  const client = createClient({ baseUrl: panel.baseUrl, key, ca: body.pem });
  const events = async () => (await client.call('listEvents', { type: REPLACED })).body.items;
  expect(await events()).toMatchObject([
    {
      actor: { kind: 'administrator' },
      data: { fingerprint: body.fingerprint, former_fingerprint: before?.fingerprint },
    },
  ]);
  const audit = (await now.call('listAudit', { action: 'replaceAuthority', limit: 10 })).body.items;
  expect(audit).toMatchObject([{ actor: { kind: 'administrator' }, target: 'authority' }]);

  expect((await now.call('confirmAuthority', {})).body).toMatchObject({ pem: body.pem, replaced: null });
  expect((await now.call('getCertificates', {})).body.authority?.replaced).toBeNull();
  expect(await examineAuthority(folder)).toMatchObject({ verdict: 'ok' });
  expect(await events()).toHaveLength(1);
  client.close();
  now.close();
});

test('a restored panel says that its clients need the file of another one', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'gatehouse-authority-'));
  const folder = join(parent, 'data');
  await using own = await openOwnPanel();
  const made = (await own.administrator.call('createBackup', { password: PASSWORD })).body;
  const { fingerprint = '' } = (await own.administrator.call('getCertificates', {})).body.authority ?? {};
  const path = join(own.folder, 'backups', made.name);
  const { fingerprint: confirm } = await inspectBackup(folder, path, null, null);
  await restoreFile(folder, { path, passphrase: null, confirm, accept_keys: true }, null);
  const panel = await openPanel({ folder, port: 0, passwordCost: CHEAP_COST });
  const administrator = createAdministrator(panel.panelUrl, caIn(folder));
  await administrator.call('signIn', { name: 'admin', password: PASSWORD });
  const replaced = async () => (await administrator.call('getCertificates', {})).body.authority?.replaced;
  await expect.poll(replaced).toMatchObject({ fingerprint });
  administrator.close();
  await panel.close();
  rmSync(parent, { recursive: true, force: true });
});

test.each([
  { from: 'of a panel that runs', to: 'a panel that has not started', isStarted: false },
  { from: 'of a panel that runs', to: 'a new panel that runs', isStarted: true },
])('with a passphrase it comes along to another machine: $to', async ({ isStarted }) => {
  const keys = mkdtempSync(join(tmpdir(), 'gatehouse-keys-'));
  await using own = await openOwnPanel({ keyFile: join(keys, 'here') });
  const key = await own.newKey('full');
  const passphrase = 'a passphrase of the backup';
  const { body } = await own.administrator.call('createBackup', { passphrase, password: PASSWORD });
  const path = join(own.folder, 'backups', body.name);
  const folder = join(keys, 'data');
  const options = { folder, port: 0, keyFile: join(keys, 'there'), passwordCost: CHEAP_COST };
  const running = isStarted ? await openPanel(options) : null;
  const restored = await restoreFile(folder, { path, passphrase, confirm: null, accept_keys: false }, options.keyFile);
  expect(restored).toMatchObject({ needs_new_ca: false, ca_file: join(folder, 'tls', 'ca.pem') });
  const panel = running ?? (await openPanel(options));
  expect(await isTrusted(panel, own.ca)).toBe(true);
  // The secret path is that of the backup.
  const baseUrl = `https://127.0.0.1:${panel.address()?.port}${new URL(own.panel.baseUrl).pathname}`;
  const client = createClient({ baseUrl, key, ca: own.ca });
  expect((await client.call('listUsers', {})).status).toBe(200);
  client.close();
  // Its key is sealed for this machine, and it goes on after a start.
  await panel.close();
  const again = await openPanel(options);
  expect(readdirSync(join(folder, 'tls')).filter((name) => name.startsWith('ca-key'))).toEqual(['ca-key.sealed']);
  expect([await isTrusted(again, own.ca), caIn(folder)]).toEqual([true, own.ca]);
  await again.close();
  rmSync(keys, { recursive: true, force: true });
});

test.each([
  { to: 'a panel that has not started', isStarted: false },
  { to: 'a new panel that runs', isStarted: true },
])('with a passphrase imported certificates and accounts of ACME come along to $to', async ({ isStarted }) => {
  const keys = mkdtempSync(join(tmpdir(), 'gatehouse-keys-'));
  await using own = await openOwnPanel({ keyFile: join(keys, 'here') });
  const validity = { from: Date.now() - 3_600_000, to: Date.now() + 90 * 86_400_000 };
  const issuer = await issueAuthority({ ...validity, to: validity.to + 1000 });
  const leaf = await issueLeaf(issuer, ['127.0.0.1'], validity);
  const given = { password: PASSWORD, certificate: leaf.pem, private_key: leaf.key };
  expect((await own.administrator.call('importCertificate', given)).status).toBe(200);
  const account = 'acme-account-0123456789abcdef.pem';
  writeFileSync(join(own.folder, 'tls', account), issuer.key);
  const administrator = createAdministrator(own.panel.panelUrl, issuer.pem);
  await administrator.call('signIn', { name: 'admin', password: PASSWORD });
  const passphrase = 'a passphrase of the backup';
  const { body } = await administrator.call('createBackup', { passphrase, password: PASSWORD });
  const clear = (await administrator.call('createBackup', { password: PASSWORD })).body;
  administrator.close();
  const path = join(own.folder, 'backups', body.name);
  expect(readFileSync(join(own.folder, 'backups', clear.name)).includes(account)).toBe(false);

  const folder = join(keys, 'data');
  const options = { folder, port: 0, keyFile: join(keys, 'there'), passwordCost: CHEAP_COST };
  const running = isStarted ? await openPanel(options) : null;
  await restoreFile(folder, { path, passphrase, confirm: null, accept_keys: false }, options.keyFile);
  const panel = running ?? (await openPanel(options));
  expect([await isTrusted(panel, issuer.pem), await isTrusted(panel, own.ca)]).toEqual([true, false]);
  expect(readFileSync(join(folder, 'tls', account), 'utf8')).toBe(issuer.key);
  if (process.platform !== 'win32') expect(statSync(join(folder, 'tls', account)).mode & 0o777).toBe(0o600);
  await panel.close();
  rmSync(keys, { recursive: true, force: true });
});

test.each([
  { how: 'without a passphrase', passphrase: null, isInUse: false },
  { how: 'where the other panel is in use', passphrase: 'a passphrase of the backup', isInUse: true },
])('$how it stays behind, and the result says so', async ({ passphrase, isInUse }) => {
  const keys = mkdtempSync(join(tmpdir(), 'gatehouse-keys-'));
  await using own = await openOwnPanel({ keyFile: join(keys, 'here') });
  const { body } = await own.administrator.call('createBackup', {
    ...(passphrase && { passphrase }),
    password: PASSWORD,
  });
  const path = join(own.folder, 'backups', body.name);
  await using other = await openOwnPanel({ keyFile: join(keys, 'there') });
  if (isInUse) {
    const chosen = { path, passphrase, confirm: null, accept_keys: true };
    const restored = await restoreFile(other.folder, chosen, null);
    expect(restored).toMatchObject({ needs_new_ca: true });
    expect([await isTrusted(other.panel, own.ca), await isTrusted(other.panel, other.ca)]).toEqual([false, true]);
  } else {
    const folder = join(keys, 'data');
    const panel = await openPanel({ folder, port: 0, passwordCost: CHEAP_COST });
    const before = caIn(folder);
    const { fingerprint: confirm } = await inspectBackup(folder, path, null, null);
    const chosen = { path, passphrase: null, confirm, accept_keys: true };
    expect(await restoreFile(folder, chosen, null)).toMatchObject({ needs_new_ca: true });
    expect([await isTrusted(panel, own.ca), caIn(folder)]).toEqual([false, before]);
    await panel.close();
  }
  rmSync(keys, { recursive: true, force: true });
});

test('a folder whose database is gone is not taken for a new panel', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'gatehouse-authority-'));
  const folder = join(parent, 'data');
  const start = () => openPanel({ folder, port: 0, passwordCost: CHEAP_COST });
  const first = await start();
  const { baseUrl } = first;
  await first.close();
  const database = join(folder, 'panel.db');
  renameSync(database, join(parent, 'away.db'));
  const before = readdirSync(folder).sort();
  await expect(start()).rejects.toMatchObject({ refusal: 'database', message: expect.stringContaining(database) });
  expect(readdirSync(folder).sort()).toEqual(before);
  renameSync(join(parent, 'away.db'), database);
  const again = await start();
  expect(new URL(again.baseUrl).pathname).toBe(new URL(baseUrl).pathname);
  await again.close();
  rmSync(parent, { recursive: true, force: true });
});

test('where the master key is lost, a new one is made once there is a new authority', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'gatehouse-authority-'));
  const folder = join(parent, 'data');
  const keyFile = join(parent, 'master.key');
  const start = () => openPanel({ folder, port: 0, keyFile, passwordCost: CHEAP_COST });
  const keysIn = () => readdirSync(join(folder, 'tls')).filter((name) => name.startsWith('ca-key'));
  const first = await start();
  await first.core.local.setUp('admin', PASSWORD);
  const ca = caIn(folder);
  // A panel whose reserve of disk space is unfinished takes the disk for full at first.
  await expect.poll(() => statSync(join(folder, 'reserve'), { throwIfNoEntry: false })?.size).toBe(8 * 2 ** 20);
  await first.close();
  rmSync(keyFile);

  const second = await start();
  const administrator = createAdministrator(second.panelUrl, ca);
  await administrator.call('signIn', { name: 'admin', password: PASSWORD });
  expect((await administrator.call('getVault', {})).body.state).toBe('deleted');
  expect([caIn(folder), existsSync(keyFile)]).toEqual([ca, false]);
  const { status, body } = await administrator.call('replaceAuthority', { password: PASSWORD });
  expect([status, caIn(folder)]).toEqual([200, body.pem]);
  administrator.close();
  await second.close();

  const third = await start();
  expect([caIn(folder), existsSync(keyFile), keysIn()]).toEqual([body.pem, true, ['ca-key.sealed']]);
  await third.close();
  rmSync(parent, { recursive: true, force: true });
});
