// Certificates of connections: made for any host that a connection can have, and trusted by a client that pins them.
import { createHash, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { certificateMaker } from './connection-certificates.ts';
import { issueAuthority, issueLeaf } from './issuer.ts';

const NOW = Date.now();
const DAY = 86_400_000;
const { makeSelfSigned, isFor, validateCertificate } = certificateMaker;

describe('a self-signed certificate', () => {
  it.each([
    ['de1.example.com', 'DNS:de1.example.com'],
    ['ПРИМЕР.рф', 'DNS:xn--e1afmkfd.xn--p1ai'],
    ['203.0.113.7', 'IP Address:203.0.113.7'],
    ['2001:db8:0::7', 'IP Address:2001:DB8:0:0:0:0:0:7'],
    ['my_pc', 'DNS:server.invalid'],
    [`${'a'.repeat(63)}.${'b'.repeat(63)}.example`, `DNS:${'a'.repeat(63)}.${'b'.repeat(63)}.example`],
  ])('is for %s and no other host', async (host, name) => {
    const { served } = await makeSelfSigned(host, NOW);
    const leaf = new X509Certificate(served.chain);
    expect(leaf.subjectAltName).toBe(name);
    expect(isFor(served, host)).toBe(true);
    expect(isFor(served, 'other.example')).toBe(false);
    expect(served).toMatchObject({ isOwn: false, isSelfSigned: true, endsAt: leaf.validToDate.getTime() });
    expect(served.sha256).toBe(createHash('sha256').update(leaf.raw).digest('hex'));
    expect(served.endsAt - leaf.validFromDate.getTime()).toBeLessThanOrEqual(825 * DAY);
    expect(leaf.ca).toBe(false);
  });

  it('convinces a client that has it, and no other', async () => {
    const { key, served } = await makeSelfSigned('localhost', NOW);
    const server = createServer({ key, cert: served.chain }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const at = { port: (server.address() as AddressInfo).port, host: '127.0.0.1', servername: 'localhost' };
    const client = connect({ ...at, ca: served.chain });
    await once(client, 'secureConnect');
    expect(client.authorized).toBe(true);
    client.destroy();
    const [refusal] = await once(connect(at), 'error');
    expect(refusal).toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    server.close();
  });
});

describe('a given certificate', () => {
  it('is described with its chain, and is not self-signed', async () => {
    const validity = { from: NOW - DAY, to: NOW + DAY };
    const authority = await issueAuthority(validity);
    const leaf = await issueLeaf(authority, ['a.example'], validity);
    const judged = validateCertificate(`${leaf.pem}\n${authority.pem}`, leaf.key, NOW);
    if (!('served' in judged)) throw new Error('refused');
    expect(judged.served).toMatchObject({ isOwn: true, isSelfSigned: false });
    expect(judged.served.chain.match(/BEGIN/g)).toHaveLength(2);
    expect(validateCertificate(leaf.pem, authority.key, NOW)).toMatchObject([
      { member: 'private_key', code: 'key_mismatch' },
    ]);
  });

  it('may be one that was made here', async () => {
    const { key, served } = await makeSelfSigned('a.example', NOW);
    expect(validateCertificate(served.chain, key, NOW)).toMatchObject({ served: { isOwn: true, isSelfSigned: true } });
  });
});
