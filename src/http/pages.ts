// The administrator's pages as the build has left them: the index with a fresh nonce for its styles, every other file unchanged.
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import express, { type RequestHandler } from 'express';
import { LOCKED_POLICY } from '../door/call.ts';

export interface Pages {
  /** The index, with its own policy. */
  index(): Page;
  /** Whether a raw path, as `/assets/index-1a2b.js`, names a file of the build that is served. */
  has(path: string): boolean;
  /** Serves the files of the build; passes on what is none of them. */
  readonly files: RequestHandler;
  /** A file or (`/`) the index for a host that serves the pages without HTTP; null where no such file was built. */
  read(path: string): Page | null;
}

export interface Page {
  /** Names and values by turns. */
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
/** Compressed by the build, the smallest first: beside the file, or in its place where the pages are packed. */
const BROTLI = '.br';
const ENCODINGS = [
  { name: 'br', ending: BROTLI },
  { name: 'gzip', ending: '.gz' },
] as const;
const INDEX = 'index.html';
const NONCE = '__STYLE_NONCE__';
/** Files here are named by their content: they never change under one name. */
const IMMUTABLE = '/assets/';

/**
 * The pages of a folder; null where none were built. Only files that are there when it is opened are served: a path is looked
 * up among their names and never put together, so none can lead out of the folder.
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

/** The pages of this installation, where the build puts them; null where they have not been built. */
export function openInstalledPages(): Pages | null {
  // Two folders up both from the sources and from the bundle.
  return openPages(fileURLToPath(new URL('../../out/renderer', import.meta.url)));
}

/** Names as `/assets/index-1a2b.js`, compressed forms included. */
function findFiles(folder: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) names.add(`/${relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/')}`);
  }
  return names;
}

/** What every file carries, however it is served. */
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

/** Express serves the file, in the smallest form that the client accepts. */
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

/** What a page of the panel may do: load and call its own origin, nothing else, and be framed by no page. */
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

/** Names with their values. */
export function toPairs(list: readonly string[]): [name: string, value: string][] {
  return Array.from({ length: list.length / 2 }, (_, index) => [list[index * 2] ?? '', list[index * 2 + 1] ?? '']);
}
