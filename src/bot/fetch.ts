// Requests of grammY's client over the panel's own connections; replies are bounded before they are parsed.
import http from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';
import type { ParseLargeJson } from '../core/ports/json.ts';
import { createJsonMeter, isLargeJson, JsonRefusal, parseCountedJson } from '../domain/foreign-json.ts';

/** Bounds of a reply: 25 updates with a hundred entities each have less. */
const BOUNDS = { bytes: 4 * 2 ** 20, values: 100_000, depth: 32 };

/** The parts of `fetch` that grammY's client uses. */
interface RequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, or a form with files. */
  readonly body?: string | Readable | AsyncIterable<Uint8Array>;
  readonly signal?: Pick<AbortSignal, 'aborted' | 'addEventListener' | 'removeEventListener'>;
}

/** The server does not answer as the Bot API does. */
export class NotBotApi extends Error {}

async function readJson(reply: http.IncomingMessage, parseLarge: ParseLargeJson): Promise<unknown> {
  // A redirect would take the token along.
  if (Math.floor((reply.statusCode ?? 0) / 100) === 3) {
    reply.destroy();
    throw new NotBotApi('a redirect');
  }
  const meter = createJsonMeter(BOUNDS);
  const parts: Buffer[] = [];
  for await (const part of reply as AsyncIterable<Buffer>) {
    meter.add(part);
    parts.push(part);
  }
  const whole = Buffer.concat(parts);
  return isLargeJson(meter) ? parseLarge(whole) : parseCountedJson(whole);
}

/** `agent`: connections to the host of the API, or to its proxy. */
export function createBotFetch(agent: http.Agent, parseLarge: ParseLargeJson) {
  return (url: string | URL, { method = 'POST', headers = {}, body = '', signal }: RequestOptions = {}) =>
    new Promise<{ json(): Promise<unknown> }>((resolve, reject) => {
      const { request } = new URL(url).protocol === 'https:' ? https : http;
      const sent = request(url, { method, agent, headers: { ...headers, accept: 'application/json' } });
      const abort = () => sent.destroy(new Error('aborted'));
      signal?.addEventListener('abort', abort);
      if (signal?.aborted) abort();
      sent.on('close', () => signal?.removeEventListener('abort', abort));
      sent.on('error', reject);
      sent.on('response', (reply) => {
        const read = readJson(reply, parseLarge).catch((error: unknown) => {
          throw error instanceof JsonRefusal ? new NotBotApi(error.message) : error;
        });
        resolve({ json: () => read });
      });
      if (typeof body === 'string') sent.end(body);
      else
        Readable.from(body)
          .on('error', (error) => sent.destroy(error))
          .pipe(sent);
    });
}
