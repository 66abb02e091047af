// Links from a node's machine: what the panel serves, byte for byte, also while the panel is away; and nothing else.
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:https';
import { type ListenOptions, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { issueSelfSigned } from '../../src/adapters/certificates/issuer.ts';
import { dropLinks, serveLinks, setLinks } from '../../src/agent/links.ts';
import { examineMachine, joinMachine, leaveMachine, runMachine } from '../../src/agent/machine.ts';
import { DEFAULT_SUBSCRIPTION_HEADERS } from '../../src/contract/subscription/headers.ts';
import { KNOWN_APPS } from '../../src/domain/subscription/known-apps.ts';
import { createTestClock, createTestTimers } from '../support/clock.ts';
import { createFakeMachine } from '../support/fake-engine.ts';
import { freePort } from '../support/free-port.ts';
import { createClient } from '../support/http-client.ts';
import { createTestLog } from '../support/log.ts';
import { noLease } from '../support/node-lease.ts';
import { realLooking } from '../support/node-machine.ts';
import { openOwnPanel, PASSWORD } from '../support/own-panel.ts';
import { PLAIN_RULE } from '../support/plain-rule.ts';

const HOST = '127.0.0.1';
const NAME = 'links.example.com';
const DAY_MS = 86_400_000;
const POLLED = { timeout: 90_000, interval: 50 };
const FORMATS = ['links', 'plain', 'mihomo', 'sing-box', 'xray', 'html'];

const RULES = [
  { ...PLAIN_RULE, name: 'None', apps: ['curl/*'], action: 'refuse' as const },
  { ...PLAIN_RULE, id: 2, apps: ['Happ/*'], format: 'xray' as const, headers: [{ name: 'x-rule', value: 'happ' }] },
  { ...PLAIN_RULE, id: 4, apps: ['SFA/*'], template: 'iran' },
  { ...PLAIN_RULE, id: 3, apps: ['v2rayN/*'], action: 'explain' as const, text: 'Install Happ' },
];
const OWN_TEMPLATE = {
  id: null,
  name: 'Own',
  mihomo: 'log-level: info\nproxy-groups: [{name: Own, type: select, proxies: ["{all}"]}]',
  sing_box: '',
  xray: '{"log":{"loglevel":"error"},"outbounds":[{"tag":"direct","protocol":"freedom"}]}',
};
const HEADERS = {
  ...DEFAULT_SUBSCRIPTION_HEADERS,
  happ_routing: 'happ://routing/onadd/e30=',
  v2raytun_routing: 'e30=',
};

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-links-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Reply {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** Asks at a port, whatever the address names. */
function sendRequest(
  port: number,
  path: string,
  host = HOST,
  more: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: HOST, port, path, agent: false, rejectUnauthorized: false, headers: { host, ...more } },
      (reply) => {
        const parts: Buffer[] = [];
        reply.on('data', (part: Buffer) => parts.push(part));
        reply.on('end', () => {
          const { date: _date, 'x-request-id': _id, 'set-cookie': _cookie, ...headers } = reply.headers;
          resolve({ status: reply.statusCode, headers, body: Buffer.concat(parts).toString() });
        });
      },
    );
    sent.on('error', reject).end();
  });
}

async function newCertificate(names: readonly string[], days = 60) {
  const now = Date.now();
  const { key, pem } = await issueSelfSigned(names, { from: now - DAY_MS, to: now + days * DAY_MS });
  return { key, chain: pem };
}

