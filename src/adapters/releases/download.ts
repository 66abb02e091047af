// Downloads files of releases: over HTTPS from public addresses, bounded in bytes and time. A server on this machine is allowed too, also
// over HTTP, if it is the configured source.
import { lookup as systemLookup } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { UpdateProblem } from '../../contract/updates.ts';
import { isAllowedAddress } from '../outbound-address.ts';

export interface DownloadLimits {
  readonly maxBytes: number;
  /** Fails after this long without a byte. */
  readonly idleMs: number;
  readonly totalMs: number;
}

/** GitHub and mirrors redirect once or twice. */
const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

class Refused extends Error {
  readonly problem: UpdateProblem;
  constructor(problem: UpdateProblem) {
    super(problem);
    this.problem = problem;
  }
}

/**
 * Passes the body of `url` to `onChunk`, chunk by chunk. The request identifies nothing: no cookie, version or name. Resolves to null, or
 * to the reason of the failure; rejects if `onChunk` throws.
 */
export async function download(
  url: string,
  limits: DownloadLimits,
  onChunk: (chunk: Buffer) => void,
): Promise<UpdateProblem | null> {
  const signal = AbortSignal.timeout(limits.totalMs);
  const isLocal = isLoopback(new URL(url));
  let next = url;
  try {
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const location = await request(new URL(next), isLocal, limits, signal, onChunk);
      if (location === null) return null;
      next = new URL(location, next).href;
    }
    return 'unreachable';
  } catch (error) {
    if (error instanceof Refused) return error.problem;
    if (error instanceof TakeFailed) throw error.cause;
    return 'unreachable';
  }
}

class TakeFailed extends Error {}

/** Resolves to the address of a redirect; null: the body was passed on. */
function request(
  url: URL,
  isLocal: boolean,
  { maxBytes, idleMs }: DownloadLimits,
  signal: AbortSignal,
  onChunk: (chunk: Buffer) => void,
): Promise<string | null> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isRefused = isLocal ? !isLoopback(url) : url.protocol !== 'https:';
  if (isRefused || (isIP(host) !== 0 && !isAllowedAddress(host, isLocal)))
    return Promise.reject(new Refused('unreachable'));
  return new Promise((resolve, reject) => {
    const client = url.protocol === 'https:' ? https : http;
    const sent = client.get(url, { signal, agent: false, lookup: checkedLookup(isLocal), headers: { Accept: '*/*' } });
    let failure: Error | null = null;
    let location: string | null = null;
    let isWhole = false;
    const fail = (error: Error) => {
      failure ??= error;
      sent.destroy();
    };
    sent.setTimeout(idleMs, () => fail(new Refused('unreachable')));
    sent.on('error', fail);
    sent.on('response', (reply) => {
      const { statusCode = 0, headers } = reply;
      reply.on('error', () => fail(new Refused('incomplete')));
      if (REDIRECTS.has(statusCode) && headers.location !== undefined) {
        location = headers.location;
        return void sent.destroy();
      }
      if (statusCode !== 200) return fail(new Refused('unreachable'));
      if (Number(headers['content-length'] ?? 0) > maxBytes) return fail(new Refused('too_large'));
      let received = 0;
      reply.on('data', (chunk: Buffer) => {
        received += chunk.length;
        if (received > maxBytes) return fail(new Refused('too_large'));
        try {
          onChunk(chunk);
        } catch (error) {
          fail(new TakeFailed('what was received could not be written', { cause: error }));
        }
      });
      reply.on('end', () => {
        isWhole = reply.complete;
      });
    });
    sent.on('close', () => {
      if (location !== null) resolve(location);
      else if (failure === null && isWhole) resolve(null);
      else reject(failure ?? new Refused('incomplete'));
    });
  });
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
}

/** Resolves once and returns checked addresses only. */
const checkedLookup =
  (isLocal: boolean): LookupFunction =>
  (host, options, done) => {
    systemLookup(host, { all: true }, (error, found) => {
      const [first] = found ?? [];
      if (error || first === undefined) return done(error ?? new Refused('unreachable'), '');
      if (!found.every(({ address }) => isAllowedAddress(address, isLocal)))
        return done(new Refused('unreachable'), '');
      return options.all ? done(null, found) : done(null, first.address, first.family);
    });
  };
