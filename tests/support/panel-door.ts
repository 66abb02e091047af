// The panel door over a core made of answers, on a free port of loopback, as a browser with or without a session talks to it.
import http from 'node:http';
import { createDoor } from '../../src/door/door.ts';
import { createApp } from '../../src/http/app.ts';
import { createServer } from '../../src/http/server.ts';
import { renderOrder } from '../../src/subscription/page/order-page.ts';
import { renderFriends, renderTelegram } from '../../src/subscription/page/telegram.ts';
import { renderSubscription } from '../../src/subscription/render.ts';
import { createTestTimers } from './clock.ts';
import { type FakeLog, fakeClock, fakeCore, fakeLog, SECRET_PATH } from './fake-core.ts';
import { type Answer, createClient } from './http-client.ts';
import { buildSessionHeaders } from './session-jar.ts';
import { createStub, SESSION, type Stub } from './stub-core.ts';

/** Header names in lower case; undefined takes one away that would be sent otherwise. */
export type Headers = Readonly<Record<string, string | undefined>>;

export interface Stream {
  readonly headers: http.IncomingHttpHeaders;
  /** Everything that has come, once it has so many messages; rejects if the stream ends before. */
  until(messages: number): Promise<string>;
  /** Resolves when the other side has ended it. */
  readonly ended: Promise<void>;
  leave(): void;
}

export interface TestPanelDoor {
  readonly stub: Stub;
  readonly log: FakeLog;
  readonly origin: string;
  /** Sends what the panel's own page would, without a session. */
  send<Body = unknown>(method: string, path: string, headers?: Headers, body?: string): Promise<Answer<Body>>;
  /** The same with the session. */
  sendSigned<Body = unknown>(method: string, path: string, headers?: Headers, body?: string): Promise<Answer<Body>>;
  /** An operation with the session. */
  operate<Body = unknown>(id: string, input?: unknown, headers?: Headers): Promise<Answer<Body>>;
  /** Opens the stream of events with the session. */
  stream(headers?: Headers, query?: string): Promise<Stream>;
  /** Begins to close the server; resolves when it is. */
  close(): Promise<void>;
}

/** The headers of the session: the cookie's half and the page's. */
export const SIGNED = buildSessionHeaders(SESSION, 'a1b2c3');
const OWN = { 'sec-fetch-site': 'same-origin' };

export async function openPanelDoor(stub = createStub()): Promise<TestPanelDoor> {
  const log = fakeLog();
  const core = { ...fakeCore(), ...stub.core };
  const clock = fakeClock();
  const doors = createDoor({
    core,
    clock,
    timers: createTestTimers(),
    log,
    version: '0.1.0',
    rateLimit: () => ({ perMinute: 0, burst: 0 }),
    openapi: () => ({ openapi: '3.1.1' }),
    renderSubscription,
    renderOrder,
    renderTelegram,
    renderFriends,
  });
  const trustedProxies = () => [];
  const app = createApp({
    door: doors,
    core,
    clock,
    log,
    hosts: () => new Set(),
    trustedProxies,
    panel: { pages: null },
  });
  const server = createServer({ app, log, tls: null, trustedProxies });
  const { port } = await server.listen('127.0.0.1', 0);
  const origin = `http://127.0.0.1:${port}`;
  const client = createClient({ baseUrl: `${origin}/${SECRET_PATH}` });
  const given = (headers: Headers) =>
    Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));

  const door: TestPanelDoor = {
    stub,
    log,
    origin,
    send: (method, path, headers = {}, body) =>
      client.send({ method, path, headers: given({ ...OWN, ...headers }), body }),
    sendSigned: (method, path, headers = {}, body) => door.send(method, path, { ...SIGNED, ...headers }, body),
    operate: (id, input = {}, headers = {}) =>
      door.sendSigned(
        'POST',
        `/panel/${id}`,
        { 'content-type': 'application/json', ...headers },
        JSON.stringify(input),
      ),
    stream: (headers = {}, query = '') =>
      openStream(`${origin}/${SECRET_PATH}/panel/events${query}`, given({ ...OWN, ...SIGNED, ...headers })),
    async close() {
      client.close();
      app.close();
      doors.close();
      await server.close(0);
    },
  };
  return door;
}

function openStream(url: string, headers: http.OutgoingHttpHeaders): Promise<Stream> {
  const { promise, resolve, reject } = Promise.withResolvers<Stream>();
  const request = http.get(url, { headers, agent: false }, (response) => {
    if (response.statusCode !== 200) {
      reject(new Error(`status ${response.statusCode}`));
      request.destroy();
      return;
    }
    let text = '';
    let check = () => {};
    const ended = Promise.withResolvers<void>();
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      text += chunk;
      check();
    });
    response.on('error', () => {});
    response.on('close', () => {
      ended.resolve();
      check();
    });
    resolve({
      headers: response.headers,
      ended: ended.promise,
      leave: () => request.destroy(),
      until: (messages) =>
        new Promise((done, fail) => {
          check = () => {
            if (text.split('\n\n').length > messages) done(text);
            else if (response.closed || response.destroyed) fail(new Error(`ended after ${JSON.stringify(text)}`));
          };
          check();
        }),
    });
  });
  request.on('error', reject);
  return promise;
}
