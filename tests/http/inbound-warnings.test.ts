// What may keep users from connecting is said of a connection: when it is written, and as time passes. It refuses nothing.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { certificateMaker } from '../../src/adapters/certificates/connection-certificates.ts';
import { systemTimers } from '../../src/adapters/clock.ts';
import { nodeCrypto } from '../../src/adapters/crypto.ts';
import { createTargetProbe } from '../../src/adapters/target-probe.ts';
import { createTestClock } from '../support/clock.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';

const NOW = Date.UTC(2026, 10, 20);
const DAY = 86_400_000;
const SITE = 'site.example';
const clock = createTestClock(NOW);
let panel: TestPanel;
let site: Server;
let sitePort = 0;
let asked = 0;
let nodeId = 0;
const [isAsked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];

beforeAll(async () => {
  const { key, served } = await certificateMaker.makeSelfSigned(SITE, Date.now());
  // All it should be, but for the port.
  site = createServer({ key, cert: served.chain, ALPNProtocols: ['h2'] });
  site.on('connection', () => {
    asked += 1;
  });
  site.listen(0, '127.0.0.1');
  await once(site, 'listening');
  sitePort = (site.address() as AddressInfo).port;
  const targetProbe = createTargetProbe({
    timers: systemTimers,
    resolve: async (host) => {
      if (host === 'nowhere.example') return [];
      if (host === 'slow.example') {
        isAsked.resolve();
        await answer.promise;
      }
      return [{ address: '127.0.0.1', family: 4 }];
    },
    isAllowed: (address) => address === '127.0.0.1',
  });
  panel = await startPanel({ clock, targetProbe });
  nodeId = (await panel.act('createNode', { name: 'N', address: 'n.example' })).id;
});
afterAll(async () => {
  await panel.stop();
  site.close();
});

let count = 0;
const create = async (more: object = {}) => {
  count += 1;
  const input = { node_id: nodeId, tag: `w-${count}`, name: 'W', protocol: 'vless' as const, port: 3000 + count };
  return (await panel.full.call('createInbound', { ...input, ...more })).body;
};
const reality = (more: object = {}) => {
  const { privateKey } = nodeCrypto.newX25519();
  return create({ security: 'reality', sni: SITE, target: `${SITE}:${sitePort}`, private_key: privateKey, ...more });
};
const update = async (id: number, more: object) => (await panel.full.call('updateInbound', { id, ...more })).body;

describe('the target of REALITY', () => {
  it('is asked when a connection is made, and what it lacks is said and stays', async () => {
    const good = await reality();
    expect(good.warnings).toEqual(['target_port']);
    const other = await reality({ sni: 'other.example' });
    expect(other.warnings).toEqual(['target_other_name', 'target_port']);
    expect((await panel.full.call('getInbound', { id: other.id })).body.warnings).toEqual(other.warnings);
    const list = await panel.full.call('listInbounds', { limit: 500 });
    expect(list.body.items.find(({ id }) => id === other.id)?.warnings).toEqual(other.warnings);
  });

  it('is asked again when a change names it, and only then', async () => {
    const made = await reality({ target: 'nowhere.example:443' });
    expect(made.warnings).toEqual(['target_unreachable']);
    const before = asked;
    const renamed = await update(made.id, { name: 'Renamed', min_client_version: '1.8.0' });
    expect(renamed.warnings).toEqual(['target_unreachable']);
    expect(asked).toBe(before);
    const mended = await update(made.id, { target: `${SITE}:${sitePort}` });
    expect(mended.warnings).toEqual(['target_port']);
    expect(asked).toBe(before + 1);
    const plain = { security: 'none', sni: null, target: null, short_id: null, min_client_version: null };
    expect((await update(made.id, { ...plain, public_key: null })).warnings).toEqual(['unencrypted']);
    expect(panel.store.inbounds.get(made.id)?.targetFindings).toBeNull();
  });

  it('holds up no other write while it does not answer', async () => {
    const writing = reality({ target: `slow.example:${sitePort}` });
    await isAsked.promise;
    expect((await panel.act('updateNode', { id: nodeId, name: 'N2' })).name).toBe('N2');
    answer.resolve();
    expect((await writing).warnings).toEqual(['target_port']);
  });
});

describe('other warnings', () => {
  it('follow the address, of the connection or of its node', async () => {
    const made = await create();
    expect(made.warnings).toEqual(['unencrypted']);
    expect((await update(made.id, { host: '192.168.1.7' })).warnings).toEqual([]);
  });

  it('follow the time, for a certificate', async () => {
    const made = await create({ protocol: 'vmess', security: 'tls' });
    expect(made.warnings).toEqual(['certificate_not_pinned']);
    const stored = panel.store.inbounds.get(made.id);
    if (!stored?.certificate) throw new Error('There is a certificate.');
    panel.store.inbounds.save({ ...stored, certificate: { ...stored.certificate, endsAt: NOW + DAY } });
    const soon = await panel.full.call('getInbound', { id: made.id });
    expect(soon.body.warnings).toEqual(['certificate_ends_soon', 'certificate_not_pinned']);
  });

  it('are not for a Read key', async () => {
    const { body } = await panel.read.call('listInbounds', { limit: 500 });
    expect(body.items.length).toBeGreaterThan(0);
    expect(body.items.every((item) => !('warnings' in item))).toBe(true);
  });
});
