// What the certificates say, as Node's own parser and TLS read them, and when they are renewed.
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer } from 'node:tls';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTestLog } from '../../../tests/support/log.ts';
import { PanelError } from '../../core/kernel/panel-error.ts';
import { newMasterKey, openWith, sealWith } from '../vault/master-key.ts';
import type { AuthoritySealing } from './authority.ts';
import { ensureCertificate } from './certificate.ts';

const DAY = 86_400_000;
const HOSTS = ['localhost', 'tower.local', '127.0.0.1', '::1', '192.168.1.20', '2001:DB8:0::7', 'panel.example.org'];
const start = Date.now();
let now = start;
let folder = '';
beforeEach(() => {
  now = start;
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-tls-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const clock = { now: () => now };
const log = createTestLog();
const parts = (sealing?: AuthoritySealing) => ({ folder, clock, log, sealing });
const ensure = (hosts = HOSTS) => ensureCertificate(parts(), hosts);
const setAsideFiles = () =>
  readdirSync(folder)
    .filter((name) => name.startsWith('set-aside-'))
    .map((name) => name.replace(/^set-aside-[\dT:Z-]+?Z-/, ''))
    .sort();
const days = (certificate: X509Certificate) =>
  (certificate.validToDate.getTime() - certificate.validFromDate.getTime()) / DAY;

describe('the authority', () => {
  test('lasts ten years, signs itself and may sign no further authority', async () => {
    const ca = new X509Certificate((await ensure()).caPem);
    expect(ca.ca).toBe(true);
    expect(ca.verify(ca.publicKey)).toBe(true);
    expect(days(ca)).toBeGreaterThan(3650);
    expect(ca.publicKey.asymmetricKeyDetails?.namedCurve).toBe('prime256v1');
    expect(ca.subject).toMatch(/^CN=[0-9a-f]{16}$/);
  });
});

describe('the leaf', () => {
  test('is for every host and no other, signed by the authority, at most 397 days', async () => {
    const { chain, caPem, fingerprint } = await ensure();
    const leaf = new X509Certificate(chain);
    expect(HOSTS.filter((host) => !leaf.checkHost(host) && !leaf.checkIP(host))).toEqual([]);
    expect(leaf.checkHost('example.org')).toBeUndefined();
    expect(leaf.checkIP('192.168.1.21')).toBeUndefined();
    expect(leaf.verify(new X509Certificate(caPem).publicKey)).toBe(true);
    expect(days(leaf)).toBeLessThanOrEqual(397);
    expect(leaf.ca).toBe(false);
    expect(leaf.subject).toMatch(/^CN=[0-9a-f]{16}$/);
    expect(leaf.fingerprint256).toBe(fingerprint);
  });

  test('leaves out what no certificate can hold', async () => {
    const { chain } = await ensure(['localhost', 'my_pc', 'a b', '']);
    expect(new X509Certificate(chain).subjectAltName).toBe('DNS:localhost');
  });

  test('convinces a client that trusts the authority', async () => {
    const { key, chain, caPem } = await ensure();
    const server = createServer({ key, cert: chain }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', ca: caPem });
    await once(client, 'secureConnect');
    expect(client.authorized).toBe(true);
    client.destroy();
    server.close();
  });
});

describe('the files', () => {
  test.skipIf(process.platform === 'win32')('are for the owner only', async () => {
    await ensure();
    const names = readdirSync(folder).sort();
    expect(names).toEqual(['ca-key.pem', 'ca.pem', 'server-key.pem', 'server.pem']);
    expect(names.map((name) => statSync(join(folder, name)).mode & 0o777)).toEqual([0o600, 0o600, 0o600, 0o600]);
  });

  test('are read again as they are, whatever the order of the hosts', async () => {
    const first = await ensure();
    expect(await ensure([...HOSTS].reverse())).toEqual(first);
  });

  test('get a new leaf of the same authority when an address comes or goes', async () => {
    const first = await ensure();
    const second = await ensure([...HOSTS, '10.0.0.5']);
    expect(second.caPem).toBe(first.caPem);
    expect(second.fingerprint).not.toBe(first.fingerprint);
    expect(new X509Certificate(second.chain).checkIP('10.0.0.5')).toBe('10.0.0.5');
    const third = await ensure();
    expect(new X509Certificate(third.chain).checkIP('10.0.0.5')).toBeUndefined();
  });

  test('get a new leaf 30 days before the old one ends, not earlier', async () => {
    const first = await ensure();
    now = first.endsAt - 31 * DAY;
    expect((await ensure()).fingerprint).toBe(first.fingerprint);
    now = first.endsAt - 29 * DAY;
    const second = await ensure();
    expect(second.endsAt).toBeGreaterThan(first.endsAt);
    expect(second.caPem).toBe(first.caPem);
  });

  test('a leaf never outlives its authority, which stays until it is replaced on request', async () => {
    const first = await ensure();
    const ca = new X509Certificate(first.caPem);
    now = ca.validToDate.getTime() - 60 * DAY;
    const last = await ensure();
    expect(last.endsAt).toBe(ca.validToDate.getTime());
    now = ca.validToDate.getTime() - 10 * DAY;
    expect(await ensure()).toEqual(last);
    now = ca.validToDate.getTime() + DAY;
    expect(await ensure()).toEqual(last);
    const next = await ensureCertificate(parts(), HOSTS, { replacesAuthority: true });
    expect(next.caPem).not.toBe(first.caPem);
    expect(new X509Certificate(next.chain).verify(new X509Certificate(next.caPem).publicKey)).toBe(true);
    expect(setAsideFiles()).toEqual(['ca-key.pem', 'ca.pem', 'server-key.pem', 'server.pem']);
    expect(await ensure()).toEqual(next);
  });

  test.each(['server.pem', 'server-key.pem'])('a damaged %s is replaced', async (name) => {
    const first = await ensure();
    writeFileSync(join(folder, name), readFileSync(join(folder, name), 'utf8').slice(0, 80));
    const second = await ensure();
    expect(second.caPem).toBe(first.caPem);
    expect(second.fingerprint).not.toBe(first.fingerprint);
  });
});

describe('the key of the authority', () => {
  /** A vault that the test opens and closes, and whose key it can replace. */
  function createTestVault() {
    const vault = { key: newMasterKey(), isThere: true, isLasting: true };
    const sealing: AuthoritySealing = {
      isOpen: () => vault.isThere,
      canSeal: () => vault.isThere && vault.isLasting,
      seal: (place, secret) => sealWith(vault.key, 'test', place, secret),
      open(row) {
        const secret = openWith(vault.key, 'test', row);
        if (secret === null) throw new PanelError('vault_unavailable');
        return secret;
      },
    };
    return { vault, sealing };
  }
  const keyFiles = () =>
    readdirSync(folder)
      .filter((name) => name.startsWith('ca-key'))
      .sort();
  const OTHERS = [...HOSTS, '10.0.0.5'];

  test('is sealed once the vault is open with a key that stays, and signs as before', async () => {
    const { vault, sealing } = createTestVault();
    const ensureSealed = (hosts = HOSTS) => ensureCertificate(parts(sealing), hosts);
    vault.isThere = false;
    const first = await ensureSealed();
    vault.isThere = true;
    vault.isLasting = false;
    await ensureSealed();
    expect(keyFiles()).toEqual(['ca-key.pem']);
    const clear = readFileSync(join(folder, 'ca-key.pem'), 'utf8').split('\n')[1] ?? '-';
    vault.isLasting = true;
    expect(await ensureSealed()).toEqual(first);
    expect(keyFiles()).toEqual(['ca-key.sealed']);
    expect(readFileSync(join(folder, 'ca-key.sealed'), 'utf8')).not.toContain(clear);
    expect(statSync(join(folder, 'ca-key.sealed')).mode & 0o077).toBe(0);
    const second = await ensureSealed(OTHERS);
    expect(second.caPem).toBe(first.caPem);
    expect(second.fingerprint).not.toBe(first.fingerprint);
  });

  test('is never in clear on the disk for longer than it takes to seal it, where the vault is open at the first start', async () => {
    const { sealing } = createTestVault();
    await ensureCertificate(parts(sealing), HOSTS);
    expect(keyFiles()).toEqual(['ca-key.sealed']);
  });

  test('is waited for while the vault is closed: the last leaf stays, however old, and the authority is not replaced', async () => {
    const { vault, sealing } = createTestVault();
    const ensureSealed = (hosts = HOSTS, isForced = false) => ensureCertificate(parts(sealing), hosts, { isForced });
    const first = await ensureSealed();
    vault.isThere = false;
    now += 500 * DAY;
    expect(await ensureSealed(OTHERS)).toEqual(first);
    await expect(ensureSealed(OTHERS, true)).rejects.toThrow('vault_unavailable');
    expect(await ensureSealed(OTHERS)).toEqual(first);
    vault.isThere = true;
    const renewed = await ensureSealed(OTHERS);
    expect(renewed.caPem).toBe(first.caPem);
    expect(renewed.endsAt).toBeGreaterThan(now);
  });

  test('is replaced with its authority where the open vault has another key, and set aside', async () => {
    const { vault, sealing } = createTestVault();
    const ensureSealed = () => ensureCertificate(parts(sealing), HOSTS);
    const first = await ensureSealed();
    const former = vault.key;
    vault.key = newMasterKey();
    const second = await ensureSealed();
    expect(second.caPem).not.toBe(first.caPem);
    expect(setAsideFiles()).toEqual(['ca-key.sealed', 'ca.pem', 'server-key.pem', 'server.pem']);
    expect(await ensureSealed()).toEqual(second);
    // The set-aside files work again when restored.
    for (const name of readdirSync(folder).filter((each) => each.startsWith('set-aside-')))
      renameSync(join(folder, name), join(folder, name.replace(/^set-aside-[\dT:Z-]+?Z-/, '')));
    vault.key = former;
    expect(await ensureSealed()).toEqual(first);
  });

  test('stays, with its authority, where it could not be opened for another reason', async () => {
    const { sealing } = createTestVault();
    const first = await ensureCertificate(parts(sealing), HOSTS);
    const broken = {
      ...sealing,
      open() {
        throw new TypeError('a defect');
      },
    };
    await expect(ensureCertificate(parts(broken), HOSTS)).rejects.toThrow('a defect');
    expect(await ensureCertificate(parts(sealing), HOSTS)).toEqual(first);
    expect(setAsideFiles()).toEqual([]);
  });
});

describe('a wrong clock', () => {
  const YEAR = 365.25 * DAY;
  test.each([
    ['2020', () => Date.UTC(2020, 0, 1)],
    ['400 days behind', () => start - 400 * DAY],
    ['an hour and a day behind', () => start - DAY - DAY / 24],
    ['400 days ahead', () => start + 400 * DAY],
    ['3650 days ahead', () => start + 3650 * DAY],
    ['20 years ahead', () => start + 20 * YEAR],
  ])('of %s keeps the authority, and leaves that are in force by the right one', async (_name, wrong) => {
    const first = await ensure();
    const ca = new X509Certificate(first.caPem);
    const isInForce = (chain: string, at: number) => {
      const { validFromDate, validToDate } = new X509Certificate(chain);
      return validFromDate.getTime() <= at && at < validToDate.getTime();
    };
    now = wrong();
    const isOutside = now < ca.validFromDate.getTime() || now >= ca.validToDate.getTime();
    for (const hosts of [HOSTS, [...HOSTS, '10.0.0.5'], [...HOSTS, '10.0.0.6']]) {
      const served = await ensure(hosts);
      expect(served.caPem).toBe(first.caPem);
      expect(await ensure(hosts)).toEqual(served);
      // A clock within the authority's validity is trusted.
      expect(isInForce(served.chain, isOutside ? start : now)).toBe(true);
      const { validFromDate, validToDate } = new X509Certificate(served.chain);
      expect(validFromDate.getTime()).toBeGreaterThanOrEqual(ca.validFromDate.getTime());
      expect(validToDate.getTime()).toBeLessThanOrEqual(ca.validToDate.getTime());
    }
    now = start + DAY;
    const healed = await ensure();
    expect([healed.caPem, isInForce(healed.chain, now)]).toEqual([first.caPem, true]);
    expect(setAsideFiles()).toEqual([]);
  });
});

/** Ways in which a file can be damaged. */
const DAMAGE: Readonly<Record<string, (path: string) => void>> = {
  'cut off': (path) => writeFileSync(path, readFileSync(path).subarray(0, 80)),
  emptied: (path) => writeFileSync(path, ''),
  overwritten: (path) => writeFileSync(path, 'not what it was'),
  'with a changed byte'(path) {
    const bytes = readFileSync(path);
    const middle = bytes.length >> 1;
    bytes[middle] = bytes[middle] === 0x41 ? 0x42 : 0x41;
    writeFileSync(path, bytes);
  },
  missing: (path) => rmSync(path),
};
const AUTHORITY_FILES = ['ca.pem', 'ca-key.pem'] as const;

describe.each(Object.entries(DAMAGE))('a file %s', (_name, damage) => {
  test('ca.pem is restored from the leaf’s chain', async () => {
    const first = await ensure();
    damage(join(folder, 'ca.pem'));
    expect(await ensure()).toEqual(first);
    expect(readFileSync(join(folder, 'ca.pem'), 'utf8')).toBe(first.caPem);
  });

  test.each(AUTHORITY_FILES)('%s: the authority is replaced, nothing is lost, and it is logged', async (name) => {
    const first = await ensure();
    // server.pem holds the only other copy of the authority's certificate.
    rmSync(join(folder, 'server.pem'));
    damage(join(folder, name));
    const left = new Set(readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8')));
    const logged = log.lines.length;
    const second = await ensure();
    expect(second.caPem).not.toBe(first.caPem);
    const now = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    expect([...left].filter((text) => !now.includes(text))).toEqual([]);
    expect(JSON.stringify(log.lines.slice(logged))).toContain('authority replaced');
    expect(await ensure()).toEqual(second);
  });
});

describe.each([...AUTHORITY_FILES, 'server.pem', 'server-key.pem'])('%s that cannot be read', (name) => {
  test('stays, and so does everything else', async () => {
    const first = await ensure();
    const path = join(folder, name);
    const text = readFileSync(path);
    rmSync(path);
    mkdirSync(path);
    const before = readdirSync(folder);
    await expect(ensure()).rejects.toThrow(expect.objectContaining({ code: 'EISDIR', path }));
    expect(readdirSync(folder)).toEqual(before);
    rmSync(path, { recursive: true });
    writeFileSync(path, text, { mode: 0o600 });
    expect(await ensure()).toEqual(first);
  });
});
