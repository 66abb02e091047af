// Backups as files over the administrator's door: `GET panel/backups/<name>` sends one, `POST panel/backups` takes one in, as streams.
import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Router } from 'express';
import { PanelError } from '../core/panel-error.ts';
import { forgetBroken, onBroken } from './broken.ts';
import { type Exchange, send } from './exchange.ts';
import { callOf, type PanelDoorParts, requireSession, routeOf } from './panel-call.ts';
import { isOwnRead, isOwnRequest } from './same-origin.ts';

const TYPE = 'application/octet-stream';

/** Both need the session's cookie and the panel's own pages. A file that is sent here gets a name from the panel. */
export function addBackupFiles(router: Router, parts: PanelDoorParts): void {
  router.use(
    '/panel/backups',
    routeOf(parts, '/panel/backups/{name}', 'GET, POST', (exchange, { path }) =>
      exchange.request.method === 'GET' ? download(parts, exchange, path.slice(1)) : upload(parts, exchange, path),
    ),
  );
}

async function download(parts: PanelDoorParts, exchange: Exchange, name: string): Promise<void> {
  const { request, response, host, id, route, startedAt } = exchange;
  if (!isOwnRead(request)) throw new PanelError('foreign_origin');
  const { actor } = requireSession(parts, request);
  const { sizeBytes, chunks } = await parts.core.backupFiles.open(name, callOf(parts, exchange, actor));
  response.writeHead(200, {
    'Content-Type': TYPE,
    'Content-Length': sizeBytes,
    'Content-Disposition': `attachment; filename="${name}"`,
    'X-Request-Id': id,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  });
  host.observe(route, 'GET', 200, (performance.now() - startedAt) / 1000);
  // Whoever goes away in the middle knows it; the head is out, so nothing else can be said.
  await pipeline(chunks, response).catch(() => response.destroy());
}

async function upload(parts: PanelDoorParts, exchange: Exchange, path: string): Promise<void> {
  const { request, response } = exchange;
  if (!isOwnRequest(request)) throw new PanelError('foreign_origin');
  const { actor } = requireSession(parts, request);
  if (path !== '/') throw new PanelError('not_found');
  if (request.headers['content-type'] !== TYPE || request.headers['content-encoding'] !== undefined) {
    throw new PanelError('unsupported_media_type');
  }
  if (request.headers.expect !== undefined) response.writeContinue();
  const made = await parts.core.backupFiles.receive(bodyOf(request), callOf(parts, exchange, actor));
  send(exchange, 201, 'application/json', JSON.stringify(made));
}

/**
 * The body as it comes, however long it takes: the server's time limit for requests, which says every few seconds that it is over,
 * ends it only where nothing came since. Throws PanelError `bad_json` where it breaks off.
 */
async function* bodyOf(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  const { socket } = request;
  let bytes = 0;
  let bytesBefore = 0;
  const lookForProgress = () => {
    if (bytes === bytesBefore) return void request.destroy();
    bytesBefore = bytes;
    onBroken(socket, lookForProgress);
  };
  onBroken(socket, lookForProgress);
  try {
    for await (const chunk of request) {
      bytes += chunk.length;
      yield chunk;
    }
  } catch {
    throw new PanelError('bad_json', [{ pointer: '#', code: 'incomplete', message: 'must arrive whole and in time' }]);
  } finally {
    forgetBroken(socket);
  }
}
