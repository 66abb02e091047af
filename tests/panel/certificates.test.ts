// The served certificate over the real doors: exchanged under load with nothing dropped, refused with nothing changed, warned of in time.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { connect, type PeerCertificate, type TLSSocket } from 'node:tls';
import { expect, it, vi } from 'vitest';
import { type Issued, issueAuthority, issueLeaf } from '../../src/adapters/certificates/issuer.ts';
import { examine } from '../../src/panel/doctor.ts';
import { openPanel, type Panel } from '../../src/panel/panel.ts';
import { freePort } from '../support/free-port.ts';
import { createClient } from '../support/http-client.ts';
import { type OwnPanel, openOwnPanel, PASSWORD } from '../support/own-panel.ts';

const DAY = 86_400_000;

/** A leaf for 127.0.0.1 of an authority of its own, that ends after so many days. */
async function leafFor(days: number): Promise<Issued & { readonly ca: string }> {
  const validity = { from: Date.now() - DAY, to: Date.now() + days * DAY };
  const authority = await issueAuthority({ ...validity, to: validity.to + DAY });
  return { ...(await issueLeaf(authority, ['127.0.0.1'], validity)), ca: authority.pem };
}

/** What a new connection is shown. */
function servedAt(port: number): Promise<PeerCertificate> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate());
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

const getPort = ({ panel }: OwnPanel) => panel.address()?.port ?? 0;
const fingerprintAt = async (port: number) => (await servedAt(port)).fingerprint256;

/** One connection that is kept: each request goes over the same socket, or fails. */
function keptConnection({ panel, ca }: OwnPanel, key: string) {
  const agent = new https.Agent({ keepAlive: true, maxSockets: 1, ca });
  const sockets = new Set<Socket>();
  const headers = { authorization: `Bearer ${key}` };
  const get = () =>
    new Promise<number>((resolve, reject) => {
      const request = https.get(`${panel.baseUrl}/settings`, { agent, headers }, (reply) => {
        reply.resume().once('end', () => resolve(reply.statusCode ?? 0));
      });
      request.once('socket', (socket) => sockets.add(socket));
      request.once('error', reject);
    });
  const shown = () => [...sockets].map((socket) => (socket as TLSSocket).getPeerCertificate().fingerprint256);
  return { get, sockets, shown, close: () => agent.destroy() };
}

it('is exchanged under load: connections from before go on, new ones see the new one, none is dropped', async () => {
  await using own = await openOwnPanel();
  const key = await own.newKey('read');
  const port = getPort(own);
  const first = await fingerprintAt(port);
  const kept = Array.from({ length: 4 }, () => keptConnection(own, key));
  let isRunning = true;
  let answered = 0;
  const statuses = new Set<number>();
  const loops = kept.map(async ({ get }) => {
    while (isRunning) {
      statuses.add(await get());
      answered += 1;
      await turn();
    }
  });
  const goesOn = async () => {
    const before = answered;
    await vi.waitFor(() => expect(answered).toBeGreaterThan(before + kept.length), { timeout: 300_000 });
  };
  await goesOn();
  const seen = [first];
  for (let round = 0; round < 3; round += 1) {
    const leaf = await leafFor(90);
    const given = { password: PASSWORD, certificate: leaf.pem, private_key: leaf.key };
    const { status, body } = await own.administrator.call('importCertificate', given);
    expect(status).toBe(200);
    expect(await fingerprintAt(port)).toBe(body.fingerprint);
    seen.push(body.fingerprint);
    await goesOn();
  }
  const renewed = await own.administrator.call('renewCertificate', { password: PASSWORD });
  expect(renewed.body.source).toBe('local');
  expect(await fingerprintAt(port)).toBe(renewed.body.fingerprint);
  seen.push(renewed.body.fingerprint);
  await goesOn();
  isRunning = false;
  await Promise.all(loops);
  expect(new Set(seen).size).toBe(5);
  expect([...statuses]).toEqual([200]);
  expect(kept.map(({ sockets }) => sockets.size)).toEqual([1, 1, 1, 1]);
  expect(new Set(kept.flatMap(({ shown }) => shown()))).toEqual(new Set([first]));
  for (const { close } of kept) close();
});

it('has browsers insist on TLS where others vouch for it, below the secret path alone', async () => {
  await using own = await openOwnPanel();
  const { ca } = own;
  const client = createClient({ baseUrl: own.panel.baseUrl, ca });
  const hsts = async (path: string) =>
    (await client.send({ method: 'GET', path })).headers['strict-transport-security'];
  expect(await hsts('/settings')).toBeUndefined();
  const leaf = await leafFor(90);
  const given = { password: PASSWORD, certificate: leaf.pem, private_key: leaf.key };
  expect((await own.administrator.call('importCertificate', given)).status).toBe(200);
  expect(await hsts('/settings')).toBe('max-age=31536000');
  expect(await hsts(own.panel.panelUrl)).toBe('max-age=31536000');
  expect(await hsts(`${new URL(own.panel.baseUrl).origin}/elsewhere`)).toBeUndefined();
  client.close();
});

