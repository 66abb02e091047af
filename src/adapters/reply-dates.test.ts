// Only the date of a verified HTTPS reply counts as a second opinion on the time.
import { createServer as createPlain, get as getPlain } from 'node:http';
import { Agent, createServer, get } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { certificateMaker } from './certificates/connection-certificates.ts';
import { listenForReplyDates } from './reply-dates.ts';

const NOW = Date.UTC(2031, 4, 1);
let dates: number[] = [];
let stop = () => {};
beforeEach(() => {
  dates = [];
  stop = listenForReplyDates((at) => dates.push(at));
});
afterEach(() => stop());

const fetchFrom = (url: string, options: object) =>
  new Promise<void>((resolve, reject) => {
    get(url, options, (reply) => reply.resume().on('end', resolve)).on('error', reject);
  });

async function serve(date: string | null) {
  const { served, key } = await certificateMaker.makeSelfSigned('127.0.0.1', Date.now());
  const server = createServer({ cert: served.chain, key }, (_request, response) => {
    response.sendDate = false;
    if (date !== null) response.setHeader('date', date);
    response.end('hello');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return { url: `https://127.0.0.1:${port}/`, ca: served.chain, close: () => server.close() };
}

it('is that of a server whose certificate was verified', async () => {
  const { url, ca, close } = await serve(new Date(NOW).toUTCString());
  await fetchFrom(url, { agent: new Agent({ ca }) });
  expect(dates).toEqual([NOW]);
  await fetchFrom(url, { agent: new Agent({ rejectUnauthorized: false }) });
  expect(dates).toEqual([NOW]);
  stop();
  await fetchFrom(url, { agent: new Agent({ ca }) });
  expect(dates).toEqual([NOW]);
  close();
});

it.each([null, 'yesterday', ''])('is not one that makes no sense: %j', async (date) => {
  const { url, ca, close } = await serve(date);
  await fetchFrom(url, { agent: new Agent({ ca }) });
  expect(dates).toEqual([]);
  close();
});

it('is not that of a plain HTTP reply', async () => {
  const server = createPlain((_request, response) => response.end('hello'));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => getPlain(`http://127.0.0.1:${port}/`, (reply) => reply.resume().on('end', done)));
  expect(dates).toEqual([]);
  server.close();
});
