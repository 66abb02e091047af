// The built pages: served unchanged, no other files, and with a policy that allows no other scripts.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import express from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPages } from './pages.ts';

const script = `console.log(${JSON.stringify('x'.repeat(4000))})`;
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-ui-'));
const outside = join(folder, 'secret.js');
const built = join(folder, 'renderer');
const app = express();
app.set('strict routing', true);
app.get('/', (_request, response) => {
  const { headers, body } = openPages(built)?.index() ?? { headers: [], body: Buffer.of() };
  response.writeHead(200, [...headers, 'Content-Length', String(body.length)]).end(body);
});
app.use((request, response, next) => openPages(built)?.files(request, response, next));
const server = createServer(app);

interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Got> {
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    })
      .on('error', reject)
      .end();
  });
}

beforeAll(async () => {
  mkdirSync(join(built, 'assets'), { recursive: true });
  writeFileSync(outside, 'secret');
  writeFileSync(join(built, 'index.html'), '<meta id="style-nonce" nonce="__STYLE_NONCE__"><script src="./boot.js">');
  writeFileSync(join(built, 'boot.js'), 'boot()');
  writeFileSync(join(built, 'assets/index-1a2b.js'), script);
  writeFileSync(join(built, 'assets/index-1a2b.js.br'), brotliCompressSync(script));
  writeFileSync(join(built, 'assets/index-1a2b.js.gz'), gzipSync(script));
  writeFileSync(join(built, 'assets/index-3c4d.css'), 'body{}');
  writeFileSync(join(built, 'assets/packed-5e6f.js.br'), brotliCompressSync(script));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('the index', () => {
  it('has a fresh nonce in its text and in its policy each time', async () => {
    const nonces = new Set<string>();
    for (let time = 0; time < 3; time++) {
      const { status, headers, body } = await get('/');
      expect(status).toBe(200);
      const nonce = /nonce="([\w-]{22})"/.exec(String(body))?.[1] ?? '';
      expect(headers['content-security-policy']).toBe(
        `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
      );
      nonces.add(nonce);
    }
    expect(nonces.size).toBe(3);
  });

  it('is not cached, not framed, and sends no referrer', async () => {
    const { headers } = await get('/');
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    });
    expect(headers['content-security-policy']).not.toContain('unsafe');
  });

  it('answers HEAD with the headers alone', async () => {
    const { status, headers, body } = await get('/', {}, 'HEAD');
    expect(status).toBe(200);
    expect(Number(headers['content-length'])).toBeGreaterThan(50);
    expect(body.length).toBe(0);
  });
});

describe('the files', () => {
  it('come in the smallest form that the client reads, always the same content', async () => {
    const br = await get('/assets/index-1a2b.js', { 'Accept-Encoding': 'gzip, deflate, br' });
    const gzip = await get('/assets/index-1a2b.js', { 'Accept-Encoding': 'gzip' });
    const refused = await get('/assets/index-1a2b.js', { 'Accept-Encoding': 'br;q=0, gzip;q=0' });
    const plain = await get('/assets/index-1a2b.js');
    expect([br, gzip, refused, plain].map(({ headers }) => headers['content-encoding'])).toEqual([
      'br',
      'gzip',
      undefined,
      undefined,
    ]);
    expect(String(brotliDecompressSync(br.body))).toBe(script);
    expect(String(gunzipSync(gzip.body))).toBe(script);
    expect(String(refused.body)).toBe(script);
    expect(br.headers.vary).toBe('Accept-Encoding');
  });

  it('come for every client where only the compressed form is there, as in a package', async () => {
    const path = '/assets/packed-5e6f.js';
    const br = await get(path, { 'Accept-Encoding': 'br' });
    expect([br.headers['content-encoding'], String(brotliDecompressSync(br.body))]).toEqual(['br', script]);
    const plain = await get(path, { 'Accept-Encoding': 'gzip' });
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'private, max-age=31536000, immutable',
    });
    expect(String(plain.body)).toBe(script);
    const head = await get(path, {}, 'HEAD');
    expect([head.status, head.headers['content-length'], head.body.length]).toEqual([200, String(script.length), 0]);
    expect((await get(path, {}, 'POST')).status).toBe(404);
    expect(String(openPages(built)?.read(path)?.body)).toBe(script);
  });

  it('are kept for ever where their name changes with their content, else asked for again', async () => {
    const asset = await get('/assets/index-3c4d.css');
    expect(asset.headers).toMatchObject({
      'content-type': 'text/css; charset=utf-8',
      'cache-control': 'private, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    });
    const boot = await get('/boot.js');
    expect(boot.headers['cache-control']).toBe('private, no-cache');
    const again = await get('/boot.js', { 'If-None-Match': String(boot.headers.etag) });
    expect(again.status).toBe(304);
    expect(again.body.length).toBe(0);
  });

  it.each([
    '/../secret.js',
    '/assets/../../secret.js',
    '/%2e%2e/secret.js',
    '/..%2fsecret.js',
    '/assets/..\\..\\secret.js',
    '//etc/passwd',
    '/assets/',
    '/assets',
    '/index.html',
    '/assets/index-1a2b.js.br',
    '/assets/packed-5e6f.js.br',
    '/assets/INDEX-1a2b.js',
    '/assets/index-1a2b.js%00',
    '/constructor',
    '/__proto__',
  ])('are all there is: %s is not', async (path) => {
    expect((await get(path)).status).toBe(404);
  });
});

describe('a folder without pages', () => {
  it('has none', () => {
    expect(openPages(join(folder, 'nothing'))).toBeNull();
  });
});
