// Serves the built pages under the secret path: the index with a fresh nonce for its styles, everything else as it was built.
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import type { Exchange } from './exchange.ts';

export interface Ui {
  /**
   * Answers GET and HEAD of a raw path below the secret path, as `/assets/index-1a2b.js`. False, and no answer, where no such
   * file was built.
   */
  answer(exchange: Exchange, path: string): boolean;
  /** The same, uncompressed, for a host that serves the pages without HTTP; null where no such file was built. */
  read(path: string): Page | null;
}

export interface Page {
  /** Names and values by turns. */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

interface File {
  readonly type: string;
  readonly etag: string;
  /** Named by its content: it never changes under this name. */
  readonly isImmutable: boolean;
  readonly bodies: ReadonlyMap<Encoding, Buffer>;
}

type Encoding = 'br' | 'gzip' | 'identity';

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
};
const COMPRESSED: readonly (readonly [Encoding, string])[] = [
  ['br', '.br'],
  ['gzip', '.gz'],
];
/** What every file carries, however it is served. */
const COMMON = [
  ...['X-Content-Type-Options', 'nosniff'],
  ...['Referrer-Policy', 'no-referrer'],
  ...['Cross-Origin-Resource-Policy', 'same-origin'],
];
const INDEX = 'index.html';
const NONCE = '__STYLE_NONCE__';

/**
 * The pages of a folder that a build has left, held in memory; null where there are none. What is served is what is in the
 * folder when it is opened: a path is looked up among the files' names and never put together, so none can lead out of it.
 */
export function openUi(folder: string): Ui | null {
  const indexPath = join(folder, INDEX);
  if (!existsSync(indexPath)) return null;
  const index = readFileSync(indexPath, 'utf8').split(NONCE);
  const files = readFiles(folder);
  return {
    answer(exchange, path) {
      if (path === '/') {
        const { headers, body } = indexPage(index);
        reply(exchange, 200, body, headers);
        return true;
      }
      const file = files.get(path);
      if (file === undefined) return false;
      sendFile(exchange, file);
      return true;
    },
    read(path) {
      if (path === '/') {
        const { headers, body } = indexPage(index);
        return { headers: [...COMMON, ...headers], body };
      }
      const file = files.get(path);
      const body = file?.bodies.get('identity');
      return file && body ? { headers: [...COMMON, 'Content-Type', file.type], body } : null;
    },
  };
}

function readFiles(folder: string): ReadonlyMap<string, File> {
  const files = new Map<string, File>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const type = TYPES[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const path = join(entry.parentPath, entry.name);
    const name = `/${relative(folder, path).split(sep).join('/')}`;
    const plain = readFileSync(path);
    const bodies = new Map<Encoding, Buffer>([['identity', plain]]);
    for (const [encoding, ending] of COMPRESSED) {
      if (existsSync(path + ending)) bodies.set(encoding, readFileSync(path + ending));
    }
    const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
    files.set(name, { type, etag, isImmutable: name.startsWith('/assets/'), bodies });
  }
  return files;
}

/** What a page of the panel may do: load and ask its own origin, nothing else, and be framed by nobody. */
export function policyOf(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function indexPage(parts: readonly string[]): Page {
  const nonce = randomBytes(16).toString('base64url');
  const headers = [
    ...['Content-Type', 'text/html; charset=utf-8'],
    ...['Cache-Control', 'no-store'],
    ...['Content-Security-Policy', policyOf(nonce)],
    ...['X-Frame-Options', 'DENY'],
    ...['Cross-Origin-Opener-Policy', 'same-origin'],
    ...['Permissions-Policy', 'camera=(), geolocation=(), microphone=(), payment=(), usb=()'],
  ];
  return { headers, body: Buffer.from(parts.join(nonce)) };
}

function sendFile(exchange: Exchange, { type, etag, isImmutable, bodies }: File): void {
  const { headers } = exchange.request;
  const common = [
    ...['Cache-Control', isImmutable ? 'private, max-age=31536000, immutable' : 'private, no-cache'],
    ...['ETag', etag],
    ...['Vary', 'Accept-Encoding'],
  ];
  if (headers['if-none-match'] === etag) {
    reply(exchange, 304, null, common);
    return;
  }
  const encoding = chooseEncoding(String(headers['accept-encoding'] ?? ''), bodies);
  const body = bodies.get(encoding) ?? null;
  reply(exchange, 200, body, [
    ...['Content-Type', type],
    ...common,
    ...(encoding === 'identity' ? [] : ['Content-Encoding', encoding]),
  ]);
}

/** The smallest form that the client says it reads. */
function chooseEncoding(accepted: string, bodies: ReadonlyMap<Encoding, Buffer>): Encoding {
  const refused = /(?:^|,)\s*(br|gzip)\s*;\s*q=0(?:\.0*)?\s*(?=,|$)/g;
  const taken = accepted.replaceAll(refused, '');
  return COMPRESSED.find(([name]) => bodies.has(name) && new RegExp(`\\b${name}\\b`).test(taken))?.[0] ?? 'identity';
}

function reply(exchange: Exchange, status: number, body: Buffer | null, headers: readonly string[]): void {
  const { host, request, response, id, route, startedAt } = exchange;
  response.writeHead(status, [
    ...['X-Request-Id', id],
    ...COMMON,
    ...headers,
    ...(body === null ? [] : ['Content-Length', String(body.length)]),
    ...(host.isClosing() ? ['Connection', 'close'] : []),
  ]);
  if (body === null || request.method === 'HEAD') response.end();
  else response.end(body);
  host.observe(route, request.method ?? '', status, (performance.now() - startedAt) / 1000);
}
