// What the engine of a node does not know is refused when a connection is written, in words and at the setting.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fixtures, fill } from '../support/fixtures.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';

let panel: TestPanel;
let fixtures: Fixtures;
beforeAll(async () => {
  panel = await startPanel();
  fixtures = await fill(panel);
});
afterAll(() => panel.stop());

let count = 0;
function buildInbound(more: object) {
  count += 1;
  return { name: 'C', protocol: 'vless', node_id: fixtures.nodeId, tag: `e-${count}`, port: 2000 + count, ...more };
}

/** The node's engine, as if it had last answered so. */
function setEngine(coreName: string | null, coreVersion: string | null): void {
  const { store } = panel;
  const node = store.nodes.get(fixtures.nodeId);
  if (!node) throw new Error('no node');
  store.write(() => store.nodes.save({ ...node, coreName, coreVersion }));
}

const XHTTP = { network: 'xhttp', security: 'tls' };

it('a connection that v2ray does not know is refused there, and served by Xray', async () => {
  setEngine('v2ray', '4.34.0');
  const { problem } = await panel.full.call('createInbound', buildInbound(XHTTP) as never);
  expect(problem).toMatchObject({ status: 422, detail: 'validation' });
  const message = 'needs XHTTP: Xray 24.11.30 or newer; its node runs v2ray 4.34.0';
  expect(problem.errors).toEqual([{ pointer: '#/network', code: 'not_served', message }]);
  setEngine('xray', '26.3.27');
  expect((await panel.full.call('createInbound', buildInbound(XHTTP) as never)).status).toBe(201);
});

it('a change to what it does not know is refused; what was there before another engine came may stay', async () => {
  setEngine('xray', '26.3.27');
  const { body: inbound } = await panel.full.call('createInbound', buildInbound(XHTTP) as never);
  setEngine('v2ray', '4.34.0');
  const change = (more: object) => panel.full.call('updateInbound', { id: inbound.id, ...more });
  expect((await change({ name: 'Renamed' })).status).toBe(200);
  expect((await change({ enabled: false })).status).toBe(200);
  expect((await change({ enabled: true })).problem.errors).toMatchObject([
    { pointer: '#/network', code: 'not_served' },
  ]);
  expect((await change({ network: 'grpc' })).status).toBe(200);
  expect((await change({ network: 'ws', enabled: true })).status).toBe(200);
  expect((await change({ network: 'grpc' })).problem.errors).toMatchObject([{ pointer: '#/network' }]);
});

it('an engine that has not answered yet refuses nothing', async () => {
  setEngine(null, null);
  expect((await panel.full.call('createInbound', buildInbound(XHTTP) as never)).status).toBe(201);
});
