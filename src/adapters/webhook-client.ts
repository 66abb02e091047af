// Sends webhooks: over connections to checked addresses only, without redirects or proxies, and without reading what is answered.
import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import type { Timers } from '../core/ports/ports.ts';
import type { WebhookClient, WebhookOutcome, WebhookRequest } from '../core/ports/webhooks.ts';
import { isAllowedAddress } from './outbound-address.ts';

/** For the whole request, from the look-up of the name to the end of the reply. */
const TIMEOUT_MS = 15_000;
/** Idle connections are closed after so long. */
const IDLE_MS = 30_000;
/** A longer reply costs its connection. */
const MOST_REPLY_BYTES = 65_536;

type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

export interface WebhookClientOptions {
  readonly timers: Pick<Timers, 'after'>;
  /** The system's, unless given. */
  readonly resolve?: Resolve;
  /** Authorities (PEM) in the place of the system's. */
  readonly ca?: string;
}

type Failure = Extract<WebhookOutcome, { readonly error: unknown }>['error'];

/** What a connection was refused or ended with by this module. */
class Refused extends Error {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failure);
    this.failure = failure;
  }
}

const resolveBySystem: Resolve = (host) =>
  new Promise((resolve, reject) => {
    systemLookup(host, { all: true }, (error, found) => (error ? reject(error) : resolve(found)));
  });

/** The host of a URL as Node connects to it: every spelling of an address is its usual one, without brackets. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

export const isRefusedUrl: WebhookClient['isRefused'] = (text, allowPrivate) => {
  const url = new URL(text);
  if (!allowPrivate && url.protocol !== 'https:') return true;
  const host = hostOf(url);
  return isIP(host) !== 0 && !isAllowedAddress(host, allowPrivate);
};

export function createWebhookClient({ timers, resolve = resolveBySystem, ca }: WebhookClientOptions): WebhookClient {
  const running = new Set<http.ClientRequest>();
  // A connection to a private address must not be used by a webhook that may not have made it.
  const connections = { public: openConnections(ca), private: openConnections(ca) };
  let isClosed = false;

  /** Resolves once, and gives only addresses that were checked: the name cannot lead elsewhere between check and connection. */
  const lookupFor =
    (allowPrivate: boolean): LookupFunction =>
    (host, options, done) => {
      resolve(host).then(
        (found) => {
          const [first] = found;
          if (first === undefined) done(new Refused('host_unknown'), '');
          else if (!found.every(({ address }) => isAllowedAddress(address, allowPrivate)))
            done(new Refused('address_refused'), '');
          else if (options.all) done(null, [...found]);
          else done(null, first.address, first.family);
        },
        () => done(new Refused('host_unknown'), ''),
      );
    };
  const lookups = { public: lookupFor(false), private: lookupFor(true) };

  /** `isAgain`: after an idle connection that the receiver had closed. */
  function send(request: WebhookRequest, isAgain: boolean): Promise<WebhookOutcome> {
    const { url, allowPrivate, headers, body } = request;
    const reach = allowPrivate ? 'private' : 'public';
    return new Promise((done) => {
      const isTls = new URL(url).protocol === 'https:';
      const agent = connections[reach][isTls ? 'https' : 'http'];
      const sent = (isTls ? https : http).request(url, { method: 'POST', agent, headers, lookup: lookups[reach] });
      const cancel = timers.after(TIMEOUT_MS, () => sent.destroy(new Refused('timeout')));
      let outcome: WebhookOutcome | null = null;
      running.add(sent);
      sent.on('socket', (socket: Socket) => {
        // A connection that is used again is checked again.
        if (sent.reusedSocket && !isAllowedAddress(socket.remoteAddress ?? '', allowPrivate))
          sent.destroy(new Refused('address_refused'));
      });
      sent.on('response', (reply) => {
        outcome = { status: reply.statusCode ?? 0, retryAfter: reply.headers['retry-after'] ?? null };
        let read = 0;
        reply.on('data', (chunk: Buffer) => {
          read += chunk.length;
          if (read > MOST_REPLY_BYTES) sent.destroy();
        });
        reply.on('error', () => undefined);
      });
      let failure: Error | null = null;
      sent.on('error', (error) => {
        failure = error;
      });
      sent.on('close', () => {
        cancel();
        running.delete(sent);
        if (isClosed) done({ error: 'stopped' });
        else if (outcome !== null) done(outcome);
        else if (sent.reusedSocket && !isAgain && isReset(failure)) done(send(request, true));
        else done({ error: failureOf(failure) });
      });
      sent.end(body);
    });
  }

  return {
    isRefused: isRefusedUrl,
    async post(request) {
      if (isClosed) return { error: 'stopped' };
      if (isRefusedUrl(request.url, request.allowPrivate)) return { error: 'address_refused' };
      return send(request, false);
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

/** No proxies: these agents do not read the environment. */
function openConnections(ca: string | undefined) {
  const idle = { keepAlive: true, timeout: IDLE_MS };
  return {
    http: new http.Agent(idle),
    https: new https.Agent({ ...idle, rejectUnauthorized: true, ...(ca !== undefined && { ca }) }),
  };
}

function codeOf(error: Error | null): string {
  return error !== null && 'code' in error ? String(error.code) : '';
}

function isReset(error: Error | null): boolean {
  return ['ECONNRESET', 'EPIPE'].includes(codeOf(error));
}

function failureOf(error: Error | null): Failure {
  if (error instanceof Refused) return error.failure;
  return /CERT|TLS|SSL|EPROTO|SIGN|ISSUER/.test(codeOf(error)) ? 'certificate' : 'connection';
}
