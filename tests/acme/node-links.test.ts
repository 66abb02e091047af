// Certificates that a node's machine orders for its links from a real authority: both challenges, renewal, failures and what is said of them.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock, systemTimers } from '../../src/adapters/clock.ts';
import { examineLinks, machineCertificate, type NodeLinks, orderLinks, serveLinks } from '../../src/agent/links.ts';
import type { AcmeState } from '../../src/core/ports/acme.ts';
import type { Clock } from '../../src/core/ports/ports.ts';
import { freePort } from '../support/free-port.ts';
import { createTestLog } from '../support/log.ts';
import { noLease } from '../support/node-lease.ts';
import { type Pebble, startPebble, whyWithoutPebble } from './pebble.ts';

const HOST = '127.0.0.1';
const NAME = 'links.example.com';
const DAY_MS = 86_400_000;
const POLL = { timeout: 120_000, interval: 200 };
const why = whyWithoutPebble();

/** The certificate that is served at a port. */
function shownAt(port: number): Promise<{ readonly issuer: string; readonly fingerprint: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: HOST, port, servername: NAME, rejectUnauthorized: false }, () => {
      const { issuer, fingerprint256: fingerprint } = socket.getPeerCertificate();
      socket.destroy();
      resolve({ issuer: String(issuer.CN), fingerprint });
    });
    socket.on('error', reject);
  });
}

describe.skipIf(why !== null)(why === null ? 'links of a machine' : `links of a machine (${why})`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-acme-'));
  const log = createTestLog();
  let pebble: Pebble;
  let port = 0;
  let links: NodeLinks | null = null;
  beforeAll(async () => {
    port = await freePort();
    pebble = await startPebble(port);
  });
  afterAll(async () => {
    await links?.close();
    await pebble[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  const serve = async (clock: Clock = systemClock) => {
    await links?.close();
    links = await serveLinks({ folder, lease: noLease, clock, timers: systemTimers, log });
  };
  const order = (challenge: 'http-01' | 'tls-alpn-01', names: readonly string[] = [NAME]) => {
    const asked = { directory_url: pebble.directoryUrl, names: [...names], challenge, http_port: pebble.httpPort };
    orderLinks(folder, { host: HOST, port }, asked);
  };
  const orders = () => pebble.countRequests('POST /order-plz');
  const stateFile = join(folder, 'links-acme.json');
  const state = () => JSON.parse(readFileSync(stateFile, 'utf8')) as AcmeState;
  /** The next order is by another account, which has no valid authorization: Pebble reuses one in 1 of 100 orders even where told not to. */
  const loseAccount = () => {
    for (const name of readdirSync(folder)) if (name.startsWith('acme-account-')) rmSync(join(folder, name));
  };
  const found = (now = Date.now()) => examineLinks(folder, now);

  test('have a certificate by HTTP-01 without a restart, which is not ordered again for what is there', async () => {
    order('http-01');
    expect(found()).toMatchObject({ daysLeft: null, isLate: false, failure: null });
    await serve();
    expect((await shownAt(port)).issuer).not.toMatch(/Pebble/);
    await expect.poll(async () => (await shownAt(port)).issuer, POLL).toMatch(/^Pebble Intermediate/);
    await expect.poll(() => state().issued?.names, POLL).toEqual([NAME]);
    expect(found()).toMatchObject({ daysLeft: 89, isLate: false, failure: null, isOrdered: true });
    for (const name of ['links.pem', 'links-acme.json']) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    const { fingerprint } = await shownAt(port);
    order('tls-alpn-01');
    await serve();
    await expect.poll(() => state().polledAt, POLL).not.toBeNull();
    expect([orders(), (await shownAt(port)).fingerprint]).toEqual([1, fingerprint]);
  });

  test('are renewed when it is time, by TLS-ALPN-01 on their own port', async () => {
    const { fingerprint } = await shownAt(port);
    await links?.close();
    links = null;
    writeFileSync(stateFile, JSON.stringify({ ...state(), renewAt: 1, polledAt: Date.now() }));
    await serve();
    await expect.poll(async () => (await shownAt(port)).fingerprint, POLL).not.toBe(fingerprint);
    await expect.poll(() => state().failures, POLL).toBe(0);
    expect(orders()).toBe(2);
  });

  test('are renewed also where the key of the account was lost, of which the authority refuses to replace a certificate', async () => {
    const { fingerprint } = await shownAt(port);
    await links?.close();
    links = null;
    loseAccount();
    writeFileSync(stateFile, JSON.stringify({ ...state(), renewAt: 1, polledAt: Date.now() }));
    await serve();
    await expect.poll(async () => (await shownAt(port)).fingerprint, POLL).not.toBe(fingerprint);
    expect([state().failure, orders()]).toEqual([null, 4]);
  });

  test('go on with the old one where a renewal fails, which is said with its reason, and in the log before its end', async () => {
    const { fingerprint } = await shownAt(port);
    await pebble.resolve(false);
    await links?.close();
    links = null;
    loseAccount();
    writeFileSync(stateFile, JSON.stringify({ ...state(), renewAt: 1, polledAt: Date.now() }));
    await serve();
    await expect.poll(() => state().failure?.code, POLL).toBe('refused');
    expect((await shownAt(port)).fingerprint).toBe(fingerprint);
    expect(found()?.failure?.text).toContain(NAME);
    expect((found()?.failure?.nextAt ?? 0) - Date.now()).toBeGreaterThan(9 * 60_000);
    expect(orders()).toBe(6);
    // A restart is no way around the pause.
    await serve();
    expect(orders()).toBe(6);
    expect(log.lines.join('\n')).not.toContain('ends soon');
    const nearEnd = (state().issued?.validity.to ?? 0) - DAY_MS;
    writeFileSync(stateFile, JSON.stringify({ ...state(), notBefore: nearEnd + DAY_MS }));
    await serve({ now: () => nearEnd });
    await expect.poll(() => state().isEndAnnounced, POLL).toBe(true);
    expect(log.lines.join('\n')).toContain('certificate of links was not renewed and ends soon');
    expect(found(nearEnd)).toMatchObject({ daysLeft: 1, isLate: true });
    const endsAt = nearEnd + DAY_MS;
    expect(machineCertificate(folder, nearEnd)).toEqual({ endsAt, isLate: true, failure: 'refused' });
  });
});
