import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { download } from './download.ts';

const LIMITS = { maxBytes: 1000, idleMs: 30_000, totalMs: 60_000 };
let server: Server | null = null;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = null;
});

async function serve(listener: RequestListener): Promise<string> {
  const opened = createServer(listener);
  server = opened;
  await new Promise<void>((resolve) => opened.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(opened.address() as AddressInfo).port}/file`;
}

async function get(url: string, limits = LIMITS) {
  const chunks: Buffer[] = [];
  const problem = await download(url, limits, (chunk) => chunks.push(chunk));
  return { problem, text: Buffer.concat(chunks).toString() };
}

describe('a download', () => {
  it('is the whole body, also behind a redirect, and sends nothing but the request', async () => {
    const seen: string[] = [];
    const url = await serve((request, reply) => {
      seen.push(...Object.keys(request.headers));
      if (request.url === '/file') reply.writeHead(302, { location: '/there' }).end();
      else reply.end('whole');
    });
    expect(await get(url)).toEqual({ problem: null, text: 'whole' });
    expect([...new Set(seen)].sort()).toEqual(['accept', 'connection', 'host']);
  });

  it('has no more bytes than it may, said or not', async () => {
    const url = await serve((request, reply) => {
      if (request.url === '/file') return void reply.writeHead(200, { 'content-length': 2000 }).end('x'.repeat(2000));
      const more = () => {
        if (reply.destroyed) return;
        reply.write('x'.repeat(500));
        setImmediate(more);
      };
      more();
    });
    expect(await get(url)).toEqual({ problem: 'too_large', text: '' });
    const endless = await get(url.replace('file', 'endless'));
    expect(endless.problem).toBe('too_large');
    expect(endless.text.length).toBeLessThanOrEqual(LIMITS.maxBytes);
  });

  it('is refused where it breaks off', async () => {
    const url = await serve((_request, reply) => {
      reply.writeHead(200, { 'content-length': 500 });
      reply.write('half', () => reply.destroy());
    });
    expect((await get(url)).problem).toBe('incomplete');
  });

  it('does not wait for ever: for an answer, for the next byte, for the last', async () => {
    const url = await serve((request, reply) => {
      if (request.url === '/silent') return;
      reply.writeHead(200);
      reply.write('x');
      if (request.url !== '/slow') return;
      const drop = setInterval(() => (reply.destroyed ? clearInterval(drop) : reply.write('x')), 5);
    });
    const idle = { ...LIMITS, idleMs: 50 };
    expect((await get(url.replace('file', 'silent'), idle)).problem).toBe('unreachable');
    expect((await get(url, idle)).problem).toBe('unreachable');
    const total = { ...LIMITS, maxBytes: 1e9, totalMs: 100 };
    expect((await get(url.replace('file', 'slow'), total)).problem).toBe('unreachable');
  });

  it.each([
    ['a status that is not 200', (_: unknown, reply: Parameters<RequestListener>[1]) => reply.writeHead(404).end('x')],
    [
      'a redirect from this machine to elsewhere',
      (_: unknown, reply: Parameters<RequestListener>[1]) =>
        reply.writeHead(302, { location: 'http://192.168.1.1/' }).end(),
    ],
    [
      'redirects without end',
      (_: unknown, reply: Parameters<RequestListener>[1]) => reply.writeHead(302, { location: '/file' }).end(),
    ],
  ])('is refused for %s', async (_, listener) => {
    expect((await get(await serve(listener))).problem).toBe('unreachable');
  });

  it.each(['http://example.org/', 'https://10.0.0.1/', 'https://169.254.169.254/', 'https://[fd00::1]/'])(
    'is not made from %s',
    async (url) => {
      expect((await get(url)).problem).toBe('unreachable');
    },
  );

  it('passes on what its taker throws', async () => {
    const url = await serve((_request, reply) => reply.end('x'));
    const full = new Error('no space left');
    const failing = () => {
      throw full;
    };
    await expect(download(url, LIMITS, failing)).rejects.toBe(full);
  });
});
