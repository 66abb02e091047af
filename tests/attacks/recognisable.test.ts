// What a stranger without the secret path learns of the machine: the same reply for everything, and a certificate without a telling name.
import { mkdtempSync, rmSync } from 'node:fs';
import { hostname, networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { expect, test } from 'vitest';
import { openPanel } from '../../src/panel/panel.ts';
import { BOT_TOKEN, openBotApi } from '../support/bot-api.ts';
import { CHEAP_COST } from '../support/cheap-password.ts';
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
