// What a stranger learns of the machines: the same reply for everything or none, and certificates without a telling name.
import { spawn } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { hostname, networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import tls from 'node:tls';
import { expect, test } from 'vitest';
import { issueSelfSigned } from '../../src/adapters/certificates/issuer.ts';
import { setLinks } from '../../src/agent/links.ts';
import { joinMachine, runMachine } from '../../src/agent/machine.ts';
import { openPanel } from '../../src/panel/panel.ts';
import { BOT_TOKEN, openBotApi } from '../support/bot-api.ts';
import { CHEAP_COST } from '../support/cheap-password.ts';
import { createFakeMachine } from '../support/fake-engine.ts';
import { freePort } from '../support/free-port.ts';
import { realLooking } from '../support/node-machine.ts';
import { type OwnPanel, openOwnPanel, PASSWORD } from '../support/own-panel.ts';
import { exchangeRaw, requestText } from '../support/raw-socket.ts';
import { openAttacked } from './attacked.ts';

const CONSTANT_REPLY = 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';

test('a wrong link, a wrong path and a wrong secret path are one reply, and the certificate names what is listened on alone', async () => {
  await using attacked = await openAttacked();
  const { panel, ca } = attacked;
  const { hostname: host, port } = new URL(panel.panelUrl);
  const target = { host, port: Number(port), ca };
  const sendRequest = async (path: string) => {
    const reply = await exchangeRaw(target, requestText(`GET ${path} HTTP/1.1`, [`Host: ${host}:${port}`]));
    return reply.replace(/^Date: .*\r\n/m, '');
  };
  const token = 'z'.repeat(43);
  const replies = [
    await sendRequest(`/sub/${token}`),
    await sendRequest(`/sub/${token}?format=links`),
    await sendRequest(`/${token}`),
    await sendRequest(`/${token}/panel/panelState`),
    await sendRequest('/'),
  ];
  expect(new Set(replies).size).toBe(1);
  expect(replies[0]).toBe(CONSTANT_REPLY);

  const socket = tls.connect(target);
  await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
  const chain = socket.getPeerCertificate(true);
  socket.destroy();
  expect(chain.subjectaltname).toBe('IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, DNS:localhost');
  const others = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const known = [hostname(), 'Local CA', 'Gatehouse', ...others.map(({ address }) => address)];
  const names = JSON.stringify([chain.subject, chain.issuer, chain.issuerCertificate.subject]).toLowerCase();
  for (const word of known) expect(names).not.toContain(word.toLowerCase());
});

test('a Mini App is not found at a known path, nor by the address of the machine', async () => {
  await using api = await openBotApi();
  const parent = mkdtempSync(join(tmpdir(), 'gatehouse-scanned-'));
  const panel = await openPanel({
    folder: join(parent, 'data'),
    port: 0,
    plainHttp: true,
    publicUrl: 'https://vpn.gatehouse-demo.org',
    keyFile: join(parent, 'master.key'),
    makesKeyFile: true,
    passwordCost: CHEAP_COST,
  });
  const call = { actor: { kind: 'cli', id: null, name: '', access: 'full' }, requestId: '1', address: null } as const;
  const bot = { token: BOT_TOKEN, api_root: api.root, allow_private: true };
  expect((await panel.core.call('saveBot', bot, call)).body).toMatchObject({ enabled: true });
  const menu = () => api.calls.findLast(({ method }) => method === 'setChatMenuButton')?.given.menu_button;
  await expect.poll(menu, { timeout: 20_000 }).toMatchObject({ type: 'web_app' });
  const url = new URL((menu() as { readonly web_app: { readonly url: string } }).web_app.url);
  const port = panel.address()?.port ?? 0;
  const sendRequest = async (path: string, host: string, method = 'GET') => {
    const headers = [`Host: ${host}`, 'Content-Length: 0', 'Connection: close'];
    const reply = await exchangeRaw({ host: '127.0.0.1', port }, requestText(`${method} ${path} HTTP/1.1`, headers));
    return reply.replace(/^Date: .*\r\n/m, '');
  };
  const scanned = ['/sub/app', '/sub/app/', '/sub/', '/sub', '/app', '/', `/sub/${'z'.repeat(32)}`];
  const here = `127.0.0.1:${port}`;
  const places = [
    ...scanned.map((path) => [path, url.host]),
    ...[...scanned, url.pathname].map((path) => [path, here]),
  ];
  const scan = async (method: string, [path = '', host = '']: readonly string[]) =>
    (await sendRequest(path, host, method)) === CONSTANT_REPLY ? [] : [`${method} ${host} ${path}`];
  const requests = ['GET', 'POST'].flatMap((method) => places.map((place) => scan(method, place)));
  const found = (await Promise.all(requests)).flat();
  console.log(`replies by which a scan finds the panel, with its Mini App: ${found.length}`);
  expect(found).toEqual([]);
  expect(await sendRequest(url.pathname, url.host)).toContain('200 OK');
  await panel.close();
  rmSync(parent, { recursive: true, force: true });
});

/** What OpenSSL says of a listener to whom has no certificate of its own. */
async function inspect(port: number): Promise<string> {
  const child = spawn('openssl', ['s_client', '-connect', `127.0.0.1:${port}`]);
  child.stdin.on('error', () => undefined).end();
  return (await text(child.stdout)) + (await text(child.stderr));
}

/** All that is answered over TLS to whom has no certificate, also halfway through a request. */
function readReply(port: number, request: string): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const socket = tls.connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => socket.write(request));
    socket.on('data', (data: Buffer) => (received += data.toString('latin1')));
    socket.on('error', () => undefined).on('close', () => resolve(received.replace(/^Date: .*\r\n/m, '')));
  });
}

