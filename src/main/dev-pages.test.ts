// The pages of the development server: with a policy of their own, from this machine only, never in a packaged application.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { findDevPages } from './dev-pages.ts';

/** A development server that replies with the path of the request. */
async function serve(): Promise<string> {
  const server = createServer((request, response) => {
    const isPage = request.url === '/';
    response.setHeader('Content-Type', isPage ? 'text/html; charset=utf-8' : 'text/javascript');
    response.end(isPage ? '<script nonce="__STYLE_NONCE__"></script>' : `// ${request.url}`);
  });
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('serves the page with a fresh nonce and a policy that names it', async () => {
  const address = await serve();
  const pages = findDevPages(address, false);
  const first = await pages?.(new URL('app://gatehouse/'));
  const policy = first?.headers.get('content-security-policy') ?? '';
  const nonce = /script-src 'self' 'nonce-([\w-]{22})'/.exec(policy)?.[1];
  expect(await first?.text()).toBe(`<script nonce="${nonce}"></script>`);
  expect(policy).toContain(`connect-src 'self' ${address.replace('http', 'ws')};`);
  const second = await pages?.(new URL('app://gatehouse/'));
  expect(second?.headers.get('content-security-policy')).not.toBe(policy);
});

it('passes on the query, by which Vite distinguishes versions of a module', async () => {
  const pages = findDevPages(await serve(), false);
  const reply = await pages?.(new URL('app://gatehouse/src/main.tsx?t=1'));
  expect(await reply?.text()).toBe('// /src/main.tsx?t=1');
  expect(reply?.headers.get('content-type')).toBe('text/javascript');
});

it('requests no other host, whatever the path is', async () => {
  const pages = findDevPages(await serve(), false);
  const reply = await pages?.(new URL('app://gatehouse//evil.example/x'));
  expect(await reply?.text()).toBe('// //evil.example/x');
});

it.each([
  ['in a packaged application', 'http://127.0.0.1:5173', true],
  ['without an address', undefined, false],
  ['from another machine', 'http://192.168.1.10:5173', false],
  ['from a name with the same prefix', 'http://localhost.example:5173', false],
  ['over another scheme', 'file:///tmp/pages', false],
  ['from something that is not an address', 'pages', false],
])('serves nothing %s', (_case, address, isPackaged) => {
  expect(findDevPages(address, isPackaged)).toBeNull();
});
