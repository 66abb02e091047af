// Certificates by ACME from a real authority: both challenges, renewal by its advice, failures with their pauses, over restarts.
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { get } from 'node:https';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ownFolder } from '../../src/panel/owned-folder.ts';
import { openPanel, type Panel } from '../../src/panel/panel.ts';
import { createAdministrator } from '../support/administrator.ts';
import { CHEAP_COST } from '../support/cheap-password.ts';
import { freePort } from '../support/free-port.ts';
import { type OwnPanel, openOwnPanel, PASSWORD } from '../support/own-panel.ts';
import { type Pebble, startPebble, whyWithoutPebble } from './pebble.ts';

const NAME = 'panel.example.com';
const HOUR = 3_600_000;
const POLL = { timeout: 120_000, interval: 200 };
const why = whyWithoutPebble();

/** What a handshake at a port shows; null: there was none. */
function shake(port: number, options: { readonly servername?: string; readonly ALPNProtocols?: string[] } = {}) {
  return new Promise<TLSSocket | null>((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options }, () => resolve(socket));
    socket.on('error', () => resolve(null));
  });
}

async function issuerAt(port: number): Promise<string> {
  const socket = await shake(port, { servername: NAME });
  const issuer = socket?.getPeerCertificate().issuer.CN;
  socket?.destroy();
  return String(issuer);
}

/** The header by which a reply has browsers insist on TLS. */
function strictTransportAt(url: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const asked = get(url, { agent: false, rejectUnauthorized: false }, (reply) => {
      reply.resume();
      resolve(reply.headers['strict-transport-security']);
    });
    asked.on('error', reject);
  });
}

/** The same folder again, where the panel was closed. */
async function reopen(former: OwnPanel, port: number): Promise<OwnPanel> {
  const { folder } = former;
  const panel = await openPanel({ folder, port, rateLimit: 0, passwordCost: CHEAP_COST });
  return { ...former, panel, [Symbol.asyncDispose]: () => closeAll(former, panel) };
}

async function closeAll({ administrator, folder }: OwnPanel, panel: Panel): Promise<void> {
  administrator.close();
  await panel.close();
  rmSync(join(folder, '..'), { recursive: true, force: true });
}

const readAcme = async ({ administrator }: OwnPanel) => (await administrator.call('getAcme', {})).body;
const getPort = ({ panel }: OwnPanel) => panel.address()?.port ?? 0;

