// The link that users have: found by its token alone, and by nothing that comes near it.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDoor, type TestDoor } from '../../tests/support/door.ts';
import { SETTINGS } from '../../tests/support/fake-core.ts';
import type { Subscription } from '../core/core.ts';
import type { FormatRequest } from '../subscription/choose-format.ts';

const TOKEN = 'Zp3kVn0cQm6yT1uXw8RsLg';
const requests: FormatRequest[] = [];
let door: TestDoor;
beforeEach(async () => {
  requests.length = 0;
  door = await openDoor({
    renderSubscription: (subscription, _settings, request) => {
      requests.push(request);
      if (subscription.url === 'broken') throw new Error('broken');
      return { status: 200, headers: { 'content-type': 'text/plain', 'profile-title': 'x' }, body: 'vless://…' };
    },
  });
  door.core.links.set(TOKEN, { url: 'fine' } as Subscription);
});
afterEach(() => door.close());

const ask = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${door.port}${path}`, init);

describe('the subscription link', () => {
  it('answers with what was rendered and forbids to keep it', async () => {
    const reply = await ask(`/sub/${TOKEN}?format=plain&x=1`, {
      headers: { accept: 'text/html', 'user-agent': 'Happ/1' },
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
    expect(requests).toEqual([{ format: 'plain', accept: 'text/html', userAgent: 'Happ/1' }]);
  });

  it('answers HEAD with the headers alone', async () => {
    const reply = await ask(`/sub/${TOKEN}`, { method: 'HEAD' });
    expect([reply.status, reply.headers.get('content-length'), await reply.text()]).toEqual([200, '11', '']);
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
    const reply = await ask(path, { method });
    expect([reply.status, reply.headers.get('content-length')]).toEqual([404, '0']);
    expect(requests).toEqual([]);
  });

  it('dies with its token and moves with its path', async () => {
    door.core.values = { ...SETTINGS, subPath: 'links' };
    expect((await ask(`/sub/${TOKEN}`)).status).toBe(404);
    expect((await ask(`/links/${TOKEN}`)).status).toBe(200);
    door.core.links.delete(TOKEN);
    expect((await ask(`/links/${TOKEN}`)).status).toBe(404);
  });

  it('tells nothing of a failure, and logs it', async () => {
    door.core.links.set(TOKEN, { url: 'broken' } as Subscription);
    const reply = await ask(`/sub/${TOKEN}`);
    expect([reply.status, await reply.text()]).toEqual([500, '']);
    expect(JSON.stringify(door.log.lines)).not.toContain(TOKEN);
    expect(door.log.lines).toHaveLength(1);
  });
});
