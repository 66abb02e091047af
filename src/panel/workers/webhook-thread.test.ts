// The webhook thread: sends to a real receiver, refuses the same addresses as without a thread, and ends pending requests when it is
// closed.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openLog } from '../../adapters/log.ts';
import type { WebhookClient } from '../../core/ports/webhooks.ts';
import { createWebhookThread } from './webhook-thread.ts';

let server: Server;
let url = '';
let client: WebhookClient;
let received: string[] = [];
let isSilent = false;
beforeEach(async () => {
  received = [];
  isSilent = false;
  server = createServer((request, response) => {
    request.setEncoding('utf8').on('data', (text: string) => received.push(`${request.headers['webhook-id']} ${text}`));
    request.on('end', () => {
      if (!isSilent) response.writeHead(429, { 'Retry-After': '7' }).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  client = createWebhookThread(openLog('stderr', () => {}));
});
afterEach(async () => {
  client.close();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const request = () => ({ url, allowPrivate: true, headers: { 'webhook-id': 'evt_1' }, body: '{"a":1}' });

test('what is posted arrives, and the reply comes back', async () => {
  const [first, second] = await Promise.all([client.post(request()), client.post(request())]);
  expect([first, second]).toEqual(Array(2).fill({ status: 429, retryAfter: '7' }));
  expect(received).toEqual(['evt_1 {"a":1}', 'evt_1 {"a":1}']);
});

test('what may not be connected to is refused here and there', async () => {
  expect(client.isRefused(url, false)).toBe(true);
  expect(await client.post({ ...request(), allowPrivate: false })).toEqual({ error: 'address_refused' });
  expect(received).toEqual([]);
});

test('closing ends a running request, and a later one', async () => {
  isSilent = true;
  const running = client.post(request());
  await expect.poll(() => received.length, { timeout: 20_000 }).toBe(1);
  client.close();
  expect(await running).toEqual({ error: 'stopped' });
  expect(await client.post(request())).toEqual({ error: 'stopped' });
});
