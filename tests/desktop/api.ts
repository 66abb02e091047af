// Sends requests to the panel's sockets, as a bot on the network does.
import { readFileSync } from 'node:fs';
import https from 'node:https';
import { join } from 'node:path';
import type { Machine } from './driver.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface RequestOptions {
  readonly method?: string;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Trusts the panel's own certificate authority. Rejects if nothing listens. */
export function request(
  { data }: Machine,
  url: string,
  { method, key, headers, body }: RequestOptions = {},
): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const text = body === undefined ? undefined : JSON.stringify(body);
  const sent = https.request(
    url,
    {
      method: method ?? (text === undefined ? 'GET' : 'POST'),
      agent: false,
      ca: readFileSync(join(data, 'tls', 'ca.pem')),
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(text !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
    },
    (response) => {
      let received = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        received += chunk;
      });
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: received }),
      );
    },
  );
  sent.on('error', reject);
  sent.end(text);
  return promise;
}
