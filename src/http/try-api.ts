// Asks the API door from inside the process: "Try it" goes through the very checks that a request over the network goes through.
import { IncomingMessage, ServerResponse } from 'node:http';
import type { Input, Output } from '../contract/table.ts';
import type { Door } from './door.ts';

/** Sends one GET request for who sent `outer`: the same address, the key that was typed. Never rejects: the API answers everything. */
export type TryApi = (input: Input<'tryApi'>, outer: Outer) => Promise<Output<'tryApi'>>;

/** What tells who asks. */
type Outer = Pick<IncomingMessage, 'socket' | 'headers'>;

export function createTryApi(api: Door): TryApi {
  return ({ path, key, accept }, outer) => {
    const { promise, resolve } = Promise.withResolvers<Output<'tryApi'>>();
    const request = requestOf(outer, path, key, accept);
    api(request, answerTo(request, resolve), path);
    return promise;
  };
}

function requestOf(outer: Outer, path: string, key: string, accept: string | undefined): IncomingMessage {
  const { 'x-forwarded-for': forwarded } = outer.headers;
  const request = new IncomingMessage(outer.socket);
  const headers: Record<string, string> = {
    authorization: `Bearer ${key}`,
    ...(accept !== undefined && { accept }),
    ...(forwarded !== undefined && { 'x-forwarded-for': String(forwarded) }),
  };
  return Object.assign(request, {
    method: 'GET',
    url: path,
    headers,
    rawHeaders: Object.entries(headers).flat(),
    // Nothing is still to come.
    complete: true,
  });
}

/** A response that goes nowhere: what a door writes is told to `done`. */
function answerTo(request: IncomingMessage, done: (answer: Output<'tryApi'>) => void): ServerResponse {
  const response = new ServerResponse(request);
  let status = 0;
  const headers: Record<string, string> = {};
  return Object.assign(response, {
    writeHead(code: number, list: readonly string[]) {
      status = code;
      for (let index = 0; index < list.length; index += 2)
        headers[list[index]?.toLowerCase() ?? ''] = list[index + 1] ?? '';
      return response;
    },
    end(body: string | Uint8Array = '') {
      done({ status, headers, body: typeof body === 'string' ? body : Buffer.from(body).toString() });
      return response;
    },
  });
}
