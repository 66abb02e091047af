// Who is connected, from the engines themselves, with the configuration that the panel writes: addresses of loopback other than 127.0.0.1,
// which Xray leaves out.
import { mkdtempSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { canReportAddresses } from '../../src/domain/nodes/engine-facts.ts';
import { connectEngine } from '../../src/engines/connector.ts';
import { engineConfigText } from '../../src/engines/engine-config.ts';
import { findProgram } from '../../src/engines/engine-program.ts';
import { type Json, type ServerProgram, TEST_MARK } from '../support/engine-process.ts';
import { freePort } from '../support/free-port.ts';
import { createClient } from '../support/http-client.ts';
import { startNginx, whyWithoutNginx } from '../support/nginx.ts';
import { type OwnPanel, openOwnPanel, PASSWORD } from '../support/own-panel.ts';
import { readLink } from '../support/subscription-samples.ts';
import { getProgramPath, whyWithout } from './found.ts';
import { POLLED } from './panel-traffic.ts';
import { clientConfig, openThrough, startEcho, startProgram } from './real-engine.ts';
import { sampleCredentials, sampleInbound } from './samples.ts';

const USER_ID = 7;
/** Over which a client sends headers. */
const FORGING_NETWORKS = ['ws', 'httpupgrade', 'xhttp'] as const;
type ForgingNetwork = (typeof FORGING_NETWORKS)[number];
const HAS_LOOPBACK_NETWORK = process.platform === 'linux' || process.platform === 'win32';

async function startServer(
  program: ServerProgram,
  network: 'tcp' | ForgingNetwork = 'tcp',
  proxyHeader: string | null = null,
) {
  const [apiPort, port] = [await freePort(), await freePort()];
  const inbound = sampleInbound({ protocol: 'vless', port, network, proxyHeader });
  const user = { userId: USER_ID, credentials: sampleCredentials(1), inbounds: [inbound.id] };
  const spareKey = Buffer.alloc(32, 9).toString('base64');
  const name = program === 'v2ray' ? program : ('xray' as const);
  const start = { name, apiPort, innerPorts: new Map(), ...TEST_MARK, spareKey };
  const config = JSON.parse(engineConfigText({ inbounds: [inbound], blocksPrivate: false }, [user], start)) as Json;
  const engine = await startProgram(program, config);
  const api = connectEngine({ address: '127.0.0.1', port: apiPort });
  return {
    port,
    api,
    async [Symbol.asyncDispose]() {
      api.close();
      await engine[Symbol.asyncDispose]();
    },
  };
}

/** A client of the user that connects from this address. */
async function startClient(
  program: ServerProgram,
  serverPort: number,
  from: string,
  id: string = sampleCredentials(1).uuid,
  streamSettings?: Json,
) {
  const socksPort = await freePort();
  const users = [{ id, encryption: 'none' }];
  const vnext = [{ address: '127.0.0.1', port: serverPort, users }];
  const outbound = { protocol: 'vless', sendThrough: from, settings: { vnext }, streamSettings };
  const client = await startProgram(program, clientConfig(socksPort, outbound));
  return { socksPort, [Symbol.asyncDispose]: () => client[Symbol.asyncDispose]() };
}

for (const program of ['xray', 'xray-new', 'v2ray'] as const) {
  const missing = whyWithout(program);
  const reason = missing ?? (HAS_LOOPBACK_NETWORK ? null : '(127.0.0.2 is not an address of this system)');
  describe.skipIf(reason !== null)(`${program} ${reason ?? ''}`.trim(), () => {
    test('says from how many addresses a user is connected, or that it cannot', async () => {
      await using server = await startServer(program);
      await using echo = await startEcho();
      const isTold = canReportAddresses(await findProgram(getProgramPath(program)));
      expect(isTold).toBe(program !== 'v2ray');
      expect(await server.api.connected()).toEqual(isTold ? new Map() : null);

      const seen = async () =>
        isTold ? (await server.api.connected())?.get(USER_ID)?.map(({ address }) => address) : null;
      await using first = await startClient(program, server.port, '127.0.0.2');
      await using second = await startClient(program, server.port, '127.0.0.3');
      const open = await openThrough(first.socksPort, echo.port);
      expect(await seen()).toEqual(isTold ? ['127.0.0.2'] : null);
      const another = await openThrough(second.socksPort, echo.port);
      expect((await seen())?.toSorted() ?? null).toEqual(isTold ? ['127.0.0.2', '127.0.0.3'] : null);

      open.destroy();
      if (isTold) await expect.poll(seen, { timeout: 20_000 }).toEqual(['127.0.0.3']);
      another.destroy();
      if (isTold) await expect.poll(seen, { timeout: 20_000 }).toBeUndefined();
      expect((await server.api.counters()).users.get(USER_ID)?.up).toBeGreaterThan(0);
    });
  });
}

interface Client {
  readonly from: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The addresses by which a server counts clients that send these headers. */
async function countClients(
  program: 'xray' | 'xray-new',
  network: ForgingNetwork,
  proxyHeader: string | null,
  all: readonly Client[],
  startFront: (port: number) => Promise<AsyncDisposable & { readonly port: number }> = async (port) => ({
    port,
    async [Symbol.asyncDispose]() {},
  }),
) {
  await using server = await startServer(program, network, proxyHeader);
  await using front = await startFront(server.port);
  await using echo = await startEcho();
  await using clients = new AsyncDisposableStack();
  const open: Socket[] = [];
  for (const { from, headers } of all) {
    const stream = { network, [`${network}Settings`]: { path: '/', headers } };
    const client = clients.use(await startClient(program, front.port, from, undefined, stream));
    open.push(await openThrough(client.socksPort, echo.port));
  }
  const seen = (await server.api.connected())?.get(USER_ID)?.map(({ address }) => address);
  for (const socket of open) socket.destroy();
  return seen?.toSorted();
}

for (const program of ['xray', 'xray-new'] as const) {
  const missing = whyWithout(program);
  const reason = missing ?? (HAS_LOOPBACK_NETWORK ? null : '(127.0.0.2 is not an address of this system)');
  describe.skipIf(reason !== null).each(FORGING_NETWORKS)(`${program} over %s ${reason ?? ''}`.trim(), (network) => {
    test.each([null, 'X-Proxy'])(
      'counts four clients as four, whatever address they claim (%s)',
      async (proxyHeader) => {
        const froms = ['127.0.0.10', '127.0.0.11', '127.0.0.12', '127.0.0.13'];
        const all = froms.map((from) => ({ from, headers: { 'X-Forwarded-For': '203.0.113.9' } }));
        expect(await countClients(program, network, proxyHeader, all)).toEqual(froms);
      },
    );

    const PROXY = '127.0.0.10';
    const clients = ['203.0.113.1', '203.0.113.2', '203.0.113.3', '203.0.113.4'];
    test.each([
      ['X-Forwarded-For', clients],
      ['CF-Connecting-IP', clients],
      [null, [PROXY]],
    ])('behind a proxy whose header is %s counts four clients as %j', async (proxyHeader, expected) => {
      const all = clients.map((client) => ({
        from: PROXY,
        headers: { 'X-Forwarded-For': `${client}, 198.51.100.1`, 'CF-Connecting-IP': client },
      }));
      expect(await countClients(program, network, proxyHeader, all)).toEqual(expected);
    });
  });
}

/** As docs/nodes.md has it, for transports of each kind. */
async function startNginxBefore(port: number) {
  const publicPort = await freePort();
  const nginx = await startNginx(
    publicPort,
    `map $http_upgrade $connection_upgrade { default upgrade; '' ''; }
     server {
       listen 127.0.0.1:${publicPort};
       location / {
         proxy_pass http://127.0.0.1:${port};
         proxy_http_version 1.1;
         proxy_set_header Upgrade $http_upgrade;
         proxy_set_header Connection $connection_upgrade;
         proxy_set_header X-Forwarded-For $remote_addr;
         proxy_buffering off;
         proxy_request_buffering off;
       }
     }`,
  );
  return { port: publicPort, [Symbol.asyncDispose]: () => nginx[Symbol.asyncDispose]() };
}

for (const program of ['xray', 'xray-new'] as const) {
  const missing = whyWithout(program) ?? whyWithoutNginx();
  const reason = missing ?? (HAS_LOOPBACK_NETWORK ? null : '(127.0.0.2 is not an address of this system)');
  describe.skipIf(reason !== null).each(FORGING_NETWORKS)(
    `${program} behind a real nginx over %s ${reason ?? ''}`.trim(),
    (network) => {
      const froms = ['127.0.0.10', '127.0.0.11', '127.0.0.12', '127.0.0.13'];
      const forging = froms.map((from) => ({ from, headers: { 'X-Forwarded-For': '203.0.113.9' } }));

      test('counts four clients as four by the header of the proxy, whatever address they claim', async () => {
        expect(await countClients(program, network, 'X-Forwarded-For', forging, startNginxBefore)).toEqual(froms);
      });

      // Xray leaves out 127.0.0.1, from which nginx connects.
      test('counts none of them without it', async () => {
        expect(await countClients(program, network, null, forging, startNginxBefore)).toBeUndefined();
      });
    },
  );
}

/** A panel with a local node of xray, one connection, and one user. */
async function openXrayPanel(own: OwnPanel, fields: { readonly concurrent_limit?: number } = {}) {
  const { administrator, panel, newKey, ca } = own;
  const api = createClient({ baseUrl: panel.baseUrl, key: await newKey('full'), ca });
  await administrator.call('updateSettings', { engine_path: getProgramPath('xray'), password: PASSWORD });
  const node = { name: 'Here', kind: 'local', address: '127.0.0.1', allows_private: true, enabled: false } as const;
  const { id: node_id } = (await administrator.call('createNode', node)).body;
  const port = await freePort();
  const shape = { protocol: 'vless', network: 'tcp', security: 'none' } as const;
  await api.call('createInbound', { ...shape, node_id, tag: 'in', name: 'In', port });
  const { id: tariff_id } = (await api.call('createTariff', { name: 'Unlimited' })).body;
  const { id, sub_url } = (await api.call('createUser', { name: 'Anna', tariff_id, ...fields })).body;
  await administrator.call('updateNode', { id: node_id, enabled: true });
  return { administrator, api, node_id, port, id, sub_url };
}

const missingXray =
  whyWithout('xray') ?? (HAS_LOOPBACK_NETWORK ? null : '(127.0.0.2 is not an address of this system)');
test.skipIf(missingXray !== null)(`a panel says who is connected to its xray ${missingXray ?? ''}`.trim(), async () => {
  const keys = mkdtempSync(join(tmpdir(), 'gatehouse-connected-'));
  try {
    await using own = await openOwnPanel({ keyFile: join(keys, 'master.key'), pollEveryMs: 300 });
    const { api, node_id, port, id, sub_url } = await openXrayPanel(own);
    const read = async () => (await api.call('getUserAddresses', { id })).body;
    await expect.poll(async () => (await read()).concurrent, POLLED).toBe(0);

    const link = (await api.send({ method: 'GET', path: `${sub_url}?format=plain` })).text.trim();
    await using echo = await startEcho();
    await using client = await startClient('xray', port, '127.0.0.2', readLink(link).user);
    const open = await openThrough(client.socksPort, echo.port);
    await expect.poll(async () => (await read()).concurrent, POLLED).toBe(1);
    expect((await read()).addresses).toMatchObject([{ network: '127.0.*.*', node_id, connected: true }]);
    expect((await api.call('getNode', { id: node_id })).body.addresses_online).toBe(1);

    open.destroy();
    await expect.poll(async () => (await read()).concurrent, POLLED).toBe(0);
    expect((await read()).addresses).toMatchObject([{ network: '127.0.*.*', connected: false }]);
    api.close();
  } finally {
    rmSync(keys, { recursive: true, force: true });
  }
});

test.skipIf(missingXray !== null)(
  `a panel cuts a user of xray off who opens connections from too many addresses ${missingXray ?? ''}`.trim(),
  async () => {
    const keys = mkdtempSync(join(tmpdir(), 'gatehouse-connected-'));
    try {
      await using own = await openOwnPanel({ keyFile: join(keys, 'master.key'), pollEveryMs: 300 });
      const { administrator, api, node_id, port, id, sub_url } = await openXrayPanel(own, { concurrent_limit: 1 });
      await administrator.call('updateSettings', { cut_off_concurrent: true });
      const link = (await api.send({ method: 'GET', path: `${sub_url}?format=plain` })).text.trim();
      const { user } = readLink(link);
      await using echo = await startEcho();
      await using first = await startClient('xray', port, '127.0.0.2', user);
      await using second = await startClient('xray', port, '127.0.0.3', user);
      const isServed = async (socksPort: number) => {
        const open = await openThrough(socksPort, echo.port).catch(() => null);
        open?.destroy();
        return open !== null;
      };
      const excess = async () => (await api.call('getUser', { id })).body.concurrent_excess;
      const isCutOff = async () => {
        for (const { socksPort } of [first, second]) await isServed(socksPort);
        return (await excess())?.cut_off_until != null;
      };
      // Xray has the moments of openings in whole seconds.
      await expect.poll(isCutOff, POLLED).toBe(true);
      expect(await excess()).toMatchObject({ addresses: 2 });
      const { items } = (await api.call('listEvents', { type: 'user.concurrent_exceeded' })).body;
      expect(items.map(({ data }) => data)).toMatchObject([{ user_id: id, addresses: 2, concurrent_limit: 1 }]);
      expect((await api.call('getNode', { id: node_id })).body.last_restart).toBeNull();

      await expect.poll(() => isServed(first.socksPort), POLLED).toBe(false);
      await api.call('updateUser', { id, concurrent_limit: null });
      await expect.poll(() => isServed(first.socksPort), POLLED).toBe(true);
      api.close();
    } finally {
      rmSync(keys, { recursive: true, force: true });
    }
  },
);