/** Two machines of one panel, of which the first serves links, and a third that waits to be joined; the ports of all listeners. */
async function openFleet(own: OwnPanel, parent: string, closes: (() => Promise<unknown>)[]) {
  const linksPort = await freePort();
  const links = { links_port: linksPort, links_host: '127.0.0.1', password: PASSWORD };
  expect((await own.administrator.call('changeAddresses', links)).status).toBe(200);
  const invite = async (name: string) => {
    const place = { name, kind: 'remote', address: '127.0.0.1' } as const;
    const { id } = (await own.administrator.call('createNode', place)).body;
    const port = await freePort();
    const { token } = (await own.administrator.call('inviteNode', { id, port, password: PASSWORD })).body;
    return { port, token, folder: join(parent, name) };
  };
  const nodes: number[] = [];
  const machineLinks = await freePort();
  const now = Date.now();
  const chain = await issueSelfSigned(['vpn.example.org'], { from: now - 1000, to: now + 86_400_000 });
  for (const name of ['one', 'two']) {
    const { port, token, folder } = await invite(name);
    await joinMachine({ folder, token, host: '127.0.0.1', waiting: () => {} });
    if (name === 'one') setLinks(folder, { host: '127.0.0.1', port: machineLinks, key: chain.key, chain: chain.pem });
    const machine = await runMachine({ folder, host: '127.0.0.1', engine: realLooking(createFakeMachine()) });
    closes.push(machine.close);
    nodes.push(port);
  }
  // Of another panel: this one does not end the wait.
  const waitingPort = await freePort();
  const token = `gn1.${waitingPort}.${'a'.repeat(64)}.${'b'.repeat(64)}`;
  const { promise: isWaiting, resolve: waiting } = Promise.withResolvers<unknown>();
  const joining = joinMachine({ folder: join(parent, 'three'), token, host: '127.0.0.1', waiting, limitMs: 60_000 });
  closes.push(() => joining.then(undefined, () => undefined));
  await isWaiting;
  return { nodes: [...nodes, waitingPort], links: [linksPort, machineLinks] };
}

test('no listener answers a stranger but with the constant reply, and nodes show nothing that they have in common', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'gatehouse-fleet-'));
  await using own = await openOwnPanel({ keyFile: join(parent, 'master.key') });
  const closes: (() => Promise<unknown>)[] = [];
  const { nodes, links } = await openFleet(own, parent, closes);
  const panelPort = Number(new URL(own.panel.panelUrl).port);

  const problems: string[] = [];
  for (const port of [panelPort, ...links, ...nodes]) {
    const reply = nodes.includes(port) ? '' : CONSTANT_REPLY;
    for (const path of ['/', '/sub/app', `/sub/${'z'.repeat(43)}`, '/1/running', '/1/join', '/2/join'])
      for (const headers of [[], ['Expect: 100-continue']])
        for (const method of ['GET', 'POST']) {
          const sent = requestText(`${method} ${path} HTTP/1.1`, [
            `Host: 127.0.0.1:${port}`,
            'Content-Length: 0',
            ...headers,
          ]);
          if ((await readReply(port, sent)) !== reply)
            problems.push(`${nodes.includes(port) ? 'node' : 'panel'} answers ${path}`);
        }
  }
  const shown = await Promise.all(nodes.map(inspect));
  for (const each of shown)
    if (!each.includes('No client certificate CA names sent')) problems.push('a node names an authority');
  const certificates = shown.map((each) => {
    const [pem = ''] = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/.exec(each) ?? [];
    return new X509Certificate(pem);
  });
  for (const { subject, issuer, subjectAltName } of certificates)
    for (const word of [hostname(), 'gatehouse', 'invalid', 'panel'])
      if (`${subject} ${issuer} ${subjectAltName}`.toLowerCase().includes(word.toLowerCase()))
        problems.push(`a node shows ${word}`);
  for (const { subject, issuer } of certificates) if (subject !== issuer) problems.push('a node shows an issuer');
  for (const member of ['subject', 'issuer', 'subjectAltName', 'validFrom', 'validTo', 'serialNumber'] as const)
    if (new Set(certificates.map((each) => each[member])).size < nodes.length) problems.push(`nodes share ${member}`);
  console.log(`marks by which a scan tells nodes of one panel: ${new Set(problems).size}`, [...new Set(problems)]);
  expect(problems).toEqual([]);
  for (const close of closes) await close();
  rmSync(parent, { recursive: true, force: true });
});
