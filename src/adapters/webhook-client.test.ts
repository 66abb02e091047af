// The client connects to checked addresses only, verifies certificates, follows no redirects, and is bounded in time and length.
import { once } from 'node:events';
import http, { type RequestListener } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, it, vi } from 'vitest';
import { createTestTimers } from '../../tests/support/clock.ts';
import { issueAuthority, issueLeaf } from './certificates/issuer.ts';
import { systemTimers } from './clock.ts';
import { createWebhookClient } from './webhook-client.ts';

const DAY = 86_400_000;
const LOOPBACK = [{ address: '127.0.0.1', family: 4 }];
const PUBLIC = [{ address: '203.0.114.1', family: 4 }];

async function listen(server: http.Server | https.Server) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
const receive = (listener: RequestListener) => listen(http.createServer(listener));
const request = (url: string, allowPrivate = true) => ({
  url,
  allowPrivate,
  headers: { 'webhook-id': 'evt_1' },
  body: '{}',
});

it('posts the body and gives the status', async () => {
  await using server = await receive((incoming, reply) => {
    const isRight = incoming.method === 'POST' && incoming.headers['webhook-id'] === 'evt_1';
    reply.writeHead(isRight ? 202 : 400, { 'retry-after': '7' }).end();
  });
  const client = createWebhookClient({ timers: systemTimers });
  const outcome = await client.post(request(`http://127.0.0.1:${server.port}/hook`));
  expect(outcome).toEqual({ status: 202, retryAfter: '7' });
  client.close();
  expect(await client.post(request(`http://127.0.0.1:${server.port}/hook`))).toEqual({ error: 'stopped' });
});

it('looks a name up once for each connection, and refuses it with any address that is not allowed', async () => {
  const received = vi.fn();
  await using server = await receive((_incoming, reply) => {
    received();
    reply.end();
  });
  const resolve = vi.fn();
  const client = createWebhookClient({ timers: systemTimers, resolve });
  const url = `https://hook.example:${server.port}/`;
  for (const found of [
    LOOPBACK,
    [...PUBLIC, ...LOOPBACK],
    [{ address: '::ffff:127.0.0.1', family: 6 }],
    [{ address: '169.254.169.254', family: 4 }],
  ]) {
    resolve.mockResolvedValueOnce(found);
    expect(await client.post(request(url, false))).toEqual({ error: 'address_refused' });
  }
  expect(resolve).toHaveBeenCalledTimes(4);
  // If a name's address changes between two look-ups, the connection goes to the checked address.
  resolve.mockResolvedValueOnce(LOOPBACK).mockResolvedValue(PUBLIC);
  const plain = `http://hook.example:${server.port}/`;
  expect(await client.post(request(plain))).toEqual({ status: 200, retryAfter: null });
  expect(resolve).toHaveBeenCalledTimes(5);
  expect(received).toHaveBeenCalledTimes(1);
  client.close();
});

it('does not use the connection of a webhook with private addresses for one without', async () => {
  const { key, pem, ca } = await certificateFor('hook.example');
  await using server = await listen(https.createServer({ key, cert: pem }, (_incoming, reply) => reply.end()));
  const client = createWebhookClient({ timers: systemTimers, ca, resolve: async () => LOOPBACK });
  const url = `https://hook.example:${server.port}/`;
  expect(await client.post(request(url))).toEqual({ status: 200, retryAfter: null });
  expect(await client.post(request(url, false))).toEqual({ error: 'address_refused' });
  client.close();
});

it('refuses a certificate that it cannot verify or that has another name', async () => {
  const { key, pem, ca } = await certificateFor('hook.example');
  await using server = await listen(https.createServer({ key, cert: pem }, (_incoming, reply) => reply.end()));
  const resolve = async () => LOOPBACK;
  const trusting = createWebhookClient({ timers: systemTimers, ca, resolve });
  const strict = createWebhookClient({ timers: systemTimers, resolve });
  expect(await trusting.post(request(`https://hook.example:${server.port}/`))).toMatchObject({ status: 200 });
  expect(await trusting.post(request(`https://other.example:${server.port}/`))).toEqual({ error: 'certificate' });
  expect(await strict.post(request(`https://hook.example:${server.port}/`))).toEqual({ error: 'certificate' });
  trusting.close();
  strict.close();
});

it('says what else went wrong', async () => {
  const closed = await receive(() => undefined);
  await closed[Symbol.asyncDispose]();
  const failing = async () => {
    throw new Error('ENOTFOUND');
  };
  const client = createWebhookClient({ timers: systemTimers, resolve: failing });
  expect(await client.post(request('https://hook.example/', false))).toEqual({ error: 'host_unknown' });
  expect(await client.post(request(`http://127.0.0.1:${closed.port}/`))).toEqual({ error: 'connection' });
  expect(await client.post(request('http://1.1.1.1/', false))).toEqual({ error: 'address_refused' });
  client.close();
});

it('gives up a reply that does not come, and one that does not end', async () => {
  const arrived = Promise.withResolvers<void>();
  await using server = await receive((incoming, reply) => {
    if (incoming.url === '/silent') arrived.resolve();
    else reply.writeHead(200).write('x'.repeat(200_000));
  });
  const timers = createTestTimers();
  const client = createWebhookClient({ timers });
  const silent = client.post(request(`http://127.0.0.1:${server.port}/silent`));
  await arrived.promise;
  timers.expire();
  expect(await silent).toEqual({ error: 'timeout' });
  expect(await client.post(request(`http://127.0.0.1:${server.port}/endless`))).toMatchObject({ status: 200 });
  client.close();
});

it('sends again where the receiver had closed an idle connection', async () => {
  let count = 0;
  await using server = await receive((incoming, reply) => {
    count += 1;
    if (count === 2) incoming.socket.destroy();
    else reply.end();
  });
  const client = createWebhookClient({ timers: systemTimers });
  const url = `http://127.0.0.1:${server.port}/`;
  expect(await client.post(request(url))).toMatchObject({ status: 200 });
  expect(await client.post(request(url))).toMatchObject({ status: 200 });
  expect(count).toBe(3);
  client.close();
});

async function certificateFor(name: string) {
  const validity = { from: Date.now() - DAY, to: Date.now() + DAY };
  const authority = await issueAuthority(validity);
  const { key, pem } = await issueLeaf(authority, [name], validity);
  return { key, pem, ca: authority.pem };
}
