// The HTTP transport: distinguishes replies, problems and silence; resumes events after the last one, with growing delays.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PanelCallError } from '../../../contract/client.ts';
import { buildProblem } from '../../../contract/errors.ts';
import { createHttpTransport } from './transport-http.ts';

const BASE = 'https://panel.example/secret/panel/';

interface Seen {
  readonly url: string;
  readonly init: RequestInit;
}

function transportOver(answer: (seen: Seen, count: number) => Response | Promise<Response>) {
  const seen: Seen[] = [];
  const reach: string[] = [];
  const times: number[] = [];
  let secret: string | null = null;
  const transport = createHttpTransport({
    base: BASE,
    fetch: async (url, init = {}) => {
      seen.push({ url: String(url), init });
      return answer({ url: String(url), init }, seen.length);
    },
    reach: { onReach: (state) => reach.push(state), onServerTime: (at) => times.push(at) },
    sessionSecret: {
      read: () => secret,
      write(given) {
        secret = given;
      },
    },
    random: () => 1,
  });
  return { transport, seen, reach, times, secret: () => secret };
}

const json = (body: unknown, init: ResponseInit = {}) =>
  new Response(JSON.stringify(body), { ...init, headers: { 'Content-Type': 'application/json', ...init.headers } });
const problem = (code: Parameters<typeof buildProblem>[0], headers: Record<string, string> = {}) => {
  const body = buildProblem(code, 'r1');
  return json(body, { status: body.status, headers: { 'Content-Type': 'application/problem+json', ...headers } });
};
const catchFailure = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (failure: unknown) => failure,
  );

describe('a call', () => {
  it('is a POST of its input beside the page, with the cookie of this origin', async () => {
    const { transport, seen, reach } = transportOver(() => json({ id: 7 }));
    await expect(transport.call('getUser', { id: 7 })).resolves.toEqual({ id: 7 });
    expect(seen[0]?.url).toBe(`${BASE}getUser`);
    expect(seen[0]?.init).toMatchObject({
      method: 'POST',
      body: '{"id":7}',
      credentials: 'same-origin',
      redirect: 'error',
    });
    expect(reach).toEqual(['reached']);
  });

  it('stores the page’s half of the session, sends it with what follows, and forgets it when it is taken back', async () => {
    const replies = ['half', null, ''];
    const { transport, seen, secret } = transportOver((_, count) => {
      const given = replies[count - 1];
      return json({}, { headers: given === null || given === undefined ? {} : { 'Panel-Session': given } });
    });
    await transport.call('signIn', { name: 'admin', password: 'x' });
    expect(secret()).toBe('half');
    await transport.call('listKeys', undefined);
    expect(secret()).toBe('half');
    await transport.call('signOut', undefined);
    expect(secret()).toBeNull();
    await transport.call('panelState', undefined);
    const sent = seen.map(({ init }) => new Headers(init.headers).get('Panel-Session'));
    expect(sent).toEqual([null, 'half', 'half', null]);
  });

  it('sends {} for nothing and gives undefined for no body', async () => {
    const { transport, seen } = transportOver(() => new Response(null, { status: 204 }));
    await expect(transport.call('signOut', undefined)).resolves.toBeUndefined();
    expect(seen[0]?.init.body).toBe('{}');
  });

  it('sends a condition and reports the entity tag', async () => {
    const { transport, seen } = transportOver(() => json({}, { headers: { ETag: '"7-3"' } }));
    const tags: string[] = [];
    await transport.call('updateUser', { id: 7 }, { ifMatch: '"7-2"', onEtag: (tag) => tags.push(tag) });
    expect(new Headers(seen[0]?.init.headers).get('If-Match')).toBe('"7-2"');
    expect(tags).toEqual(['"7-3"']);
  });

  it('rejects with the problem that the panel answered with, and when to try again', async () => {
    const { transport, reach } = transportOver(() => problem('rate_limited', { 'Retry-After': '7' }));
    const failure = await catchFailure(transport.call('listUsers', {}));
    expect(failure).toBeInstanceOf(PanelCallError);
    expect(failure).toMatchObject({ code: 'rate_limited', retryAfter: 7 });
    expect(reach).toEqual(['reached']);
  });

  it.each([
    ['nothing is reached', () => Promise.reject(new TypeError('fetch failed')), 'lost'],
    ['a proxy answers for an absent panel', () => new Response('Bad gateway', { status: 502 }), 'lost'],
    ['something else answers', () => new Response(null, { status: 404 }), 'moved'],
    [
      'a page answers in place of the reply',
      () => new Response('<html>', { headers: { 'Content-Type': 'text/html' } }),
      'moved',
    ],
  ])('reports it where %s', async (_what, answer, state) => {
    const { transport, reach } = transportOver(answer);
    await expect(catchFailure(transport.call('listUsers', {}))).resolves.toMatchObject({ code: 'unavailable' });
    expect(reach).toEqual([state]);
  });

  it('that was aborted reports nothing about the panel', async () => {
    const controller = new AbortController();
    const { transport, reach } = transportOver(async () => {
      controller.abort('enough');
      throw new DOMException('aborted', 'AbortError');
    });
    await expect(catchFailure(transport.call('listUsers', {}, { signal: controller.signal }))).resolves.toBe('enough');
    expect(reach).toEqual([]);
  });

  it("reports the panel's clock", async () => {
    const date = 'Fri, 20 Nov 2026 10:00:00 GMT';
    const { transport, times } = transportOver(() => json({}, { headers: { Date: date } }));
    await transport.call('panelState', {});
    expect(times).toEqual([Date.parse(date)]);
  });
});