it('is left alone by an import that is refused', async () => {
  await using own = await openOwnPanel();
  const leaf = await leafFor(90);
  const other = await leafFor(90);
  const given = { password: PASSWORD, certificate: leaf.pem, private_key: leaf.key };
  const { body: running } = await own.administrator.call('importCertificate', given);
  const ended = await leafFor(-0.5);
  const bad = [
    { ...given, private_key: other.key },
    { ...given, certificate: 'nothing' },
    { ...given, certificate: `${leaf.pem}${other.ca}` },
    { ...given, certificate: ended.pem, private_key: ended.key },
  ];
  for (const each of bad) {
    const refused = await own.administrator.call('importCertificate', each);
    expect([refused.status, refused.problem.detail]).toEqual([422, 'validation']);
  }
  const wrong = await own.administrator.call('importCertificate', { ...given, password: 'wrong' });
  expect(wrong.problem.detail).toBe('wrong_password');
  expect(await fingerprintAt(getPort(own))).toBe(running.fingerprint);
  expect((await own.administrator.call('getCertificates', {})).body.served).toEqual([running]);
});

it('is warned of 30 days before its end, by the list and by the doctor', async () => {
  await using own = await openOwnPanel();
  const warned = async (days: number) => {
    const leaf = await leafFor(days);
    const given = { password: PASSWORD, certificate: leaf.pem, private_key: leaf.key };
    const imported = await own.administrator.call('importCertificate', given);
    const { served } = (await own.administrator.call('getCertificates', {})).body;
    expect(served).toEqual([imported.body]);
    const findings = await examine(own.folder);
    const doctor = findings.find(({ check }) => check === 'imported certificate');
    return [imported.body.warning, imported.body.days_left, doctor?.verdict];
  };
  expect(await warned(31.5)).toEqual([null, 31, 'ok']);
  expect(await warned(29.5)).toEqual(['ends_soon', 29, 'warning']);
});

it('of the links alone is served to them alone, and tells whether phones will take it', async () => {
  await using own = await openOwnPanel();
  const port = await freePort();
  const warnings = async () => (await own.administrator.call('getAddresses', {})).body.warnings;
  expect(await warnings()).toContain('links_own_certificate');
  await own.administrator.call('changeAddresses', { password: PASSWORD, links_port: port, links_host: '127.0.0.1' });
  expect(await warnings()).toContain('links_own_certificate');
  await own.administrator.call('changeAddresses', { password: PASSWORD, public_url: `https://127.0.0.1:${port}` });
  expect(await warnings()).toContain('public_url_own_certificate');
  const before = await fingerprintAt(getPort(own));
  const leaf = await leafFor(90);
  const given = { password: PASSWORD, target: 'links', certificate: leaf.pem, private_key: leaf.key } as const;
  const { body } = await own.administrator.call('importCertificate', given);
  expect([await fingerprintAt(port), await fingerprintAt(getPort(own))]).toEqual([body.fingerprint, before]);
  expect(await warnings()).toEqual([]);
  const outside = createClient({ baseUrl: `https://127.0.0.1:${port}`, ca: leaf.ca });
  expect((await outside.send({ method: 'GET', path: '/' })).status).toBe(404);
  outside.close();
  await own.administrator.call('changeAddresses', { password: PASSWORD, public_url: 'http://links.example' });
  expect(await warnings()).toContain('public_url_http');
});

it('stands, with its vault, in what the doctor says', async () => {
  const keys = mkdtempSync(join(tmpdir(), 'gatehouse-key-'));
  const keyFile = join(keys, 'master.key');
  try {
    await using own = await openOwnPanel({ keyFile });
    const schedule = { every_hours: 24, keep: 3, passphrase: 'a passphrase for this', password: PASSWORD };
    await own.administrator.call('scheduleBackups', schedule);
    const verdicts = async () => {
      const found = new Map((await examine(own.folder, { keyFile })).map(({ check, verdict }) => [check, verdict]));
      return [found.get('certificate'), found.get('secrets')];
    };
    expect(await verdicts()).toEqual(['ok', 'ok']);
    rmSync(keyFile);
    expect(await verdicts()).toEqual(['ok', 'problem']);
    writeFileSync(keyFile, `${Buffer.alloc(32, 1).toString('base64')}\n`, { mode: 0o600 });
    expect(await verdicts()).toEqual(['ok', 'problem']);
  } finally {
    rmSync(keys, { recursive: true, force: true });
  }
});

it('seals the key of its authority where a vault is open, and serves on where it is not', async () => {
  const keys = mkdtempSync(join(tmpdir(), 'gatehouse-key-'));
  const folder = join(keys, 'data');
  const keyFile = join(keys, 'master.key');
  const start = (options: { readonly keyFile?: string }) => openPanel({ folder, port: 0, ...options });
  const served = async (panel: Panel) => (await servedAt(panel.address()?.port ?? 0)).fingerprint256;
  const sealed = await start({ keyFile });
  const first = await served(sealed);
  await sealed.close();
  const names = readdirSync(join(folder, 'tls'));
  expect(names.filter((name) => name.startsWith('ca-key'))).toEqual(['ca-key.sealed']);
  const without = await start({});
  expect(await served(without)).toBe(first);
  await without.close();
  rmSync(keys, { recursive: true, force: true });
});
