// Hosts of inbounds over the API: what is accepted, what links then have, and that a Read key does not see them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixtures, fill } from '../support/fixtures.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';
import { readLink } from '../support/subscription-samples.ts';

let panel: TestPanel;
let fixtures: Fixtures;
let count = 0;

beforeAll(async () => {
  panel = await startPanel();
  fixtures = await fill(panel);
});
afterAll(() => panel.stop());

function newInbound(more: object) {
  count += 1;
  const base = { name: 'DE', protocol: 'vless', network: 'ws', node_id: fixtures.nodeId } as const;
  return { ...base, tag: `h-${count}`, port: 1000 + count, ...more };
}

async function create(more: object) {
  return (await panel.full.call('createInbound', newInbound(more) as never)).body;
}

const BARE = {
  name: null,
  address: null,
  port: null,
  security: null,
  sni: null,
  host_header: null,
  path: null,
  alpn: null,
  fingerprint: null,
  weight: 1,
  tariffs: [],
  tags: [],
  enabled: true,
};

describe('hosts of an inbound', () => {
  it('are stored in order, with what is left out as the inbound has it', async () => {
    const { id, hosts, host_order } = await create({
      hosts: [{ address: 'b.example' }, { address: 'a.example', port: 8443 }],
    });
    const expected = [
      { ...BARE, address: 'b.example' },
      { ...BARE, address: 'a.example', port: 8443 },
    ];
    expect({ hosts, host_order }).toEqual({ hosts: expected, host_order: 'listed' });
    const reordered = (await panel.full.call('updateInbound', { id, hosts: expected.toReversed() })).body;
    expect(reordered.hosts).toEqual(expected.toReversed());
    expect((await panel.full.call('updateInbound', { id, hosts: [] })).body.hosts).toEqual([]);
  });

  it('are entries of a link, each at its own address, for the users they are for', async () => {
    const { monthly, free } = fixtures.tariffs;
    const { id } = await create({
      path: '/ws',
      sni: 'front.example',
      hosts: [
        { name: '{{USERNAME}} CDN', address: 'cdn.example', port: 443, security: 'tls', fingerprint: 'chrome' },
        { address: '203.0.113.7', host_header: 'host.example', path: '/relay', tariffs: [free] },
        { name: 'VIP', address: '2001:db8::1', tags: ['vip'] },
        { name: 'off', enabled: false },
      ],
    });
    const linksOf = async (more: object) => {
      const user = (await panel.full.call('createUser', { name: 'Anna', inbounds: [id], ...more } as never)).body;
      const { text } = await panel.full.send({ method: 'GET', path: `${user.sub_url}?format=plain` });
      return text.trim().split('\n').map(readLink);
    };
    const cdn = {
      name: 'Anna CDN',
      host: 'cdn.example',
      port: 443,
      parameters: { security: 'tls', sni: 'front.example', host: 'front.example', path: '/ws', fp: 'chrome' },
    };
    const relay = {
      name: 'DE',
      host: '203.0.113.7',
      port: 1000 + count,
      parameters: { security: 'none', host: 'host.example', path: '/relay' },
    };
    expect(await linksOf({ tariff_id: monthly })).toMatchObject([cdn]);
    expect(await linksOf({ tariff_id: free, tags: ['vip'] })).toMatchObject([
      cdn,
      relay,
      { name: 'VIP', host: '2001:db8::1' },
    ]);
  });

  it('must go with the inbound, every member named', async () => {
    const key = 'KhJyt0Jafc8s8FA3ByDTPPHrW5qecFf1jDVzL4rpox8';
    const reality = { network: 'tcp', security: 'reality', sni: 'www.example.org', public_key: key };
    const wrong: [object, object, string[]][] = [
      [{ network: 'tcp' }, { path: '/a' }, ['path']],
      [{ network: 'tcp' }, { host_header: 'a.example' }, ['host_header']],
      [{}, { fingerprint: 'chrome', alpn: ['h2'] }, ['alpn', 'fingerprint']],
      [reality, { security: 'tls' }, ['security']],
      [reality, { fingerprint: 'android' }, ['fingerprint']],
      [{ protocol: 'trojan', security: 'tls' }, { security: 'none' }, ['security']],
      [{ protocol: 'wireguard', network: 'udp' }, { sni: 'a.example', security: 'tls' }, ['security', 'sni']],
      [{}, { weight: 0 }, ['weight']],
      [{}, { weight: 1001 }, ['weight']],
      [{}, { port: 0 }, ['port']],
      [{}, { address: 'a:1' }, ['address']],
      [{}, { name: '' }, ['name']],
      [{}, { unknown: 1 }, ['unknown']],
    ];
    for (const [inbound, host, members] of wrong) {
      const { problem } = await panel.full.call(
        'createInbound',
        newInbound({ ...inbound, hosts: [{}, host] }) as never,
      );
      expect(problem, JSON.stringify([inbound, host])).toMatchObject({ status: 422, detail: 'validation' });
      const pointers = members.map((member) => `#/hosts/1/${member}`);
      expect(problem.errors?.map(({ pointer }) => pointer).toSorted()).toEqual(pointers);
    }
  });

  it('may differ from the inbound where it fits: TLS at a CDN, and other names of REALITY', async () => {
    const key = 'KhJyt0Jafc8s8FA3ByDTPPHrW5qecFf1jDVzL4rpox8';
    const tls = { security: 'tls', alpn: ['h2'], fingerprint: 'chrome', host_header: 'a.example', path: '/a' };
    await create({ hosts: [tls] });
    const reality = { network: 'tcp', security: 'reality', sni: 'www.example.org', public_key: key };
    await create({ ...reality, hosts: [{ sni: 'www.example.com', fingerprint: 'firefox' }] });
  });

  it('name plans that exist, or that they named before', async () => {
    const missing = 4_000_000;
    const { id } = await create({});
    const { problem } = await panel.full.call('updateInbound', { id, hosts: [{ tariffs: [missing] }] });
    expect(problem).toMatchObject({
      status: 422,
      detail: 'tariff_not_found',
      errors: [{ pointer: '#/hosts/0/tariffs/0', code: 'tariff_not_found' }],
    });
    const tariff = (await panel.full.call('createTariff', { name: 'Short-lived' })).body;
    const hosts = [{ tariffs: [tariff.id] }];
    await panel.full.call('updateInbound', { id, hosts });
    await panel.full.call('deleteTariff', { id: tariff.id });
    const kept = await panel.full.call('updateInbound', { id, hosts: [...hosts, { address: 'a.example' }] });
    expect(kept.body.hosts?.[0]?.tariffs).toEqual([tariff.id]);
  });

  it('are not on other nodes that get the inbound', async () => {
    const other = await panel.act('createNode', { name: 'Helsinki', address: 'fi.example.com' });
    const { id } = await create({ hosts: [{ address: 'a.example' }] });
    const { items } = (await panel.full.call('placeInbound', { id, node_ids: [fixtures.nodeId, other.id] })).body;
    expect(items.map(({ hosts }) => hosts?.length)).toEqual([1, 0]);
    const [, copy] = items;
    await panel.full.call('updateInbound', { id: copy?.id ?? 0, hosts: [{ address: 'b.example' }] });
    expect((await panel.full.call('getInbound', { id })).body.hosts).toMatchObject([{ address: 'a.example' }]);
  });

  it('are absent for a Read key', async () => {
    const { id } = await create({ hosts: [{ address: 'a.example' }] });
    const read = (await panel.read.call('getInbound', { id })).body;
    expect(read).not.toHaveProperty('hosts');
    expect(read).not.toHaveProperty('host_order');
  });
});
