// A node of the panel's own machine and its inbound come together, or neither of them does.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type OwnPanel, openOwnPanel } from '../support/own-panel.ts';

let keys = '';
beforeEach(() => {
  keys = mkdtempSync(join(tmpdir(), 'gatehouse-key-'));
});
afterEach(() => rmSync(keys, { recursive: true, force: true }));

const WANTED = {
  node_name: 'Here',
  address: 'vpn.example.com',
  tag: 'main',
  name: 'Main',
  protocol: 'vless',
  security: 'reality',
  flow: 'xtls-rprx-vision',
  port: 8443,
  sni: 'a.example',
  fingerprint: 'chrome',
} as const;

async function readAll({ administrator }: OwnPanel) {
  return {
    nodes: (await administrator.call('listNodes', {})).body.items,
    inbounds: (await administrator.call('listInbounds', {})).body.items,
    audited: (await administrator.call('listAudit', {})).body.items.filter(({ action }) => action === 'setUpLocalNode'),
    events: (await administrator.call('listEvents', { after: 0 })).body.items.filter(({ type }) =>
      /^(node|inbound)\./.test(type),
    ),
  };
}

it('has keys that the panel made, and one transaction', async () => {
  await using own = await openOwnPanel({ keyFile: join(keys, 'master.key') });
  const made = await own.administrator.call('setUpLocalNode', WANTED);
  expect(made).toMatchObject({
    status: 201,
    body: {
      has_private_key: true,
      public_key: expect.stringMatching(/^[\w-]{43}$/),
      short_id: expect.stringMatching(/^\w{16}$/),
    },
  });
  const { nodes, inbounds, audited, events } = await readAll(own);
  expect(nodes).toMatchObject([{ name: 'Here', kind: 'local', address: 'vpn.example.com' }]);
  expect(inbounds).toMatchObject([{ id: made.body.id, node_id: nodes[0]?.id }]);
  expect(events.map(({ type }) => type)).toEqual(['node.created', 'inbound.created']);
  expect(new Set(audited.map(({ request_id }) => request_id)).size).toBe(1);
  expect(JSON.stringify(audited)).toContain('"private_key":"given"');
});

it('gives a node that has no inbound yet its first one', async () => {
  await using own = await openOwnPanel({ keyFile: join(keys, 'master.key') });
  const { id } = (await own.administrator.call('createNode', { name: 'N', address: 'n.example', kind: 'local' })).body;
  const tls = { ...WANTED, protocol: 'trojan', security: 'tls', flow: null, sni: null } as const;
  const made = await own.administrator.call('setUpLocalNode', { ...tls, node_id: id });
  expect(made.body).toMatchObject({ node_id: id, certificate_self_signed: true });
  expect((await readAll(own)).nodes).toHaveLength(1);
});

it.each([
  ['the inbound is refused', { sni: null }, 422, 'validation'],
  ['the flow does not go with the network', { network: 'ws' }, 422, 'validation'],
  ['the node to extend is gone', { node_id: 9 }, 422, 'node_not_found'],
] as const)('leaves nothing where %s', async (_why, change, status, detail) => {
  await using own = await openOwnPanel({ keyFile: join(keys, 'master.key') });
  const refused = await own.administrator.call('setUpLocalNode', { ...WANTED, ...change });
  expect(refused.problem).toMatchObject({ status, detail });
  expect(await readAll(own)).toEqual({ nodes: [], inbounds: [], audited: [], events: [] });
});

it('leaves nothing where its keys cannot be sealed', async () => {
  await using own = await openOwnPanel({ keyFile: join(keys, 'missing', 'master.key') });
  const refused = await own.administrator.call('setUpLocalNode', WANTED);
  expect(refused.problem).toMatchObject({ status: 503, detail: 'vault_unavailable' });
  expect(await readAll(own)).toEqual({ nodes: [], inbounds: [], audited: [], events: [] });
});
