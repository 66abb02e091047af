// The built admin pages: the index with a new nonce for its styles, every other file unchanged.
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import express, { type RequestHandler } from 'express';
import { LOCKED_POLICY } from '../door/call.ts';

export interface Pages {
  /** The index with its content security policy. */
  index(): Page;
  /** Whether a raw path such as `/assets/index-1a2b.js` is a served file of the build. */
  has(path: string): boolean;
  /** Serves files of the build; passes on other requests. */
  readonly files: RequestHandler;
  /** A file or (`/`) the index for a host that serves pages without HTTP; null: no such file. */
  read(path: string): Page | null;
}

export interface Page {
  /** Alternating names and values. */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
};
/** Files compressed by the build, smallest first: beside the original, or instead of it in packages. */
const BROTLI = '.br';
const ENCODINGS = [
  { name: 'br', ending: BROTLI },
  { name: 'gzip', ending: '.gz' },
] as const;
const INDEX = 'index.html';
const NONCE = '__STYLE_NONCE__';
/** Files with content hashes in their names, which never change. */
const IMMUTABLE = '/assets/';

/**
 * The pages of a folder; null: not built. Only files that exist when it is opened are served: paths are looked up, never joined, so path traversal is
 * impossible.
 */
export function openPages(folder: string): Pages | null {
  const indexPath = join(folder, INDEX);
  if (!existsSync(indexPath)) return null;
  const indexParts = readFileSync(indexPath, 'utf8').split(NONCE);
  const names = findFiles(folder);
  const index = () => makeIndex(indexParts);
  const findContentType = (path: string) =>
    names.has(path) || names.has(path + BROTLI) ? TYPES[extname(path)] : undefined;
  const readContent = (path: string) =>
    names.has(path)
      ? readFileSync(join(folder, path))
      : brotliDecompressSync(readFileSync(join(folder, path + BROTLI)));
  return {
    index,
    has: (path) => findContentType(path) !== undefined,
    files: serveFiles(folder, names, { findContentType, readContent }),
    read(path) {
      if (path === '/') return index();
      const type = findContentType(path);
      if (type === undefined) return null;
      return {
        headers: [...fileHeaders(), 'Content-Security-Policy', LOCKED_POLICY, 'Content-Type', type],
        body: readContent(path),
      };
    },
  };
}

/** The pages of this installation; null: not built. */
export function openInstalledPages(): Pages | null {
  // Two folders up in the sources and in the bundle.
  return openPages(fileURLToPath(new URL('../../out/renderer', import.meta.url)));
}

/** Names such as `/assets/index-1a2b.js`, including compressed files. */
function findFiles(folder: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) names.add(`/${relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/')}`);
  }
  return names;
}

/** Headers of every file. */
function fileHeaders(): string[] {
  return [
    'X-Content-Type-Options',
    'nosniff',
    'Referrer-Policy',
    'no-referrer',
    'Cross-Origin-Resource-Policy',
    'same-origin',
  ];
}

/** Express serves the file in the smallest encoding that the client accepts. */
function serveFiles(
  folder: string,
  names: ReadonlySet<string>,
  {
    findContentType,
    readContent,
  }: { findContentType(path: string): string | undefined; readContent(path: string): Buffer },
): RequestHandler {
  const sendFile = express.static(folder, {
    acceptRanges: false,
    cacheControl: false,
    dotfiles: 'ignore',
    index: false,
    lastModified: false,
    redirect: false,
  });
  return (request, response, next) => {
    const [path = ''] = request.url.split('?');
    const type = findContentType(path);
    if (type === undefined) return next();
    const encoding = ENCODINGS.find(({ name, ending }) => names.has(path + ending) && request.acceptsEncodings(name));
    const cache = path.startsWith(IMMUTABLE) ? 'private, max-age=31536000, immutable' : 'private, no-cache';
    response.setHeaders(new Map(toPairs(fileHeaders())));
    response.setHeader('Content-Security-Policy', LOCKED_POLICY);
    response.setHeader('Content-Type', type);
    response.setHeader('Cache-Control', cache);
    response.setHeader('Vary', 'Accept-Encoding');
    if (encoding !== undefined) {
      response.setHeader('Content-Encoding', encoding.name);
      request.url = path + encoding.ending;
    } else if (!names.has(path) && ['GET', 'HEAD'].includes(request.method)) return response.send(readContent(path));
    return sendFile(request, response, next);
  };
}

/** The content security policy of pages: own origin only, no framing. */
function buildCsp(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function makeIndex(parts: readonly string[]): Page {
  const nonce = randomBytes(16).toString('base64url');
  const headers = [
    ...fileHeaders(),
    'Content-Type',
    'text/html; charset=utf-8',
    'Cache-Control',
    'no-store',
    'Content-Security-Policy',
    buildCsp(nonce),
    'X-Frame-Options',
    'DENY',
    'Cross-Origin-Opener-Policy',
    'same-origin',
    'Permissions-Policy',
    'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  ];
  return { headers, body: Buffer.from(parts.join(nonce)) };
}

/** Converts to name-value pairs. */
export function toPairs(list: readonly string[]): [name: string, value: string][] {
  return Array.from({ length: list.length / 2 }, (_, index) => [list[index * 2] ?? '', list[index * 2 + 1] ?? '']);
}