describe.skipIf(why !== null)(why === null ? 'with Pebble' : `with Pebble (${why})`, () => {
  let own: OwnPanel;
  let pebble: Pebble;
  beforeAll(async () => {
    const opened = await openOwnPanel();
    const { panel, ca } = opened;
    const administrator = createAdministrator(panel.panelUrl, ca, { acceptsAnyCertificate: true });
    await administrator.call('signIn', { name: 'admin', password: PASSWORD });
    own = { ...opened, administrator };
    pebble = await startPebble(getPort(own));
  });
  afterAll(async () => {
    await own[Symbol.asyncDispose]();
    await pebble[Symbol.asyncDispose]();
  });

  const asked = (more: object = {}) => ({
    password: PASSWORD,
    directory_url: pebble.directoryUrl,
    names: [NAME],
    http_port: pebble.httpPort,
    agrees_to_terms: true as const,
    ...more,
  });
  const eventTypes = () => (own.panel.core.eventsAfter(0, 500) ?? []).map(({ type }) => type);

  test('is ordered by HTTP-01, served without a restart, and the port is closed after it', async () => {
    const before = await issuerAt(getPort(own));
    expect(await strictTransportAt(own.panel.panelUrl)).toBeUndefined();
    const { status, body } = await own.administrator.call('setUpAcme', asked());
    expect([status, body.status]).toEqual([200, 'waiting']);
    await expect.poll(async () => (await readAcme(own)).status, POLL).toBe('active');
    expect(await issuerAt(getPort(own))).toMatch(/^Pebble Intermediate/);
    expect(before).not.toMatch(/Pebble/);
    const { served } = (await own.administrator.call('getCertificates', {})).body;
    expect(served.map(({ source, names, warning }) => ({ source, names, warning }))).toEqual([
      { source: 'acme', names: [NAME], warning: null },
    ]);
    // A browser that trusts the authority is content.
    const ca = await pebble.root();
    const trusted = await new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port: getPort(own), servername: NAME, ca }, () => {
        resolve(socket.authorized);
        socket.destroy();
      });
      socket.on('error', reject);
    });
    expect(trusted).toBe(true);
    expect(await strictTransportAt(own.panel.panelUrl)).toBe('max-age=31536000');
    await expect(fetch(`http://127.0.0.1:${pebble.httpPort}/`)).rejects.toThrow();
    const state = await readAcme(own);
    const days = (Date.parse(state.next_order_at ?? '') - Date.now()) / (24 * HOUR);
    expect(days).toBeGreaterThan(30);
    expect(eventTypes()).toContain('certificate.renewed');
  });

  test('its keys are for the owner alone', () => {
    const folder = join(own.folder, 'tls');
    const names = readdirSync(folder).filter((name) => name.startsWith('acme'));
    expect(names).toHaveLength(2);
    for (const name of names) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  });

  test('is not ordered again for what is there, and a restart serves it', async () => {
    const orders = pebble.countRequests('POST /order-plz');
    expect(orders).toBe(1);
    const again = await own.administrator.call('setUpAcme', asked({ email: 'admin@example.com' }));
    expect(again.body.status).toBe('active');
    const { folder, panel } = own;
    const port = getPort(own);
    const { fingerprint } = (await own.administrator.call('getCertificates', {})).body.served[0] ?? {};
    await panel.close();
    const second = await openPanel({ folder, port, rateLimit: 0, passwordCost: CHEAP_COST });
    try {
      const socket = await shake(port);
      expect(socket?.getPeerCertificate().fingerprint256).toBe(fingerprint);
      socket?.destroy();
      expect(second.core.settings().acme?.email).toBe('admin@example.com');
      await expect.poll(() => second.core.settings().acmeState.polledAt, POLL).not.toBeNull();
      expect(pebble.countRequests('POST /order-plz')).toBe(orders);
    } finally {
      await second.close();
    }
    own = await reopen(own, port);
  });

  test('is renewed when the authority advises it, and the account stays', async () => {
    const chain = readFileSync(join(own.folder, 'tls', 'acme.pem'), 'utf8').replace(/^[\s\S]*?(?=-----BEGIN CERT)/, '');
    const [leaf = ''] = chain.match(/-----BEGIN CERT[\s\S]*?-----END CERTIFICATE-----\n?/) ?? [];
    const past = (hours: number) => new Date(Date.now() - hours * HOUR).toISOString();
    await pebble.adviseRenewal(leaf, { start: past(2), end: past(1) });
    const before = (await own.administrator.call('getCertificates', {})).body.served[0]?.fingerprint;
    const port = getPort(own);
    await own.panel.close();
    // Asked six hours ago, as far as it remembers.
    const owned = ownFolder(own.folder, 'serve');
    const { acmeState } = owned.store.settings.get();
    owned.store.write(() => owned.store.settings.set({ acmeState: { ...acmeState, polledAt: 0 } }));
    owned.close();
    own = await reopen(own, port);
    const shown = async () => {
      const socket = await shake(port);
      const { fingerprint256 } = socket?.getPeerCertificate() ?? {};
      socket?.destroy();
      return fingerprint256;
    };
    await expect.poll(shown, POLL).not.toBe(before);
    await expect.poll(async () => (await readAcme(own)).status, POLL).toBe('active');
    expect(pebble.countRequests('POST /order-plz')).toBe(2);
  });

  test('is ordered by TLS-ALPN-01 on the port of the panel, which goes on for others, by another account where the key of the one is damaged', async () => {
    const folder = join(own.folder, 'tls');
    const account = readdirSync(folder).find((name) => name.startsWith('acme-account-')) ?? '';
    writeFileSync(join(folder, account), 'damaged');
    const names = ['alpn.example.com', 'second.example.com'];
    let isRunning = true;
    const issuers = new Set<string>();
    const others = (async () => {
      while (isRunning) issuers.add(await issuerAt(getPort(own)));
    })();
    await own.administrator.call('setUpAcme', asked({ names, challenge: 'tls-alpn-01' }));
    await expect.poll(async () => (await readAcme(own)).status, POLL).toBe('active');
    isRunning = false;
    await others;
    expect((await own.administrator.call('getCertificates', {})).body.served[0]?.names).toEqual(names);
    for (const issuer of issuers) expect(issuer).toMatch(/^Pebble Intermediate/);
    const aside = readdirSync(folder).filter((name) => name.startsWith('set-aside-') && name.endsWith(account));
    expect(aside.map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual(['damaged']);
    // Without a challenge it is a protocol that is not spoken.
    expect(await shake(getPort(own), { servername: names[0] ?? '', ALPNProtocols: ['acme-tls/1'] })).toBeNull();
    expect(await shake(getPort(own), { servername: NAME, ALPNProtocols: ['acme-tls/1', 'http/1.1'] })).toBeNull();
  });

  test('where names lead nowhere, it says so in the words of the authority, waits, and serves the old one', async () => {
    await pebble.resolve(false);
    const before = await issuerAt(getPort(own));
    const orders = pebble.countRequests('POST /order-plz');
    await own.administrator.call('setUpAcme', asked({ names: ['nowhere.example.com'] }));
    await expect.poll(async () => (await readAcme(own)).status, POLL).toBe('failing');
    const { failure, failures, next_order_at } = await readAcme(own);
    expect(failure).toMatchObject({ code: 'refused', name: 'nowhere.example.com' });
    expect(failure?.detail).toMatch(/nowhere\.example\.com/);
    expect(failures).toBe(1);
    expect(Date.parse(next_order_at ?? '') - Date.now()).toBeGreaterThan(9 * 60_000);
    expect(await issuerAt(getPort(own))).toBe(before);
    expect(eventTypes()).toContain('certificate.failed');

    // A restart is no way around the pause, and repeating by hand ends at the limit of an hour.
    const port = getPort(own);
    await own.panel.close();
    own = await reopen(own, port);
    expect((await readAcme(own)).next_order_at).toBe(next_order_at);
    expect(pebble.countRequests('POST /order-plz')).toBe(orders + 1);
    await pebble.resolve(true);
    await own.administrator.call('retryAcme', {});
    const { next_order_at: next } = await readAcme(own);
    expect(Date.parse(next ?? '') - Date.now()).toBeGreaterThan(30 * 60_000);
  });

  test('turned off, the local one is served, and nothing of it stays but the account', async () => {
    const { body } = await own.administrator.call('turnOffAcme', { password: PASSWORD });
    expect(body).toMatchObject({ settings: null, status: 'off', not_after: null });
    expect(await issuerAt(getPort(own))).not.toMatch(/Pebble/);
    expect(readdirSync(join(own.folder, 'tls'))).not.toContain('acme.pem');
  });
});