it('are those of the panel while it is away, and a reissued one is dead after the next contact', async () => {
  await using own = await openOwnPanel({ keyFile: join(folder, 'master.key'), pollEveryMs: 100 });
  const { administrator, panel, newKey, ca } = own;
  const api = createClient({ baseUrl: panel.baseUrl, key: await newKey('full'), ca });
  const { id: nodeId } = (await administrator.call('createNode', { name: 'Far', address: HOST })).body;
  const inbound = { node_id: nodeId, tag: 'in', name: 'In', protocol: 'vless', port: 443 } as const;
  await api.call('createInbound', inbound);
  const { id: tariff_id } = (await api.call('createTariff', { name: 'Plan', traffic_limit: 10_000, device_limit: 3 }))
    .body;
  const hosts = [
    {
      name: '{{USERNAME}} | {{DAYS_LEFT}} d | {{TRAFFIC_LEFT}}',
      address: 'cdn.example.com',
      security: 'tls',
      weight: 3,
    },
    { address: '203.0.113.7', port: 8443, tariffs: [tariff_id] },
    { name: 'VIP {{STATUS:ACTIVE=✅|LIMITED=🪫}}', address: '2001:db8::1', tags: ['vip'] },
    { name: 'for others', tags: ['other'] },
  ] as const;
  const hosted = { ...inbound, tag: 'hosted', network: 'ws', port: 8080, hosts, host_order: 'weighted' } as const;
  await api.call('createInbound', structuredClone(hosted) as never);
  const { id, sub_url } = (await api.call('createUser', { name: 'Anna', tariff_id, tags: ['vip'] })).body;
  await administrator.call('saveSubscriptionRules', { items: RULES });
  await administrator.call('saveSubscriptionHeaders', HEADERS);
  await administrator.call('saveSubscriptionTemplate', OWN_TEMPLATE);
  const choices = [{ template: 'own-1', tariffs: [], tags: ['vip'] }];
  await administrator.call('chooseSubscriptionTemplate', { default: 'china', choices });
  const ended = (await api.call('createUser', { name: 'Boris', tariff_id, enabled: false })).body;
  const port = await freePort();
  const { token } = (await administrator.call('inviteNode', { id: nodeId, port, password: PASSWORD })).body;
  const machineFolder = join(folder, 'machine');
  await joinMachine({ folder: machineFolder, token, host: HOST, waiting: () => {} });

  setLinks(machineFolder, { host: HOST, port: 0, ...(await newCertificate([NAME])) });
  expect(statSync(join(machineFolder, 'links.pem')).mode & 0o777).toBe(0o600);
  const fake = createFakeMachine();
  const machine = await runMachine({ folder: machineFolder, host: HOST, engine: realLooking(fake), beatMs: 50 });
  const at = machine.linksPort ?? 0;
  const parsePath = (url: string) => new URL(url).pathname;
  const own443 = panel.address()?.port ?? 0;
  const path = parsePath(sub_url);
  await expect.poll(async () => (await sendRequest(at, path)).status, POLLED).toBe(200);

  for (const format of FORMATS) {
    const wanted = await sendRequest(own443, `${path}?format=${format}`);
    expect([format, wanted.status]).toEqual([format, 200]);
    expect(await sendRequest(at, `${path}?format=${format}`), format).toEqual(wanted);
  }
  expect(KNOWN_APPS.length).toBeGreaterThanOrEqual(50);
  for (const { userAgent } of KNOWN_APPS) {
    const app = { 'user-agent': userAgent, accept: '*/*' };
    const wanted = await sendRequest(own443, path, HOST, app);
    expect([userAgent, wanted.status]).toEqual([userAgent, userAgent.startsWith('curl/') ? 404 : 200]);
    expect(await sendRequest(at, path, HOST, app), userAgent).toEqual(wanted);
  }
  const happ = await sendRequest(at, path, HOST, { 'user-agent': 'Happ/3.21.1' });
  expect(happ.headers).toMatchObject({ routing: HEADERS.happ_routing, 'x-rule': 'happ' });
  expect(JSON.parse(happ.body)).toMatchObject({ log: { loglevel: 'error' } });
  expect((await sendRequest(at, path, HOST, { 'user-agent': 'SFA/1.14.1' })).body).toContain('aparat.com');
  const { body: shown } = await sendRequest(at, `${path}?format=plain`);
  expect(shown.split('\n')).toHaveLength(4);
  expect(decodeURIComponent(shown)).toMatch(/#Anna \| 10 kB\n|#Anna \| 10 kB$/);
  expect(decodeURIComponent(shown)).toContain('#VIP ✅');
  const reason = await sendRequest(own443, `${parsePath(ended.sub_url)}?format=plain`);
  expect(await sendRequest(at, `${parsePath(ended.sub_url)}?format=plain`)).toEqual(reason);
  expect((await sendRequest(at, `${path}?format=plain`, NAME)).status).toBe(200);

  // Whatever leads nowhere at the panel leads nowhere here, and its other doors are not here.
  const nowhere = { status: 404, headers: { 'content-length': '0', connection: 'close' }, body: '' };
  expect(await sendRequest(at, `${path.slice(0, -1)}x`)).toEqual(nowhere);
  expect(await sendRequest(at, path, 'other.example.com')).toEqual(nowhere);
  expect(await sendRequest(at, new URL(`${panel.baseUrl}/users`).pathname)).toEqual(nowhere);
  expect(await sendRequest(at, '/')).toEqual(nowhere);

  // What the machine counts itself is in the link at once; a reissued link is dead once the machine has heard of it.
  const former = async () => (await administrator.call('getFormerLink', { id })).body;
  expect(await former()).toEqual({ dead_since: null, nodes: [] });
  const { body: reissued } = await api.call('reissueUser', { id });
  const next = parsePath(reissued.sub_url);
  await expect.poll(async () => (await sendRequest(at, next)).status, POLLED).toBe(200);
  expect(await sendRequest(at, path)).toEqual(nowhere);
  await expect.poll(async () => (await former()).nodes[0]?.dead_since, POLLED).toEqual(expect.any(String));
  expect(await former()).toMatchObject({ dead_since: expect.any(String), nodes: [{ id: nodeId, name: 'Far' }] });
  const last = await sendRequest(own443, `${next}?format=plain`);
  api.close();
  await panel.close();
  expect(await sendRequest(at, `${next}?format=plain`)).toEqual(last);
  fake.move(id, 1, { up: 0, down: 20_000 });
  const userInfo = async () => (await sendRequest(at, `${next}?format=plain`)).headers['subscription-userinfo'];
  await expect.poll(userInfo, POLLED).toBe('upload=0; download=20000; total=20000; expire=0');
  await machine.close();
  await leaveMachine(machineFolder);
  expect(await examineMachine(machineFolder, undefined)).not.toContainEqual(
    expect.objectContaining({ check: 'links' }),
  );
});

/** Serves links from the folder, of a machine without a lease. */
async function serve() {
  const [timers, log] = [createTestTimers(), createTestLog()];
  const served = await serveLinks({ folder, lease: noLease, clock: createTestClock(Date.now()), timers, log });
  if (served === null) throw new Error('no links are served');
  return { served, timers, log };
}

it('are served on a machine without IPv6, too', async () => {
  setLinks(folder, { host: null, port: 0, ...(await newCertificate([NAME])) });
  const { listen } = Server.prototype;
  const listened: unknown[] = [];
  using _listens = vi.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server, ...args: unknown[]) {
    const { host } = args[0] as ListenOptions;
    listened.push(host);
    if (host !== '::') return Reflect.apply(listen, this, args);
    const error = Object.assign(new Error('listen EAFNOSUPPORT'), { code: 'EAFNOSUPPORT' });
    process.nextTick(() => this.emit('error', error));
    return this;
  });
  const { served } = await serve();
  expect(listened).toEqual(['::', '0.0.0.0']);
  expect((await sendRequest(served.port, '/')).status).toBe(404);
  await served.close();
});

it('go on with the certificate that there is while the file of the next one cannot be read', async () => {
  setLinks(folder, { host: HOST, port: 0, ...(await newCertificate([NAME])) });
  const { served, timers, log } = await serve();
  const file = join(folder, 'links.pem');
  rmSync(file);
  mkdirSync(file);
  timers.tick();
  expect(log.lines.join('\n')).toContain('certificate of links not replaced');
  rmSync(file, { recursive: true });
  setLinks(folder, { host: HOST, port: 0, ...(await newCertificate([NAME])) });
  timers.tick();
  expect(log.lines.join('\n')).toContain('certificate of links replaced');
  expect((await sendRequest(served.port, '/')).status).toBe(404);
  await served.close();
});

it('need a certificate that can be served, and say when it ends', async () => {
  const wanted = { host: HOST, port: 8443 };
  const good = await newCertificate([NAME]);
  const { key } = await newCertificate([NAME]);
  expect(() => setLinks(folder, { ...wanted, ...good, key })).toThrow('cannot be served');
  const past = await newCertificate([NAME], -0.5);
  expect(() => setLinks(folder, { ...wanted, ...past })).toThrow('has ended');
  setLinks(folder, { ...wanted, ...good });
  dropLinks(folder);
  dropLinks(folder);
});
