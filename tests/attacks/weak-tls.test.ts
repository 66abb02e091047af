// What a client that wants weak TLS gets: no handshake. Old versions, suites without forward secrecy or AEAD, weak curves, renegotiation.
import 'reflect-metadata';
import { getCurves, webcrypto } from 'node:crypto';
import { type ConnectionOptions, connect, getCiphers, type TLSSocket } from 'node:tls';
import { SubjectAlternativeNameExtension, X509CertificateGenerator } from '@peculiar/x509';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { run } from '../../scripts/run.ts';
import { type OwnPanel, openOwnPanel, PASSWORD } from '../support/own-panel.ts';

const OLD_VERSIONS = ['TLSv1', 'TLSv1.1'] as const;
const STRONG_SUITE = /^ecdhe-(?:ecdsa|rsa)-(?:aes(?:128|256)-gcm-sha(?:256|384)|chacha20-poly1305)$/;
/** Of at least 128 bits. OpenSSL's names. */
const STRONG_CURVES: readonly string[] = ['prime256v1', 'secp384r1'];
const SECONDS = 600;

/** The defaults of a client are stricter than an attacker's. */
const WEAK_CLIENT: ConnectionOptions = { host: '127.0.0.1', rejectUnauthorized: false, minVersion: 'TLSv1' };

/** A leaf with an RSA key, which alone can be used for RSA key exchange. */
async function rsaLeaf() {
  const algorithm = {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
  };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: 'CN=attacked',
    notBefore: new Date(Date.now() - 3_600_000),
    notAfter: new Date(Date.now() + 86_400_000 * 90),
    keys,
    signingAlgorithm: algorithm,
    extensions: [new SubjectAlternativeNameExtension([{ type: 'ip', value: '127.0.0.1' }])],
  });
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  const body = der.toString('base64').replace(/.{64}/g, '$&\n');
  return {
    certificate: certificate.toString('pem'),
    private_key: `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----\n`,
  };
}

/** The socket after its handshake, or null where there was none. */
function shake(port: number, options: ConnectionOptions): Promise<TLSSocket | null> {
  return new Promise((resolve) => {
    try {
      const socket = connect({ ...WEAK_CLIENT, ...options, port }, () => resolve(socket));
      socket.on('error', () => resolve(null)).on('close', () => resolve(null));
    } catch {
      // OpenSSL itself has no such suite or curve any more.
      resolve(null);
    }
  });
}

async function connects(port: number, options: ConnectionOptions): Promise<boolean> {
  const socket = await shake(port, options);
  socket?.destroy();
  return socket !== null;
}

const noScanner = inject('noScanner');

describe.each(['the certificate of the own authority', 'an imported one with an RSA key'])('with %s', (which) => {
  let own: OwnPanel;
  let port: number;
  beforeAll(async () => {
    own = await openOwnPanel();
    port = own.panel.address()?.port ?? 0;
    if (!which.startsWith('an imported')) return;
    const given = { password: PASSWORD, ...(await rsaLeaf()) };
    expect((await own.administrator.call('importCertificate', given)).status).toBe(200);
  });
  afterAll(() => own[Symbol.asyncDispose]());

  test('versions before 1.2 are refused', async () => {
    for (const version of OLD_VERSIONS) {
      const options = { maxVersion: version, ciphers: 'ALL:@SECLEVEL=0' };
      expect([version, await connects(port, options)]).toEqual([version, false]);
    }
  });

  test('TLS 1.2 has suites of ephemeral elliptic curves with AEAD alone', async () => {
    const taken: string[] = [];
    for (const suite of getCiphers().filter((name) => !name.startsWith('tls_'))) {
      const ciphers = `${suite.toUpperCase()}:@SECLEVEL=0`;
      if (await connects(port, { maxVersion: 'TLSv1.2', ciphers })) taken.push(suite);
    }
    expect(taken.filter((suite) => !STRONG_SUITE.test(suite))).toEqual([]);
    expect(taken.length).toBeGreaterThanOrEqual(3);
  });

  test('no curve of less than 128 bits is agreed on', async () => {
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      const taken: string[] = [];
      for (const ecdhCurve of getCurves()) {
        if (await connects(port, { minVersion: version, maxVersion: version, ecdhCurve })) taken.push(ecdhCurve);
      }
      expect(taken.filter((curve) => !STRONG_CURVES.includes(curve))).toEqual([]);
      expect(taken).toContain('prime256v1');
    }
  });

  test('a client cannot renegotiate', async () => {
    const socket = await shake(port, { maxVersion: 'TLSv1.2' });
    if (socket === null) throw new Error('no handshake');
    const failure = await new Promise<Error | null>((resolve) => {
      socket.on('error', resolve);
      socket.on('close', () => resolve(new Error('closed')));
      socket.renegotiate({ rejectUnauthorized: false }, resolve);
    });
    socket.destroy();
    expect(failure).not.toBeNull();
  });

  const scans = `sslscan finds nothing weak ${noScanner ?? ''}`.trim();
  test.skipIf(noScanner !== null)(scans, { timeout: SECONDS * 1000 }, async () => {
    const { ok, output } = await run(['sslscan', '--no-colour', `127.0.0.1:${port}`], SECONDS * 1000);
    expect(ok).toBe(true);
    const enabled = output.split('\n').filter((line) => /^(?:SSLv|TLSv).*enabled$/.test(line));
    expect(enabled.map((line) => line.split(' ')[0])).toEqual(['TLSv1.2', 'TLSv1.3']);
    const suites = [...output.matchAll(/^(?:Preferred|Accepted) +(TLSv1\.\d) +\d+ bits +(\S+)/gm)];
    expect(suites.length).toBeGreaterThan(0);
    for (const [, version, name = ''] of suites) {
      expect(name).toMatch(version === 'TLSv1.3' ? /^TLS_(?:AES|CHACHA20)_/ : new RegExp(STRONG_SUITE, 'i'));
    }
    expect(output).not.toMatch(/\d vulnerable to heartbleed|Insecure session renegotiation|Compression enabled/);
  });
});
