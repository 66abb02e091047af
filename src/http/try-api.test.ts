// "Try it" behaves as the API door itself: checks, replies and figures, for the administrator's own pages only.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FULL_KEY } from '../../tests/support/fake-core.ts';
import { openPanelDoor, type TestPanelDoor } from '../../tests/support/panel-door.ts';
import type { Output } from '../contract/table.ts';

type Tried = Output<'tryApi'>;

let door: TestPanelDoor;
beforeEach(async () => {
  door = await openPanelDoor();
});
afterEach(() => door.close());

const attempt = async (path: string, key = FULL_KEY, more: object = {}) =>
  (await door.operate<Tried>('tryApi', { path, key, ...more })).body;

describe('tryApi', () => {
  it('answers as the API answers the same request over the network', async () => {
    door.stub.answers.set('getUser', () => ({ status: 200, body: { id: 7 }, etag: '"7-3"' }));
    const tried = await attempt('/users/7');
    expect([tried.status, JSON.parse(tried.body)]).toEqual([200, { id: 7 }]);
    const real = await door.send('GET', '/api/v1/users/7', { authorization: `Bearer ${FULL_KEY}` });
    expect(real.body).toEqual(JSON.parse(tried.body));
    for (const name of ['etag', 'content-type', 'cache-control', 'content-length']) {
      expect(tried.headers[name], name).toBe(real.headers[name]);
    }
    expect(tried.headers['x-request-id']).toMatch(/^[0-9a-f]{32}$/);
    const [asked] = door.stub.dispatched;
    expect(asked?.call).toMatchObject({ actor: { kind: 'key', access: 'full' }, address: '127.0.0.1' });
  });

  it.each([
    ['wrong', 'pnl_wrong'],
    ['empty', ''],
    ['no header could carry', 'line\r\nfeed'],
    ['the key with a second word', `${FULL_KEY} more`],
  ])('answers 401 to a key that is %s', async (_what, key) => {
    const { status, headers, body } = await attempt('/users', key);
    expect([status, JSON.parse(body).detail, headers['www-authenticate']]).toEqual([401, 'unauthorized', 'Bearer']);
    expect(door.stub.dispatched).toEqual([]);
  });

  it('negotiates the media type that is asked for', async () => {
    const plain = await attempt('/metrics');
    const open = await attempt('/metrics', FULL_KEY, { accept: 'application/openmetrics-text' });
    expect([plain.headers['content-type'], open.headers['content-type']]).toEqual([
      expect.stringContaining('text/plain'),
      expect.stringContaining('application/openmetrics-text'),
    ]);
    expect((await attempt('/users', FULL_KEY, { accept: 'image/png' })).status).toBe(406);
  });

  it('tells what is wrong with a request as the API does', async () => {
    const wrong = await attempt('/users?limit=0');
    expect([wrong.status, JSON.parse(wrong.body).errors]).toMatchObject([422, [{ parameter: 'limit' }]]);
    expect((await attempt('/nothing')).status).toBe(404);
    expect((await attempt('/keys')).status).toBe(403);
  });

  it('sends nothing but GET, to nothing but the API', async () => {
    const refused = [
      { path: '/users', key: FULL_KEY, method: 'POST' },
      { path: 'users', key: FULL_KEY },
      { path: '/users\r\nx: y', key: FULL_KEY },
      { path: 'https://elsewhere.example/', key: FULL_KEY },
    ];
    for (const input of refused) {
      const reply = await door.operate('tryApi', input);
      expect([reply.status, reply.problem.detail], JSON.stringify(input)).toEqual([422, 'validation']);
    }
    expect((await attempt('/../panel/listKeys')).status).toBe(404);
    expect(door.stub.dispatched).toEqual([]);
  });

  it('is there for the signed-in administrator on the pages of the panel only', async () => {
    const body = JSON.stringify({ path: '/users', key: FULL_KEY });
    const json = { 'content-type': 'application/json' };
    expect((await door.send('POST', '/panel/tryApi', json, body)).problem.detail).toBe('signed_out');
    const foreign = { ...json, 'sec-fetch-site': 'cross-site' };
    expect((await door.sendSigned('POST', '/panel/tryApi', foreign, body)).problem.detail).toBe('foreign_origin');
  });

  it('leaves the key in no log', async () => {
    await attempt('/users', 'pnl_mistyped');
    expect(JSON.stringify(door.log.lines)).not.toContain('pnl_mistyped');
  });
});
