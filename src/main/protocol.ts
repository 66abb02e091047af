// Serves the pages under app://gatehouse/, and backups as files beside them; there is nothing else under that address.
import type { Protocol } from 'electron';
import { problemOf } from '../contract/errors.ts';
import { PanelError } from '../core/panel-error.ts';
import type { Log } from '../core/ports/ports.ts';
import type { InnerDoor } from '../http/inner-door.ts';
import type { Ui } from '../http/ui.ts';
import { failureOf } from './envelope.ts';
import { isOwnUrl, ORIGIN, SCHEME } from './security.ts';

const BACKUPS = '/panel/backups/';
const FILE = 'application/octet-stream';

/** To be called before the application is ready. Standard and secure, so that it is an origin; it bypasses no policy. */
export function registerScheme(protocol: Pick<Protocol, 'registerSchemesAsPrivileged'>): void {
  const privileges = { standard: true, secure: true, supportFetchAPI: true, stream: true };
  protocol.registerSchemesAsPrivileged([{ scheme: SCHEME, privileges }]);
}

export interface ServedParts {
  readonly pages: Pick<Ui, 'read'>;
  /** null while no panel is open. */
  door(): InnerDoor | null;
  readonly log: Pick<Log, 'error'>;
}

export function serveScheme(protocol: Pick<Protocol, 'handle'>, parts: ServedParts): void {
  protocol.handle(SCHEME, (request) => answer(parts, request));
}

/** A path is looked up among the names of the built files and never put together, so none can lead out of them. */
export async function answer(parts: ServedParts, request: Request): Promise<Response> {
  const url = URL.parse(request.url);
  const origin = request.headers.get('origin');
  if (url === null || !isOwnUrl(request.url) || (origin !== null && origin !== ORIGIN)) return nothing();
  try {
    if (url.pathname.startsWith(BACKUPS)) return await exchangeBackup(parts, request, url.pathname);
    const page = request.method === 'GET' ? parts.pages.read(url.pathname) : null;
    if (page === null) return nothing();
    return new Response(new Uint8Array(page.body), { headers: pairs(page.headers) });
  } catch (error) {
    const { problem } = failureOf(error, parts.log);
    return Response.json(problem, { status: problem.status, headers: { 'Content-Type': 'application/problem+json' } });
  }
}

async function exchangeBackup({ door }: ServedParts, request: Request, path: string): Promise<Response> {
  const open = door();
  if (open === null) throw new PanelError('unavailable');
  const name = decodeURIComponent(path.slice(BACKUPS.length));
  if (request.method === 'GET') {
    const { sizeBytes, chunks } = await open.download(name);
    const headers = {
      'Content-Type': FILE,
      'Content-Length': String(sizeBytes),
      'Content-Disposition': `attachment; filename="${name}"`,
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    };
    return new Response(ReadableStream.from(chunks) as ReadableStream<Uint8Array<ArrayBuffer>>, { headers });
  }
  if (request.method !== 'POST' || name !== '') throw new PanelError('not_found');
  if (request.headers.get('content-type') !== FILE || request.body === null) {
    throw new PanelError('unsupported_media_type');
  }
  return Response.json(await open.upload(request.body), { status: 201 });
}

function nothing(): Response {
  return Response.json(problemOf('not_found', 'none'), { status: 404 });
}

function pairs(list: readonly string[]): [string, string][] {
  return Array.from({ length: list.length / 2 }, (_, index) => [list[index * 2] ?? '', list[index * 2 + 1] ?? '']);
}