describe('a watch', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const stream = (text: string, isOpen = false) =>
    new Response(
      new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(text));
          if (!isOpen) controller.close();
        },
      }),
      { headers: { 'Content-Type': 'text/event-stream' } },
    );
  const message = (id: number) =>
    `id: ${id}\ndata: {"id":${id},"type":"user.changed","at":"2026-11-20T10:00:00.000Z","data":{}}\n\n`;

  function listening() {
    const log: string[] = [];
    return {
      log,
      listener: {
        onEvent: ({ id }: { id: number }) => log.push(`event ${id}`),
        onGap: () => log.push('gap'),
        onLive: (isLive: boolean) => log.push(isLive ? 'live' : 'not live'),
        onSignedOut: () => log.push('signed out'),
      },
    };
  }
  const lastId = (seen: readonly Seen[]) => seen.map(({ init }) => new Headers(init.headers).get('Last-Event-ID'));
  const settle = () => vi.advanceTimersByTimeAsync(0);

  it('delivers events and resumes after the last one when the stream ends', async () => {
    const { transport, seen } = transportOver((_seen, count) =>
      count === 1 ? stream(`event: ready\nid: 5\ndata: {}\n\n${message(6)}`) : stream(message(7), true),
    );
    const { log, listener } = listening();
    const end = transport.watch(listener);
    await settle();
    await vi.advanceTimersByTimeAsync(1000);
    expect(log).toEqual(['live', 'event 6', 'not live', 'live', 'event 7']);
    expect(lastId(seen)).toEqual([null, '6']);
    end();
  });

  it('goes on after the last event in a later watch too', async () => {
    const { transport, seen } = transportOver(() => stream(message(9), true));
    transport.watch(listening().listener)();
    const first = listening();
    const end = transport.watch(first.listener);
    await settle();
    end();
    transport.watch(listening().listener)();
    await settle();
    expect(lastId(seen).at(-1)).toBe('9');
  });

  it('reports missed events', async () => {
    const { transport } = transportOver(() => stream('event: gone\nid: 90\ndata: {}\n\n', true));
    const { log, listener } = listening();
    const end = transport.watch(listener);
    await settle();
    expect(log).toEqual(['live', 'gap']);
    end();
  });

  it('waits longer after each failure, at most 30 s', async () => {
    const { transport, seen } = transportOver(() => Promise.reject(new TypeError('fetch failed')));
    const end = transport.watch(listening().listener);
    await settle();
    const counts = [];
    for (const seconds of [1, 2, 4, 8, 16, 30, 30]) {
      counts.push(seen.length);
      await vi.advanceTimersByTimeAsync(seconds * 1000 - 1);
      expect(seen.length).toBe(counts.at(-1));
      await vi.advanceTimersByTimeAsync(1);
    }
    expect(counts).toEqual([1, 2, 3, 4, 5, 6, 7]);
    end();
  });

  it('ends when the session has ended', async () => {
    const { transport, seen } = transportOver(() => problem('signed_out'));
    const { log, listener } = listening();
    transport.watch(listener);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(log).toEqual(['not live', 'signed out']);
    expect(seen.length).toBe(1);
  });

  it('gives a silent connection up and begins another', async () => {
    const { transport, seen } = transportOver(({ init }, count) =>
      count > 1
        ? stream(message(2), true)
        : new Response(
            new ReadableStream({
              start(controller) {
                controller.enqueue(new TextEncoder().encode(message(1)));
                init.signal?.addEventListener('abort', () => controller.error(init.signal?.reason));
              },
            }),
          ),
    );
    const { log, listener } = listening();
    const end = transport.watch(listener);
    await settle();
    await vi.advanceTimersByTimeAsync(39_000);
    expect(seen.length).toBe(1);
    await vi.advanceTimersByTimeAsync(3000);
    expect(log).toEqual(['live', 'event 1', 'not live', 'live', 'event 2']);
    end();
  });

  it('reports nothing after it was ended', async () => {
    const { transport, seen } = transportOver(() => Promise.reject(new TypeError('fetch failed')));
    const { log, listener } = listening();
    const end = transport.watch(listener);
    await settle();
    end();
    log.length = 0;
    await vi.advanceTimersByTimeAsync(120_000);
    expect(log).toEqual([]);
    expect(seen.length).toBe(1);
  });
});
