// A server over a fake core on a free port of loopback, for tests of the doors.
import { expect } from 'vitest';
import type { Problem } from '../../src/contract/errors.ts';
import { createDoor, type DoorParts } from '../../src/door/door.ts';
import { type AppParts, createApp } from '../../src/http/app.ts';
import { createServer, type PanelServer, type ServerParts } from '../../src/http/server.ts';
import { renderOrder } from '../../src/subscription/page/order-page.ts';
import { renderFriends, renderTelegram } from '../../src/subscription/page/telegram.ts';
import { renderSubscription } from '../../src/subscription/render.ts';
import { createTestTimers } from './clock.ts';
import { type FakeClock, type FakeCore, type FakeLog, fakeClock, fakeCore, fakeLog, SECRET_PATH } from './fake-core.ts';

export interface TestDoor {
  readonly server: PanelServer;
  readonly core: FakeCore;
  readonly clock: FakeClock;
  readonly log: FakeLog;
  readonly port: number;
  /** Base address of the API. */
  readonly base: string;
  /** Calls the API with the Full key, unless the headers say otherwise. */
  call(
    method: string,
    path: string,
    init?: { headers?: Record<string, string>; body?: string | Uint8Array },
  ): Promise<Response>;
  /** Running replies get `graceMs`. */
  close(graceMs?: number): Promise<void>;
}

export type DoorOptions = Partial<
  Pick<DoorParts, 'rateLimit' | 'openapi' | 'renderSubscription' | 'isPaused'> &
    Pick<AppParts, 'hosts' | 'trustedProxies' | 'panel'> &
    Pick<ServerParts, 'tls' | 'linksOnly'>
>;

export async function openDoor(options: DoorOptions = {}): Promise<TestDoor> {
  const core = fakeCore();
  const clock = fakeClock();
  const log = fakeLog();
  const trustedProxies = options.trustedProxies ?? (() => core.values.trustedProxies);
  const doors = createDoor({
    core,
    clock,
    timers: createTestTimers(),
    log,
    version: '0.1.0',
    rateLimit: () => ({ perMinute: core.values.rateLimit, burst: 100 }),
    openapi: () => ({ openapi: '3.1.1' }),
    renderSubscription,
    renderOrder,
    renderTelegram,
    renderFriends,
    ...options,
  });
  const hosts = options.hosts ?? (() => new Set(['panel.example']));
  const app = createApp({ door: doors, core, clock, log, hosts, trustedProxies, ...options });
  const server = createServer({ app, log, tls: null, trustedProxies, ...options });
  const { port } = await server.listen('127.0.0.1', 0);
  const base = `http://127.0.0.1:${port}/${SECRET_PATH}/api/v1`;
  return {
    server,
    core,
    clock,
    log,
    port,
    base,
    call: (method, path, init = {}) =>
      fetch(base + path, {
        method,
        headers: { authorization: 'Bearer full-key', ...init.headers },
        ...(init.body === undefined ? {} : { body: init.body }),
      }),
    close(graceMs = 0) {
      app.close();
      doors.close();
      return server.close(graceMs);
    },
  };
}

/** The problem document of a refusal, held against its status and headers, with `code` as `404 not_found`. */
export async function problem(pending: Response | Promise<Response>): Promise<Problem & { readonly code: string }> {
  const reply = await pending;
  const { status, headers } = reply;
  const body = (await reply.json()) as Problem;
  expect(headers.get('content-type')).toBe('application/problem+json');
  const instance = `urn:panel:request:${headers.get('x-request-id')}`;
  expect(body).toMatchObject({ status, type: `urn:panel:problem:${body.detail}`, instance });
  return { ...body, code: `${status} ${body.detail}` };
}
