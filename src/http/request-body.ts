// Takes in the body of a request: judged by its headers first, never more than 1 MiB in memory.
import { PanelError } from '../core/panel-error.ts';
import { forgetBroken, onBroken } from './broken.ts';
import { endGently } from './closing.ts';
import type { Exchange } from './exchange.ts';

/** The largest body, in bytes; more is refused before it is buffered. */
export const MAX_BODY_BYTES = 1_048_576;

const JSON_TYPE = 'application/json';
const MERGE_PATCH_TYPE = 'application/merge-patch+json';
const MEDIA_TYPE = /^([!#$%&'*+.^_`|~\w-]+\/[!#$%&'*+.^_`|~\w-]+)[ \t]*(;.*)?$/;
const CHARSET = /;[ \t]*charset[ \t]*=[ \t]*("?)([^\s;"]*)\1[ \t]*(?=;|$)/i;
const NO_BODY = Buffer.alloc(0);

/**
 * Judges the headers of a body. Throws PanelError `body_too_large`, `unsupported_media_type`. An empty body needs no type.
 */
export function requireBodyHeaders({ request }: Exchange): void {
  const { headers } = request;
  const announced = headers['content-length'];
  if (announced !== undefined && Number(announced) > MAX_BODY_BYTES) throw new PanelError('body_too_large');
  const coding = headers['content-encoding'];
  if (coding !== undefined && coding.trim().toLowerCase() !== 'identity')
    throw new PanelError('unsupported_media_type');
  const type = headers['content-type'];
  if (type === undefined ? !hasNoBody(request) : !isJson(type, request.method === 'PATCH')) {
    throw new PanelError('unsupported_media_type');
  }
}

function hasNoBody({ headers }: Exchange['request']): boolean {
  return headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0';
}

function isJson(header: string, isPatch: boolean): boolean {
  const match = MEDIA_TYPE.exec(header.trim());
  if (match === null) return false;
  const [, type = '', parameters = ''] = match;
  const name = type.toLowerCase();
  if (name !== JSON_TYPE && !(isPatch && name === MERGE_PATCH_TYPE)) return false;
  const charset = CHARSET.exec(parameters)?.[2];
  return charset === undefined ? !/charset/i.test(parameters) : charset.toLowerCase() === 'utf-8';
}

/**
 * Reads the body and passes its bytes to `done`, or what went wrong to `fail`: PanelError `body_too_large`, or `bad_json`
 * where it breaks off. Neither is called when the caller has gone.
 */
export function readBody(exchange: Exchange, done: (body: Buffer) => void, fail: (error: unknown) => void): void {
  const { request, response } = exchange;
  if (hasNoBody(request)) {
    done(NO_BODY);
    return;
  }
  const chunks: Buffer[] = [];
  let size = 0;
  const stop = () => {
    forgetBroken(request.socket);
    request.removeAllListeners('data');
    request.removeAllListeners('end');
  };
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) {
      stop();
      fail(new PanelError('body_too_large'));
    } else {
      chunks.push(chunk);
    }
  });
  request.on('end', () => {
    stop();
    done(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, size));
  });
  onBroken(request.socket, () => {
    stop();
    response.shouldKeepAlive = false;
    endGently(request.socket);
    fail(new PanelError('bad_json', [{ pointer: '#', code: 'incomplete', message: 'must arrive whole and in time' }]));
  });
  if (request.headers.expect !== undefined) response.writeContinue();
}
