// The stream of live events: each event once and in order, also after a reconnect, and never without a session.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeClock } from '../../tests/support/fake-core.ts';
import { openPanelDoor, type TestPanelDoor } from '../../tests/support/panel-door.ts';
import { sampleEvent, userFacts } from '../../tests/support/sample-events.ts';
import { createStub, SESSION } from '../../tests/support/stub-core.ts';
import { createLive, type Live } from '../door/live.ts';
import type { Exchange } from './exchange.ts';
import { openEventStream } from './live.ts';

const idsIn = (text: string) => [...text.matchAll(/^id: (\d+)\ndata: \{"id":/gm)].map(([, id]) => Number(id));

let door: TestPanelDoor;
beforeEach(async () => {
  door = await openPanelDoor();
});
afterEach(() => door.close());

describe('GET panel/events', () => {
  it('tells what happens from now on, with ids and in the form of the feed', async () => {
    door.stub.emit(41);
    const stream = await door.stream();
    expect(stream.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(await stream.until(1)).toBe('retry: 2000\nevent: ready\nid: 41\ndata: {}\n\n');
    door.stub.emit(42);
    expect((await stream.until(2)).split('\n\n')[1]).toBe(
      `id: 42\ndata: ${JSON.stringify(sampleEvent('user.expired', userFacts(42), 42))}`,
    );
    stream.leave();
  });

  it('goes on where the browser left off', async () => {
    for (const id of [41, 42, 43]) door.stub.emit(id);
    const stream = await door.stream({ 'last-event-id': '41' });
    door.stub.emit(44);
    expect(idsIn(await stream.until(4))).toEqual([42, 43, 44]);
    stream.leave();
    const other = await door.stream({}, '?after=42');
    expect(idsIn(await other.until(3))).toEqual([43, 44]);
    other.leave();
  });

  it('tells an event that is stored but not announced yet only once', async () => {
    door.stub.emit(41);
    const stream = await door.stream({ 'last-event-id': '40' });
    door.stub.emit(41);
    door.stub.emit(42);
    expect(idsIn(await stream.until(3))).toEqual([41, 42]);
    stream.leave();
  });

  it.each([
    ['is no longer kept', '40'],
    ['lies ahead, as after a restored backup', '99'],
    ['is no id', 'abc'],
  ])('tells the page to read everything again when what it has seen %s', async (_, lastId) => {
    door.stub.prunedUpTo = 41;
    door.stub.emit(42);
    const stream = await door.stream({ 'last-event-id': lastId });
    expect(await stream.until(1)).toBe('retry: 2000\nevent: gone\nid: 42\ndata: {}\n\n');
    door.stub.emit(43);
    expect(idsIn(await stream.until(2))).toEqual([43]);
    stream.leave();
  });

  it('tells the page to read everything again when it has missed more than is worth telling', async () => {
    for (let id = 1; id <= 3000; id++) door.stub.emit(id);
    const stream = await door.stream({ 'last-event-id': '1' });
    expect(await stream.until(1)).toContain('event: gone\nid: 3000');
    stream.leave();
  });

  it('asks for a session, the own page and GET', async () => {
    const get = (headers: Record<string, string | undefined>) => door.sendSigned('GET', '/panel/events', headers);
    expect((await get({ cookie: undefined })).problem.detail).toBe('signed_out');
    expect((await get({ 'sec-fetch-site': 'same-site' })).problem.detail).toBe('foreign_origin');
    const post = await door.sendSigned('POST', '/panel/events');
    expect([post.status, post.headers.allow]).toEqual([405, 'GET']);
    expect(door.stub.subscribers()).toBe(0);
  });

  it('ends with the server, which would otherwise wait for it', async () => {
    const stream = await door.stream();
    await stream.until(1);
    const closed = door.close();
    await stream.ended;
    await closed;
    expect(door.stub.subscribers()).toBe(0);
    door = await openPanelDoor();
  });
});

/** A response that only counts the bytes buffered in it. */
function slowResponse() {
  const handlers = new Map<string, () => void>();
  const response = {
    waiting: 0,
    headersSent: false,
    destroyed: false,
    writableEnded: false,
    written: [] as string[],
    writeHead() {
      response.headersSent = true;
    },
    on: (name: string, handler: () => void) => handlers.set(name, handler),
    get writableLength() {
      return response.waiting;
    },
    write(text: string) {
      response.written.push(text);
      response.waiting += text.length;
    },
    end() {
      response.writableEnded = true;
      handlers.get('close')?.();
    },
    destroy() {
      response.destroyed = true;
      handlers.get('close')?.();
    },
  };
  return response;
}

function openStream(live: Live, response: ReturnType<typeof slowResponse>): void {
  const host = { observe: () => {}, isClosing: () => false };
  const exchange = { host, request: { headers: {} }, response, id: 'r', startedAt: 0 } as unknown as Exchange;
  openEventStream(exchange, live, () => SESSION, '');
}

const clock = fakeClock();

describe('open streams', () => {
  it('get signs of life that do not count as use, and end with the session', () => {
    const stub = createStub();
    const live = createLive(stub.core, clock);
    const response = slowResponse();
    openStream(live, response);
    stub.uses = 0;
    live.sendHeartbeat();
    expect(response.written.at(-1)).toBe(':\n\n');
    expect(stub.uses).toBe(0);
    stub.sessions.clear();
    live.sendHeartbeat();
    expect(response.writableEnded).toBe(true);
    expect(stub.subscribers()).toBe(0);
    live.close();
  });

  it('end at once with a session that is ended, and give nothing of what follows', () => {
    const stub = createStub();
    const live = createLive(stub.core, clock);
    const response = slowResponse();
    openStream(live, response);
    stub.endSession(SESSION);
    stub.emit(1);
    expect(response.writableEnded).toBe(true);
    expect(response.written).toHaveLength(1);
    expect(stub.subscribers()).toBe(0);
    live.close();
  });

  it('give nothing of what follows the time at which their session ends', () => {
    const stub = createStub();
    stub.sessionsEndAt = clock.ms + 1000;
    const live = createLive(stub.core, clock);
    const response = slowResponse();
    openStream(live, response);
    stub.emit(1);
    clock.ms += 1000;
    stub.sessions.clear();
    stub.emit(2);
    expect(response.writableEnded).toBe(true);
    expect(response.written).toHaveLength(2);
    live.close();
  });

  it('are cut off where a client reads nothing, and only there', () => {
    const stub = createStub();
    const live = createLive(stub.core, clock);
    const [slow, quick] = [slowResponse(), slowResponse()];
    openStream(live, slow);
    openStream(live, quick);
    for (let id = 1; id <= 20_000; id++) {
      stub.emit(id);
      quick.waiting = 0;
    }
    expect([slow.destroyed, quick.destroyed]).toEqual([true, false]);
    expect(quick.written).toHaveLength(20_001);
    expect(slow.waiting).toBeLessThan(1_100_000);
    live.close();
  });

  it('are limited in number, and none is opened once closed', () => {
    const live = createLive(createStub().core, clock);
    const responses = Array.from({ length: 64 }, slowResponse);
    for (const response of responses) openStream(live, response);
    expect(() => openStream(live, slowResponse())).toThrow('unavailable');
    live.close();
    for (const response of responses) expect(response.writableEnded).toBe(true);
    expect(() => openStream(live, slowResponse())).toThrow('unavailable');
  });
});
