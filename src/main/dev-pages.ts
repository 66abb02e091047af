// The pages of `npm run dev:desktop`, with hot reload, under app://gatehouse/. For development only: a packaged application and an
// address that is not on this machine are refused, so that an environment variable cannot put foreign pages into the window.
import { randomBytes } from 'node:crypto';
import type { PageSource } from './protocol.ts';

/** The placeholder of the nonce in index.html and electron.vite.config.ts. */
const NONCE = '__STYLE_NONCE__';
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** `address`: ELECTRON_RENDERER_URL, which electron-vite sets. null: serve the built pages instead. */
export function findDevPages(address: string | undefined, isPackaged: boolean): PageSource | null {
  const server = address === undefined || isPackaged ? null : URL.parse(address);
  if (server === null || server.protocol !== 'http:' || !LOOPBACK.has(server.hostname)) return null;
  return async ({ pathname, search }) => {
    const target = new URL(server);
    target.pathname = pathname;
    target.search = search;
    const { status, headers, body } = await fetch(target, { redirect: 'error' });
    const type = headers.get('content-type') ?? 'text/plain';
    if (!type.startsWith('text/html')) return new Response(body, { status, headers: { 'Content-Type': type } });
    const nonce = randomBytes(16).toString('base64url');
    const page = (await new Response(body).text()).replaceAll(NONCE, nonce);
    const policy = devPolicy(nonce, `ws://${server.host}`);
    return new Response(page, { status, headers: { 'Content-Type': type, 'Content-Security-Policy': policy } });
  };
}

/**
 * The policy of the built pages and what a development server needs besides: @vitejs/plugin-react puts a script into the page, which
 * carries the nonce; changes arrive over a socket; and Vite's client waits in a worker for the server to come back.
 */
export function devPolicy(nonce: string, socket: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    `connect-src 'self' ${socket}`,
    "font-src 'self'",
    "worker-src 'self' blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
