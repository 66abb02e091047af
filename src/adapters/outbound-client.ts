// Requests to URLs that somebody typed: to checked addresses only, or through a typed proxy; without redirects, bounded in time and length.
import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import type { OutboundClient, OutboundFailure, OutboundOutcome, OutboundRequest } from '../core/ports/outbound.ts';
import type { Timers } from '../core/ports/ports.ts';
import { isAllowedAddress } from './outbound-address.ts';

/** Idle connections are closed after this time. */
const IDLE_MS = 30_000;

type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

export interface OutboundMachine {
  readonly timers: Pick<Timers, 'after'>;
  /** Default: the system's resolver. */
  readonly resolve?: Resolve;
  /** Trusted authorities (PEM), instead of the system's. */
  readonly ca?: string;
  /** Makes the agent for requests through a proxy; without it none is used. */
  readonly proxyAgent?: (url: string, allowPrivate: boolean, proxy: string) => Promise<http.Agent>;
}

interface OutboundOptions extends OutboundMachine {
  /** Limit of the whole request, from the DNS look-up to the end of the reply. */
  readonly timeoutMs: number;
  /** A longer reply fails the request and closes its connection. */
  readonly maxReplyBytes: number;
  /** `ignored`: only status and headers of the reply are read. */
  readonly reply: 'ignored' | 'read';
  /** Whether idle connections are reused. A request on one that the server had closed is sent once more. */
  readonly reusesConnections: boolean;
}

/** A failure that this module itself decided. */
class Refused extends Error {
  readonly failure: OutboundFailure;
  /** Named `code`, as in Node's connection errors. */
  readonly code: OutboundFailure;
  constructor(failure: OutboundFailure) {
    super(failure);
    this.failure = failure;
    this.code = failure;
  }
}

const resolveBySystem: Resolve = (host) =>
  new Promise((resolve, reject) => {
    systemLookup(host, { all: true }, (error, found) => (error ? reject(error) : resolve(found)));
  });

/** The host of a URL in the form Node connects to: addresses in their usual spelling, without brackets. */
function normalizeHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

/** Whether the URL's host is a literal address that must not be connected to. */
export function isRefusedUrl(text: string, allowPrivate: boolean): boolean {
  const url = new URL(text);
  if (!allowPrivate && url.protocol !== 'https:') return true;
  const host = normalizeHost(url);
  return isIP(host) !== 0 && !isAllowedAddress(host, allowPrivate);
}

/** Resolves once and returns checked addresses only, so that the name cannot change between check and connection (DNS rebinding). */
export function checkedLookup(allowPrivate: boolean, resolve: Resolve = resolveBySystem): LookupFunction {
  return (host, lookup, done) => {
    resolve(host).then(
      (found) => {
        const [first] = found;
        if (first === undefined) done(new Refused('host_unknown'), '');
        else if (!found.every(({ address }) => isAllowedAddress(address, allowPrivate)))
          done(new Refused('address_refused'), '');
        else if (lookup.all) done(null, [...found]);
        else done(null, first.address, first.family);
      },
      () => done(new Refused('host_unknown'), ''),
    );
  };
}

export function createOutboundClient(options: OutboundOptions): OutboundClient {
  const { timers, resolve = resolveBySystem, ca, timeoutMs, maxReplyBytes, reusesConnections } = options;
  const running = new Set<http.ClientRequest>();
  // Separate agents: a request that may not open a private connection must not reuse one.
  const connections = {
    public: openConnections(ca, reusesConnections),
    private: openConnections(ca, reusesConnections),
  };
  let isClosed = false;

  const lookups = { public: checkedLookup(false, resolve), private: checkedLookup(true, resolve) };

  /** `isAgain`: repeats a request whose reused connection the server had closed. */
  function send(request: OutboundRequest, isAgain: boolean, proxied: http.Agent | null): Promise<OutboundOutcome> {
    const { method, url, allowPrivate, headers, body } = request;
    const reach = allowPrivate ? 'private' : 'public';
    return new Promise((done) => {
      const isTls = new URL(url).protocol === 'https:';
      const agent = proxied ?? connections[reach][isTls ? 'https' : 'http'];
      const lookup = proxied === null ? { lookup: lookups[reach] } : {};
      const sent = (isTls ? https : http).request(url, { method, agent, headers, ...lookup });
      /** The first failure is the one reported. */
      let failure: Error | null = null;
      const end = (reason: OutboundFailure) => {
        failure ??= new Refused(reason);
        sent.destroy(failure);
      };
      const recordError = (error: Error) => {
        failure ??= error;
      };
      const cancel = timers.after(timeoutMs, () => end('timeout'));
      let received: { readonly status: number; readonly retryAfter: string | null } | null = null;
      let isWhole = options.reply === 'ignored';
      const chunks: Buffer[] = [];
      running.add(sent);
      sent.on('socket', (socket: Socket) => {
        // A reused connection is checked again.
        if (proxied === null && sent.reusedSocket && !isAllowedAddress(socket.remoteAddress ?? '', allowPrivate))
          end('address_refused');
      });
      sent.on('response', (reply) => {
        received = { status: reply.statusCode ?? 0, retryAfter: reply.headers['retry-after'] ?? null };
        let read = 0;
        reply.on('data', (chunk: Buffer) => {
          read += chunk.length;
          if (read > maxReplyBytes) end('too_long');
          else if (options.reply === 'read') chunks.push(chunk);
        });
        reply.on('end', () => {
          isWhole = true;
        });
        reply.on('error', recordError);
      });
      sent.on('error', recordError);
      sent.on('close', () => {
        cancel();
        proxied?.destroy();
        running.delete(sent);
        if (isClosed) done({ error: 'stopped' });
        else if (received !== null && isWhole) done({ ...received, text: Buffer.concat(chunks).toString('utf8') });
        else if (received === null && sent.reusedSocket && !isAgain && isReset(failure))
          done(send(request, true, proxied));
        else done({ error: toFailure(failure) });
      });
      sent.end(body ?? undefined);
    });
  }

  return {
    async send(request) {
      if (isClosed) return { error: 'stopped' };
      const { url, allowPrivate, proxy } = request;
      if (proxy !== undefined) {
        // Each proxied request has its own connection. The proxy's destination is not checked.
        const agent = await options.proxyAgent?.(url, allowPrivate, proxy);
        return agent === undefined ? { error: 'connection' } : send(request, false, agent);
      }
      if (isRefusedUrl(url, allowPrivate)) return { error: 'address_refused' };
      return send(request, false, null);
    },
    close() {
      isClosed = true;
      for (const request of running) request.destroy();
      for (const { http: plain, https: secure } of Object.values(connections)) {
        plain.destroy();
        secure.destroy();
      }
    },
  };
}

/** These agents never read proxies from the environment. */
function openConnections(ca: string | undefined, keepAlive: boolean) {
  const idle = { keepAlive, timeout: IDLE_MS };
  return {
    http: new http.Agent(idle),
    https: new https.Agent({ ...idle, rejectUnauthorized: true, ...(ca !== undefined && { ca }) }),
  };
}

function getErrorCode(error: Error | null): string {
  return error !== null && 'code' in error ? String(error.code) : '';
}

function isReset(error: Error | null): boolean {
  return ['ECONNRESET', 'EPIPE'].includes(getErrorCode(error));
}

function toFailure(error: Error | null): OutboundFailure {
  if (error instanceof Refused) return error.failure;
  return /CERT|TLS|SSL|EPROTO|SIGN|ISSUER/.test(getErrorCode(error)) ? 'certificate' : 'connection';
}
