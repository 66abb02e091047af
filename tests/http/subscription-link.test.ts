// The subscription link over the wire: formats, headers, who may connect, and what is dead from the next request on.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Input } from '../../src/contract/table.ts';
import { createTestClock } from '../support/clock.ts';
import { type Fixtures, fill, NODE_ADDRESS } from '../support/fixtures.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';
import { readLink } from '../support/subscription-samples.ts';

const START = Date.parse('2026-11-20T10:00:00Z');
const MIB = 1_048_576;
const clock = createTestClock(START);

let panel: TestPanel;
let fixtures: Fixtures;
beforeAll(async () => {
  panel = await startPanel({ clock });
  fixtures = await fill(panel);
});
afterAll(() => panel.stop());

/** The link of a user, opened as a client without any key does. */
async function open(id: number, query = '', headers = {}) {
  const { sub_url } = (await panel.full.call('getUser', { id })).body;
  return panel.full.as(null).send({ method: 'GET', path: `${sub_url}${query}`, headers });
}
const parseLinks = (text: string) => text.trim().split('\n').map(readLink);

describe('a link', () => {
  it('gives one share link for each connection, with the user’s own credentials', async () => {
    const { id } = fixtures.users.active;
    const own = panel.store.users.credentials(id);
    const plain = await open(id, '?format=plain');
    const links = parseLinks(plain.text);
    expect(links.map(({ scheme }) => scheme).toSorted()).toEqual(['ss', 'trojan', 'vless', 'vmess']);
    for (const { scheme, user, host, name } of links) {
      expect(user).toContain(scheme === 'vless' || scheme === 'vmess' ? own.uuid : own.password);
      expect([NODE_ADDRESS, 'canary-reality-host.example', 'canary-ws-host.example']).toContain(host);
      expect(name).toMatch(/^Germany \d/);
    }
    const encoded = await open(id);
    expect(Buffer.from(encoded.text, 'base64').toString().trim()).toBe(plain.text.trim());
  });

  it('tells usage and end in its headers', async () => {
    const { id } = fixtures.users.active;
    const { headers } = await open(id);
    const { used_up, used_down, traffic_remaining, expires_at } = (await panel.read.call('getUser', { id })).body;
    const total = used_up + used_down + Number(traffic_remaining);
    const expire = Date.parse(String(expires_at)) / 1000;
    expect(headers['subscription-userinfo']).toBe(
      `upload=${used_up}; download=${used_down}; total=${total}; expire=${expire}`,
    );
    expect(Buffer.from(String(headers['profile-title']).replace('base64:', ''), 'base64').toString()).not.toBe('');
    expect(headers).toMatchObject({
      'profile-update-interval': '12',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(headers['content-disposition']).toMatch(/^attachment; filename=/);
    const unlimited = await panel.act('createUser', { name: 'U', tariff_id: fixtures.tariffs.free });
    expect((await open(unlimited.id)).headers['subscription-userinfo']).toBe('upload=0; download=0; total=0; expire=0');
  });

  it.each(['limited', 'expired', 'disabled'] as const)(
    'of a user who is %s has one entry that says why',
    async (state) => {
      const { id } = fixtures.users[state];
      const [entry, ...others] = parseLinks((await open(id, '?format=plain')).text);
      expect(others).toEqual([]);
      expect(entry?.name.length).toBeGreaterThan(3);
      expect(JSON.stringify(entry)).not.toContain(panel.store.users.credentials(id).uuid);
    },
  );

  it('of a user on hold works: the first connection begins the term', async () => {
    expect(parseLinks((await open(fixtures.users.on_hold.id, '?format=plain')).text)).toHaveLength(4);
  });

  it('leaves out the connections of a node that is drained, unless nothing else would be left', async () => {
    const { id } = fixtures.users.active;
    const far = await panel.act('createNode', { name: 'Far', address: 'far.example' });
    const spare = await panel.act('createInbound', {
      node_id: far.id,
      tag: 'spare',
      name: 'Far 1',
      protocol: 'shadowsocks',
      method: 'chacha20-ietf-poly1305',
      port: 8388,
    });
    const listHosts = async () => parseLinks((await open(id, '?format=plain')).text).map(({ host }) => host);
    expect(await listHosts()).toContain('far.example');
    await panel.act('updateNode', { id: far.id, draining: true });
    expect(await listHosts()).not.toContain('far.example');
    await panel.act('updateUser', { id, inbounds: [spare.id] });
    expect(await listHosts()).toEqual(['far.example']);
    await panel.act('updateUser', { id, inbounds: null });
    await panel.act('deleteInbound', { id: spare.id });
    await panel.act('deleteNode', { id: far.id });
  });

  it('has the connections allowed, and enabled ones only', async () => {
    const [first = 0, second = 0] = fixtures.inboundIds;
    const { id } = await panel.act('createUser', {
      name: 'Some',
      tariff_id: fixtures.tariffs.free,
      inbounds: [first, second],
    });
    const names = async () => parseLinks((await open(id, '?format=plain')).text).map(({ name }) => name);
    expect(await names()).toEqual(['Germany 1', 'Germany 2']);
    await panel.act('updateInbound', { id: second, enabled: false });
    expect(await names()).toEqual(['Germany 1']);
    await panel.act('updateInbound', { id: second, enabled: true });
    await panel.act('updateNode', { id: fixtures.nodeId, enabled: false });
    expect(await names()).toHaveLength(1);
    expect(await names()).not.toContain('Germany 1');
    await panel.act('updateNode', { id: fixtures.nodeId, enabled: true });
    expect(await names()).toEqual(['Germany 1', 'Germany 2']);
  });

  it('has each change of a connection and of its node from the next reply on', async () => {
    const node = await panel.act('createNode', { name: 'Changing', address: 'first.example' });
    const { id: connection } = await panel.act('createInbound', {
      node_id: node.id,
      tag: 'changing',
      name: 'Changing',
      protocol: 'vless',
      port: 8443,
      network: 'ws',
      security: 'tls',
    });
    const { id } = await panel.act('createUser', {
      name: 'Changes',
      tariff_id: fixtures.tariffs.free,
      inbounds: [connection],
    });
    let known = String((await open(id, '?format=plain')).headers.etag);
    const changes: Omit<Input<'updateInbound'>, 'id'>[] = [
      { name: 'Changed' },
      { port: 2053 },
      { network: 'httpupgrade' },
      { path: '/changed' },
      { sni: 'sni.example' },
      { fingerprint: 'firefox' },
      { alpn: ['http/1.1'] },
      { host: 'host.example' },
    ];
    const expectChange = async (of: object) => {
      const reply = await open(id, '?format=plain', { 'if-none-match': known });
      expect(reply.status, JSON.stringify(of)).toBe(200);
      known = String(reply.headers.etag);
      expect((await open(id, '?format=plain', { 'if-none-match': known })).status).toBe(304);
      return reply.text;
    };
    for (const change of changes) {
      await panel.act('updateInbound', { id: connection, ...change });
      await expectChange(change);
    }
    await panel.act('updateInbound', { id: connection, host: null });
    expect(await expectChange({ host: null })).toContain('@first.example:2053');
    await panel.act('updateNode', { id: node.id, address: 'second.example' });
    expect(await expectChange({ address: 'second.example' })).toContain('@second.example:2053');
    await panel.act('deleteUser', { id });
    await panel.act('deleteInbound', { id: connection });
    await panel.act('deleteNode', { id: node.id });
  });

  it('tells what is true in the second it is opened', async () => {
    const end = new Date(START + 1000).toISOString();
    const { id } = await panel.act('createUser', { name: 'Ends', tariff_id: fixtures.tariffs.free, expires_at: end });
    const entries = async () => parseLinks((await open(id, '?format=plain')).text).length;
    clock.set(START + 999);
    expect(await entries()).toBe(4);
    clock.set(START + 1000);
    expect(await entries()).toBe(1);
    clock.set(START);
  });

  it('counts traffic the moment it came in', async () => {
    const { id } = await panel.act('createUser', {
      name: 'Moves',
      tariff_id: fixtures.tariffs.monthly,
      traffic_limit: 10 * MIB,
    });
    panel.move({
      nodeId: fixtures.nodeId,
      total: { up: 1, down: 2 },
      users: [{ userId: id, up: MIB, down: 2 * MIB }],
      inbounds: [],
    });
    const { headers } = await open(id);
    expect(headers['subscription-userinfo']).toContain(`upload=${MIB}; download=${2 * MIB}; total=${10 * MIB};`);
  });

  it('answers HEAD as GET, without a body', async () => {
    const { sub_url } = (await panel.full.call('getUser', { id: fixtures.users.active.id })).body;
    const anyone = panel.full.as(null);
    const [get, head] = [
      await anyone.send({ method: 'GET', path: String(sub_url) }),
      await anyone.send({ method: 'HEAD', path: String(sub_url) }),
    ];
    expect({ status: head.status, text: head.text }).toEqual({ status: 200, text: '' });
    expect(Object.keys(head.headers).toSorted()).toEqual(Object.keys(get.headers).toSorted());
  });

  it('carries neither the secret path nor a key, whatever it is asked', async () => {
    for (const query of ['', '?format=plain', '?format=html', '?format=%00', '?format=a&format=b', '?x=%ff']) {
      const answer = await open(fixtures.users.active.id, query, { accept: 'text/html' });
      expect(answer.status, query).toBe(200);
      expect(`${answer.rawHeaders.join()}${answer.text}`).not.toContain(panel.secretPath);
    }
  });
});

describe('a full disk', () => {
  it('refuses writes, keeps reads and links going, and loses nothing; freed, all goes on', async () => {
    const { id } = fixtures.users.active;
    const before = (await panel.read.call('listUsers', { limit: 500 })).body;
    panel.fillDisk(true);
    let refused = 0;
    for (let count = 0; count < 50; count++) {
      const answer = await panel.full.call('createUser', {
        name: 'full',
        tariff_id: fixtures.tariffs.free,
        note: 'x'.repeat(2000),
      });
      if (answer.status === 507) refused += 1;
      else expect(answer.status).toBe(201);
    }
    expect(refused).toBeGreaterThan(0);
    expect((await panel.read.call('getUser', { id })).status).toBe(200);
    expect((await panel.read.call('getMetrics')).status).toBe(200);
    expect((await open(id)).status).toBe(200);
    panel.fillDisk(false);
    expect((await panel.full.call('createUser', { name: 'freed', tariff_id: fixtures.tariffs.free })).status).toBe(201);
    const after = (await panel.read.call('listUsers', { limit: 500 })).body;
    expect(after.total).toBe(before.total + 50 - refused + 1);
    expect(after.items).toHaveLength(after.total);
  });
});
