// Which replies are compressed and how: by the secrets in them (docs/security.md), and by Accept-Encoding.
import http, { type IncomingHttpHeaders } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fill } from '../../tests/support/fixtures.ts';
import { startPanel, type TestPanel } from '../../tests/support/panel.ts';

let panel: TestPanel;
let user = 0;
beforeAll(async () => {
  panel = await startPanel();
  const { tariffs } = await fill(panel);
  for (let index = 0; index < 20; index++) {
    const made = await panel.act('createUser', { name: `U${index}`, tariff_id: tariffs.free, note: 'n'.repeat(1500) });
    user = made.id;
    await panel.act('createTariff', { name: `T${index}` });
  }
});
afterAll(() => panel.stop());

/** The reply's raw bytes. */
async function get(path: string, key: string, coding: string | undefined, method = 'GET', body?: string) {
  const headers = {
    authorization: `Bearer ${key}`,
    ...(coding !== undefined && { 'accept-encoding': coding }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  const { promise, resolve, reject } = Promise.withResolvers<{ headers: IncomingHttpHeaders; bytes: Buffer }>();
  const request = http.request(`${panel.baseUrl}${path}`, { method, headers, agent: false }, (reply) => {
    const chunks: Buffer[] = [];
    reply.on('data', (chunk: Buffer) => chunks.push(chunk));
    reply.on('end', () => resolve({ headers: reply.headers, bytes: Buffer.concat(chunks) }));
  });
  request.on('error', reject);
  request.end(body);
  return promise;
}

const readEncoding = async (path: string, key: string, asked: string | undefined = 'gzip') =>
  (await get(path, key, asked)).headers['content-encoding'];

describe('compressed are', () => {
  it.each(['/users?limit=20', '/tariffs', '/events?limit=50', '/stats/traffic?range=7d', '/openapi.json', '/metrics'])(
    '%s for a Read key',
    async (path) => {
      expect(await readEncoding(path, panel.keys.read)).toBe('gzip');
    },
  );

  it('lists that hold links, with a random length added, so that the same list has many lengths', async () => {
    const plain = await get('/users?limit=20', panel.keys.full, undefined);
    expect(plain.bytes.toString()).toContain('"sub_url":');
    const lengths = new Set<number>();
    for (let time = 0; time < 20; time++) {
      const { headers, bytes } = await get('/users?limit=20', panel.keys.full, 'br, gzip');
      expect(headers['content-encoding']).toBe('gzip');
      expect(headers['content-length']).toBe(String(bytes.length));
      expect(gunzipSync(bytes).equals(plain.bytes)).toBe(true);
      lengths.add(bytes.length);
    }
    expect(lengths.size).toBeGreaterThan(5);
    expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThanOrEqual(100);
    expect(Math.max(...lengths)).toBeLessThan(plain.bytes.length / 4);
    expect(await readEncoding('/users?limit=20', panel.keys.full, 'br')).toBeUndefined();
  });

  it('what a bulk has done; what a batch has created, with a random length added', async () => {
    const { tariff_id } = (await panel.full.call('getUser', { id: user })).body;
    const users = Array.from({ length: 5 }, (_, index) => ({ name: `B${index}`, tariff_id }));
    const batch = await get('/users/batch', panel.keys.full, 'br, gzip', 'POST', JSON.stringify({ users }));
    expect(batch.headers['content-encoding']).toBe('gzip');
    expect(batch.bytes.readUInt8(3), 'the head of gzip has a name').toBe(8);
    expect(JSON.parse(gunzipSync(batch.bytes).toString())).toMatchObject({ created: 5 });
    const bulk = JSON.stringify({ action: 'enable', filter: { all: true } });
    expect((await get('/users/bulk', panel.keys.full, 'br, gzip', 'POST', bulk)).headers['content-encoding']).toBe(
      'br',
    );
  });

  it('plans for a Full key, but no single user, and no record with a tag', async () => {
    expect(await readEncoding('/tariffs', panel.keys.full)).toBe('gzip');
    expect(await readEncoding(`/users/${user}`, panel.keys.full)).toBeUndefined();
    const record = await get(`/users/${user}`, panel.keys.read, 'gzip');
    expect(record.bytes.length).toBeGreaterThan(1024);
    expect([record.headers.etag, record.headers['content-encoding']]).toEqual([expect.any(String), undefined]);
  });

  it('only replies of more than 1 KiB', async () => {
    expect(await readEncoding('/settings', panel.keys.read)).toBeUndefined();
    expect(await readEncoding('/nothing', panel.keys.read)).toBeUndefined();
  });
});

describe('the coding', () => {
  const list = '/users?limit=20';

  it.each([
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['deflate', undefined],
    ['gzip;q=0', undefined],
    ['gzip;q=0, *;q=0', undefined],
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['GZIP', 'gzip'],
    ['gzip;q=0.5, br;q=0.9', 'br'],
    ['gzip;q=0.9, br;q=0.5', 'gzip'],
    ['identity;q=0.5, gzip;q=0.4', undefined],
    ['br;q=0, *', 'gzip'],
    ['q=;;,,gzip;q=x', undefined],
  ])('of Accept-Encoding %j is %j', async (asked, expected) => {
    const { headers } = await get(list, panel.keys.read, asked);
    expect([headers['content-encoding'], headers.vary]).toEqual([expected, 'Accept-Encoding']);
  });

  it('is undone to the same bytes, with the right length, and HEAD has the same headers', async () => {
    const plain = await get(list, panel.keys.read, undefined);
    for (const [coding, decode] of [
      ['gzip', gunzipSync],
      ['br', brotliDecompressSync],
    ] as const) {
      const { headers, bytes } = await get(list, panel.keys.read, coding);
      expect(decode(bytes).equals(plain.bytes)).toBe(true);
      expect(headers['content-length']).toBe(String(bytes.length));
      expect(bytes.length).toBeLessThan(plain.bytes.length / 4);
      const head = await get(list, panel.keys.read, coding, 'HEAD');
      expect(head.bytes.length).toBe(0);
      for (const name of ['content-encoding', 'content-length', 'content-type', 'vary', 'link'] as const) {
        expect(head.headers[name], name).toBe(headers[name]);
      }
    }
  });
});
