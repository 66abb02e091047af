// Users' links: found by the exact token only.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDoor, type TestDoor } from '../../tests/support/door.ts';
import { SETTINGS } from '../../tests/support/fake-core.ts';
import { exchangeRaw, requestText } from '../../tests/support/raw-socket.ts';
import type { Subscription } from '../core/kernel/core.ts';
import type { UserRow } from '../core/ports/users.ts';
import type { RenderRequest } from '../subscription/render.ts';

const TOKEN = 'Zp3kVn0cQm6yT1uXw8RsLg';
const requests: RenderRequest[] = [];
let door: TestDoor;
beforeEach(async () => {
  requests.length = 0;
  door = await openDoor({
    renderSubscription: (subscription, _settings, request) => {
      requests.push(request);
      if (subscription.url === 'broken') throw new Error('broken');
      const headers = { 'content-type': 'text/plain', 'profile-title': 'x' };
      return { status: 200, headers, body: 'vless://…', choice: { format: 'links', reason: 'default', rule: null } };
    },
  });
  door.core.links.set(TOKEN, { url: 'fine', user: { id: 1 } } as Subscription<UserRow>);
});
afterEach(() => door.close());

const sendRequest = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${door.port}${path}`, init);

describe('the subscription link', () => {
  it('answers with what was rendered and forbids to keep it', async () => {
    const reply = await sendRequest(`/sub/${TOKEN}?format=plain&x=1`, {
      headers: { accept: 'text/html', 'accept-language': 'ru', 'user-agent': 'Happ/1' },
    });
    expect(reply.status).toBe(200);
    expect(await reply.text()).toBe('vless://…');
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'profile-title': 'x',
      'cache-control': 'no-store',
      'content-type': 'text/plain',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    expect(requests).toMatchObject([
      {
        format: 'plain',
        notice: null,
        accept: 'text/html',
        acceptLanguage: 'ru',
        userAgent: 'Happ/1',
        allHeaders: { 'user-agent': 'Happ/1', accept: 'text/html' },
        now: door.clock.now(),
      },
    ]);
  });

  it.each([
    ['an unknown link', 'GET', `/sub/${'z'.repeat(43)}`, {}],
    ['a malformed one', 'GET', '/sub/x', {}],
    ['another method', 'POST', `/sub/${TOKEN}`, {}],
    ['any other path', 'GET', '/admin', {}],
    ['one like a link', 'GET', `/nothing/${TOKEN}`, {}],
    ['the root', 'GET', '/', {}],
    ['a foreign Host', 'GET', `/sub/${TOKEN}`, { host: 'evil.example' }],
  ])('looks for one link, whatever is asked for: %s', async (_name, method, path, headers) => {
    const { subscription } = door.core;
    let lookups = 0;
    door.core.subscription = (token) => {
      lookups += 1;
      return subscription(token);
    };
    const reply = await exchangeRaw(
      { host: '127.0.0.1', port: door.port },
      requestText(`${method} ${path} HTTP/1.1`, [`Host: ${'host' in headers ? headers.host : '127.0.0.1'}`]),
    );
    expect([reply.slice(0, 12), lookups]).toEqual(['HTTP/1.1 404', 1]);
  });

  it('answers HEAD with the headers alone', async () => {
    const reply = await sendRequest(`/sub/${TOKEN}`, { method: 'HEAD' });
    expect([reply.status, reply.headers.get('content-length'), await reply.text()]).toEqual([200, '11', '']);
  });

  it('says 304 to who has this body already, with all that may have changed beside it', async () => {
    const first = await sendRequest(`/sub/${TOKEN}`);
    const tag = first.headers.get('etag') ?? '';
    expect(tag).toMatch(/^"[\w-]{43}"$/);
    for (const known of [tag, `"other", W/${tag}`, '*']) {
      const again = await sendRequest(`/sub/${TOKEN}`, { headers: { 'if-none-match': known } });
      expect([again.status, await again.text()], known).toEqual([304, '']);
      expect(Object.fromEntries(again.headers)).toMatchObject({ etag: tag, 'profile-title': 'x' });
      expect(again.headers.has('content-length')).toBe(false);
    }
    for (const known of ['"other"', tag.replaceAll('"', '')]) {
      expect((await sendRequest(`/sub/${TOKEN}`, { headers: { 'if-none-match': known } })).status, known).toBe(200);
    }
  });

  it('is limited for each link and network, and a wrong one never', async () => {
    const other = `${TOKEN.slice(0, -1)}x`;
    door.core.links.set(other, { url: 'fine', user: { id: 1 } } as Subscription<UserRow>);
    door.core.values = { ...SETTINGS, rateLimit: 1200, trustedProxies: ['127.0.0.1'] };
    const readStatus = async (token: string, address: string) => {
      const reply = await sendRequest(`/sub/${token}`, { headers: { 'x-forwarded-for': address } });
      return reply.status === 429 ? [429, reply.headers.get('retry-after'), await reply.text()] : reply.status;
    };
    for (let count = 0; count < 60; count++) expect(await readStatus(TOKEN, '203.0.113.7')).toBe(200);
    expect(await readStatus(TOKEN, '203.0.113.7')).toEqual([429, '60', '']);
    expect(await readStatus(TOKEN, '203.0.113.8')).toBe(200);
    expect(await readStatus(other, '203.0.113.7')).toBe(200);
    door.clock.ms += 60_000;
    expect(await readStatus(TOKEN, '203.0.113.7')).toBe(200);
    for (let count = 0; count < 100; count++) expect(await readStatus(`${TOKEN}x`, '203.0.113.9')).toBe(404);
  });

  it('has no limit where keys have none', async () => {
    for (let count = 0; count < 100; count++) expect((await sendRequest(`/sub/${TOKEN}`)).status).toBe(200);
  });

  it.each([
    ['POST', `/sub/${TOKEN}`],
    ['OPTIONS', `/sub/${TOKEN}`],
    ['GET', `/sub/${TOKEN}/`],
    ['GET', `/sub/${TOKEN}x`],
    ['GET', `/sub/${TOKEN.toLowerCase()}`],
    ['GET', `/sub/%5Ap3kVn0cQm6yT1uXw8RsLg`],
    ['GET', `/Sub/${TOKEN}`],
  ])('does not know %s %s', async (method, path) => {
    const reply = await sendRequest(path, { method });
    expect([reply.status, reply.headers.get('content-length')]).toEqual([404, '0']);
    expect(requests).toEqual([]);
  });

  it('dies with its token and moves with its path', async () => {
    door.core.values = { ...SETTINGS, subPath: 'links' };
    expect((await sendRequest(`/sub/${TOKEN}`)).status).toBe(404);
    expect((await sendRequest(`/links/${TOKEN}`)).status).toBe(200);
    door.core.links.delete(TOKEN);
    expect((await sendRequest(`/links/${TOKEN}`)).status).toBe(404);
  });

  it('tells nothing of a failure, and logs it', async () => {
    door.core.links.set(TOKEN, { url: 'broken', user: { id: 1 } } as Subscription<UserRow>);
    const reply = await sendRequest(`/sub/${TOKEN}`);
    expect([reply.status, await reply.text()]).toEqual([500, '']);
    expect(JSON.stringify(door.log.lines)).not.toContain(TOKEN);
    expect(door.log.lines).toHaveLength(1);
  });
});
