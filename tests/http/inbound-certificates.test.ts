// Certificates and keys that the panel makes for connections: given out where apps need them, sealed, renewed, never sent back.
import { X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { certificateMaker } from '../../src/adapters/certificates/connection-certificates.ts';
import { type Issued, issueAuthority, issueLeaf } from '../../src/adapters/certificates/issuer.ts';
import { engineInbound } from '../../src/core/inbounds/inbound-secrets.ts';
import { createTestClock, createTestTimers } from '../support/clock.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';

const NOW = Date.UTC(2026, 10, 20);
const DAY = 86_400_000;
const clock = createTestClock(NOW);
const timers = createTestTimers();
let panel: TestPanel;
let nodeId = 0;
let token = '';
let authority: Issued;
let leaf: Issued;

beforeAll(async () => {
  panel = await startPanel({ clock, timers });
  nodeId = (await panel.act('createNode', { name: 'N', address: 'n.example' })).id;
  const tariff = await panel.act('createTariff', { name: 'T' });
  const { id } = await panel.act('createUser', { name: 'A', tariff_id: tariff.id });
  token = panel.store.users.get(id)?.token ?? '';
  const year = { from: NOW - DAY, to: NOW + 365 * DAY };
  authority = await issueAuthority(year);
  leaf = await issueLeaf(authority, ['own.example'], year);
});
afterAll(() => panel.stop());

let count = 0;
const tls = (more: object = {}) => {
  count += 1;
  return {
    node_id: nodeId,
    tag: `t-${count}`,
    name: 'T',
    protocol: 'trojan' as const,
    security: 'tls' as const,
    port: 2000 + count,
    ...more,
  };
};
const create = async (more: object = {}) => (await panel.full.call('createInbound', tls(more))).body;
const read = async (id: number) => (await panel.full.call('getInbound', { id })).body;
/** What a subscription hands out of a connection. */
const handedOut = (id: number) =>
  panel.core.subscription(token)?.inbounds.find(({ inbound }) => inbound.id === id)?.secrets;
const readCertificate = (id: number) => panel.store.inbounds.get(id)?.certificate ?? null;

describe('a connection with tls', () => {
  it('gets a certificate of the panel for its name, whose digest apps get', async () => {
    const made = await create({ sni: 'a.example' });
    const served = readCertificate(made.id);
    const certificate = new X509Certificate(served?.chain ?? '');
    expect(certificate.subjectAltName).toBe('DNS:a.example');
    expect(made).toMatchObject({
      certificate: null,
      certificate_self_signed: true,
      certificate_sha256: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
      certificate_ends_at: certificate.validToDate.toISOString(),
    });
    expect(handedOut(made.id)).toEqual({
      serverKey: null,
      certificate: served?.chain,
      pin: made.certificate_sha256,
    });
  });

  it('keeps it over changes that do not concern it, and gets another for another name', async () => {
    const made = await create();
    expect(new X509Certificate(readCertificate(made.id)?.chain ?? '').subjectAltName).toBe('DNS:n.example');
    const renamed = (await panel.full.call('updateInbound', { id: made.id, name: 'Renamed' })).body;
    expect(renamed.certificate_sha256).toBe(made.certificate_sha256);
    const moved = (await panel.full.call('updateInbound', { id: made.id, host: 'b.example' })).body;
    expect(moved.certificate_sha256).not.toBe(made.certificate_sha256);
    expect(new X509Certificate(readCertificate(made.id)?.chain ?? '').subjectAltName).toBe('DNS:b.example');
    const plain = { id: made.id, security: 'none' } as const;
    expect((await panel.full.call('updateInbound', plain)).problem.errors?.[0]?.pointer).toBe('#/security');
  });

  it('loses it without tls', async () => {
    const made = await create({ protocol: 'vless' });
    const plain = (await panel.full.call('updateInbound', { id: made.id, security: 'none' })).body;
    expect(plain).toMatchObject({ certificate_sha256: null, certificate_ends_at: null });
    expect(panel.store.sealed.get(`inbound:${made.id}:certificate_key`)).toBeUndefined();
    expect(handedOut(made.id)?.pin).toBeNull();
  });

  it('takes an own one with its key, which is not pinned, and returns to the panel’s', async () => {
    const chain = `${leaf.pem.trim()}\n${authority.pem.trim()}\n`;
    const given = { certificate: `Bag Attributes\n${chain}`, certificate_key: leaf.key };
    const made = await create(given);
    expect(made).toMatchObject({ certificate: chain, certificate_self_signed: false });
    expect(JSON.stringify(made)).not.toContain('PRIVATE');
    expect(handedOut(made.id)).toEqual({ serverKey: null, certificate: null, pin: null });
    // The same again, as a form sends it.
    const same = await panel.full.call('updateInbound', { id: made.id, certificate: chain });
    expect(same.body).toEqual(made);
    const back = (await panel.full.call('updateInbound', { id: made.id, certificate: null })).body;
    expect(back).toMatchObject({ certificate: null, certificate_self_signed: true });
    const again = (await panel.full.call('updateInbound', { id: made.id, ...given })).body;
    expect(again.certificate).toBe(chain);
  });

  it('is refused with a certificate that cannot be served, and every reason is named', async () => {
    const refused = async (more: object) => {
      const { problem } = await panel.full.call('createInbound', tls(more));
      return problem.errors?.map(({ pointer, code }) => `${pointer} ${code}`);
    };
    const total = async () => (await panel.full.call('listInbounds', {})).body.total;
    const before = await total();
    expect(await refused({ certificate: leaf.pem })).toEqual(['#/certificate_key required']);
    expect(await refused({ certificate_key: leaf.key })).toEqual(['#/certificate_key inconsistent']);
    expect(await refused({ certificate: 'x', certificate_key: 'y' })).toEqual([
      '#/certificate not_pem',
      '#/certificate_key unreadable',
    ]);
    expect(await refused({ certificate: leaf.pem, certificate_key: authority.key, path: '/x' })).toEqual([
      '#/path inconsistent',
      '#/certificate_key key_mismatch',
    ]);
    const over = { protocol: 'vless', security: 'none', certificate: leaf.pem, certificate_key: leaf.key };
    expect(await refused(over)).toEqual(['#/certificate inconsistent']);
    expect(await total()).toBe(before);
  });

  it('has its key for the engine alone: in no reply, no event, no audit row and no file', async () => {
    const made = await create({ certificate: leaf.pem, certificate_key: leaf.key });
    const row = panel.store.inbounds.get(made.id);
    if (!row) throw new Error('no connection');
    const { vault } = panel;
    expect(engineInbound({ store: panel.store, vault }, row).certificateKey).toBe(leaf.key);
    const secret = leaf.key.split('\n')[1] ?? '';
    const shown = [
      await panel.act('listAudit', {}),
      (await panel.full.call('listEvents', {})).body,
      (await panel.full.call('listInbounds', {})).body,
    ];
    expect(JSON.stringify(shown)).not.toContain(secret);
    const files = readdirSync(panel.folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
    const bytes = Buffer.concat(files.map(({ parentPath, name }) => readFileSync(join(parentPath, name))));
    expect(bytes.includes(secret)).toBe(false);
  });

  it('gets a new one before the present one ends, and an own one stays', async () => {
    const made = await create();
    const own = await create({ certificate: leaf.pem, certificate_key: leaf.key });
    const end = readCertificate(made.id)?.endsAt ?? 0;
    clock.set(end - 31 * DAY);
    timers.tick();
    expect((await read(made.id)).certificate_sha256).toBe(made.certificate_sha256);
    clock.set(end - 29 * DAY);
    timers.tick();
    await expect.poll(async () => (await read(made.id)).certificate_sha256).not.toBe(made.certificate_sha256);
    expect(readCertificate(made.id)?.endsAt).toBeGreaterThan(end);
    expect((await read(own.id)).certificate_sha256).toBe(own.certificate_sha256);
    const { items } = (await panel.full.call('listEvents', { type: 'inbound.changed' })).body;
    expect(items).toContainEqual(
      expect.objectContaining({
        type: 'inbound.changed',
        changed: ['certificate_ends_at', 'certificate_sha256'],
        data: expect.objectContaining({ inbound_id: made.id }),
      }),
    );
    clock.set(NOW);
  });
});

describe('a certificate that was made while the clock was ahead', () => {
  it('is made again once the clock is right', async () => {
    const made = await create();
    clock.set(NOW + 3650 * DAY);
    timers.tick();
    await expect.poll(async () => (await read(made.id)).certificate_sha256).not.toBe(made.certificate_sha256);
    const ahead = (await read(made.id)).certificate_sha256;
    clock.set(NOW);
    timers.tick();
    await expect.poll(async () => (await read(made.id)).certificate_sha256).not.toBe(ahead);
    const { validFromDate } = new X509Certificate(readCertificate(made.id)?.chain ?? '');
    expect(validFromDate.getTime()).toBeLessThanOrEqual(NOW);
  });
});

describe('a connection with Shadowsocks 2022', () => {
  it('gets a key of the server as long as its cipher takes it, and loses it with the cipher', async () => {
    const shape = { protocol: 'shadowsocks', security: 'none' };
    const made = await create({ ...shape, method: '2022-blake3-aes-256-gcm' });
    const long = handedOut(made.id)?.serverKey ?? '';
    expect(Buffer.from(long, 'base64')).toHaveLength(32);
    await panel.full.call('updateInbound', { id: made.id, method: '2022-blake3-aes-128-gcm' });
    const short = handedOut(made.id)?.serverKey ?? '';
    expect(Buffer.from(short, 'base64')).toEqual(Buffer.from(long, 'base64').subarray(0, 16));
    await panel.full.call('updateInbound', { id: made.id, method: 'aes-256-gcm' });
    expect(handedOut(made.id)?.serverKey).toBeNull();
    expect(panel.store.sealed.get(`inbound:${made.id}:server_key`)).toBeUndefined();
    const other = await create({ ...shape, method: '2022-blake3-aes-256-gcm' });
    expect(handedOut(other.id)?.serverKey).not.toBe(long);
  });
});

describe('where there is no vault', () => {
  it('nothing that needs a key is made, and links go on', async () => {
    await using plain = await startPanel({ clock, vault: 'none' });
    const node = await plain.act('createNode', { name: 'N', address: 'n.example' });
    const at = { ...tls(), node_id: node.id };
    expect((await plain.full.call('createInbound', at)).problem.detail).toBe('vault_unavailable');
    const tariff = await plain.act('createTariff', { name: 'T' });
    const { id } = await plain.act('createUser', { name: 'A', tariff_id: tariff.id });
    const { served } = await certificateMaker.makeSelfSigned('n.example', NOW);
    const [first] = panel.store.inbounds.page({}, 1, 0);
    if (!first) throw new Error('no connection');
    plain.store.write(() => {
      plain.store.inbounds.insert({ ...first, nodeId: node.id, security: 'tls', certificate: served });
      const shadowsocks = { protocol: 'shadowsocks', security: 'none', method: '2022-blake3-aes-128-gcm' } as const;
      plain.store.inbounds.insert({ ...first, nodeId: node.id, ...shadowsocks, tag: 'ss', port: 9, certificate: null });
    });
    const links = plain.core.subscription(plain.store.users.get(id)?.token ?? '')?.inbounds;
    expect(links?.map(({ secrets }) => secrets)).toEqual([
      { serverKey: null, certificate: served.chain, pin: served.sha256 },
      { serverKey: null, certificate: null, pin: null },
    ]);
  });
});

describe('the settings of REALITY', () => {
  it.each<[string, string, boolean]>([
    ['target', 'www.example.org:443', true],
    ['target', '[2001:db8::1]:8443', true],
    ['target', '203.0.113.7:1', true],
    ['target', 'www.example.org', false],
    ['target', 'www.example.org:0', false],
    ['target', 'www.example.org:65536', false],
    ['target', '2001:db8::1:443', false],
    ['target', '[www.example.org]:443', false],
    ['target', 'a b:443', false],
    ['target', '/run/socket', false],
    ['min_client_version', '1.8.0', true],
    ['min_client_version', '26.3.255', true],
    ['min_client_version', '26.3.256', false],
    ['min_client_version', '26.3', false],
    ['min_client_version', 'v1.8.0', false],
  ])('%s: %s is taken: %s', async (member, value, isTaken) => {
    const shape = { protocol: 'vless', security: 'reality', sni: 'a.example', public_key: 'k'.repeat(43) };
    const reply = await panel.full.call('createInbound', tls({ ...shape, [member]: value }));
    if (isTaken) expect(reply.body).toMatchObject({ [member]: value });
    else expect(reply.problem.errors?.[0]?.pointer).toBe(`#/${member}`);
  });
});
