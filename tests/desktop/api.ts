// Asks the panel's sockets, as a bot on the network would.
import { readFileSync } from 'node:fs';
import https from 'node:https';
import { join } from 'node:path';
import type { Machine } from './driver.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface Asked {
  readonly method?: string;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Over the panel's own authority. Rejects where nothing listens. */
export function ask({ data }: Machine, url: string, { method, key, headers, body }: Asked = {}): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const text = body === undefined ? undefined : JSON.stringify(body);
  const request = https.request(
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
  request.on('error', reject);
  request.end(text);
  return promise;
}