test('a port that is taken costs no order, and a key of the own authority ends ACME', async () => {
  const taken = createServer().listen(0, '::');
  await using own = await openOwnPanel();
  try {
    const http_port = (taken.address() as { port: number }).port;
    const directory_url = `https://127.0.0.1:${await freePort()}/dir`;
    const input = { password: PASSWORD, names: [NAME], directory_url, agrees_to_terms: true as const };
    await own.administrator.call('setUpAcme', { ...input, http_port });
    await expect.poll(async () => (await readAcme(own)).failure?.code, POLL).toBe('port_in_use');
    await own.administrator.call('setUpAcme', { ...input, challenge: 'tls-alpn-01' });
    await expect.poll(async () => (await readAcme(own)).failure?.code, POLL).toBe('unreachable');
    await own.administrator.call('renewCertificate', { target: 'links', password: PASSWORD });
    expect((await readAcme(own)).settings?.targets).toEqual(['panel']);
    await own.administrator.call('renewCertificate', { target: 'panel', password: PASSWORD });
    expect((await readAcme(own)).status).toBe('off');
    const refused = await own.administrator.call('setUpAcme', { ...input, names: ['*.example.com', '10.0.0.1'] });
    expect(refused.problem.errors?.map(({ pointer }) => pointer)).toEqual(['#/names/0', '#/names/1']);
  } finally {
    taken.close();
  }
});
