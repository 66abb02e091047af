// Orders certificates by ACME (RFC 8555) and asks when to renew them (RFC 9773), over acme-client. Loaded with the first order.
//
// The library's own polling is not used: it cannot be aborted, and it reports the authority's problems as sentences only.
import 'reflect-metadata';
import { createHash, createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { AuthorityKeyIdentifierExtension, X509Certificate as ParsedCertificate } from '@peculiar/x509';
import { type Authorization, axios, Client, crypto, type Order } from 'acme-client';
import {
  type AcmeClient,
  AcmeError,
  type AcmeFailure,
  type AcmeSettings,
  type IssuedByAcme,
} from '../../core/ports/acme.ts';
import type { Log, Timers } from '../../core/ports/ports.ts';
import type { Span } from '../../domain/acme-schedule.ts';
import { parseForeignJson } from '../../domain/foreign-json.ts';
import { systemClock } from '../clock.ts';
import { readIfThere, setAside, writePrivateFile } from '../private-file.ts';
import { type AlpnAnswers, type HttpAnswers, openHttpAnswers } from './challenges.ts';

const REQUEST_MS = 30_000;
const MAX_BYTES = 1_000_000;
const POLL_MS = 2000;
/** Limit for the authority to check the challenges, and again for it to sign. */
const PATIENCE_MS = 180_000;
const MAX_DETAIL = 1000;
const PROBLEM = /^urn:ietf:params:acme:error:(\w+)$/;
const BAD_NONCE = 'badNonce';

/** Bounds of an authority's reply, which may also be a certificate chain. */
const BOUNDS = { bytes: MAX_BYTES, values: 10_000, depth: 16 };

function parseReply(data: unknown): unknown {
  if (typeof data !== 'string') return data;
  try {
    return parseForeignJson(data, BOUNDS);
  } catch {
    return data;
  }
}

// The library's retries would wait as long as the authority says, which may be days.
Object.assign(axios.defaults, {
  acmeSettings: { retryMaxAttempts: 0, retryDefaultDelay: 1 },
  timeout: REQUEST_MS,
  maxContentLength: MAX_BYTES,
  transformResponse: [parseReply],
  maxRedirects: 0,
  proxy: false,
});
axios.defaults.headers.common['User-Agent'] = 'gatehouse acme-client';

interface Reply {
  readonly status: number;
  readonly data: unknown;
  readonly headers: Readonly<Record<string, unknown>>;
}

function failure(code: AcmeFailure['code'], more: Partial<AcmeFailure> = {}): AcmeFailure {
  return { code, name: null, type: null, detail: null, ...more };
}

function readText(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, MAX_DETAIL) : null;
}

/** A problem document of the authority; null for anything else. */
function parseProblem(data: unknown): Pick<AcmeFailure, 'type' | 'detail' | 'name'> | null {
  if (typeof data !== 'object' || data === null || !('type' in data)) return null;
  const [, type = null] = PROBLEM.exec(String(data.type)) ?? [];
  if (type === null) return null;
  const { detail, identifier } = data as {
    readonly detail?: unknown;
    readonly identifier?: { readonly value?: unknown };
  };
  return { type, detail: readText(detail), name: readText(identifier?.value) };
}

function parseRetryAfter({ headers }: Reply, now: number): number | null {
  const text = String(headers['retry-after'] ?? '');
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isFinite(ms) && ms > 0 ? ms : null;
}

/** Turns problem documents into AcmeError here: the library would throw an error that has only a sentence. */
axios.interceptors.response.use((reply: Reply) => {
  const problem = reply.status >= 400 ? parseProblem(reply.data) : null;
  if (problem === null || problem.type === BAD_NONCE) return reply as never;
  const isLimit = reply.status === 429 || problem.type === 'rateLimited';
  const now = Date.parse(String(reply.headers.date));
  throw new AcmeError({ code: isLimit ? 'rate_limited' : 'refused', ...problem }, parseRetryAfter(reply, now));
});

export interface AcmeClientParts {
  /** The folder of account keys. */
  readonly folder: string;
  readonly timers: Pick<Timers, 'after'>;
  readonly alpnAnswers: AlpnAnswers;
  readonly log: Log;
}

export function createAcmeClient({ folder, timers, alpnAnswers, log }: AcmeClientParts): AcmeClient {
  const wait = (signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const cancel = timers.after(POLL_MS, resolve);
      signal.addEventListener('abort', () => {
        cancel();
        resolve();
      });
    });

  /** Reads until `isDone`. Throws AcmeError `timed_out`, or the signal's reason. */
  async function poll<T>(read: () => Promise<T>, isDone: (found: T) => boolean, signal: AbortSignal): Promise<T> {
    for (let waited = 0; ; waited += POLL_MS) {
      const found = await read();
      signal.throwIfAborted();
      if (isDone(found)) return found;
      if (waited >= PATIENCE_MS) throw new AcmeError(failure('timed_out'));
      await wait(signal);
      signal.throwIfAborted();
    }
  }

  async function authorize(
    client: Client,
    order: Order,
    { challenge: kind }: AcmeSettings,
    http: HttpAnswers | null,
    signal: AbortSignal,
  ): Promise<void> {
    const pending = (await client.getAuthorizations(order)).filter(({ status }) => status === 'pending');
    for (const authorization of pending) {
      const name = authorization.identifier.value;
      const challenge = authorization.challenges.find(({ type }) => type === kind);
      if (!challenge) throw new AcmeError(failure('no_challenge', { name }));
      const keyAuthorization = await client.getChallengeKeyAuthorization(challenge);
      if (http) http.add({ token: challenge.token, keyAuthorization });
      else {
        const [key, cert] = await crypto.createAlpnCertificate(authorization, keyAuthorization);
        alpnAnswers.set(name.toLowerCase(), { key: key.toString(), cert: cert.toString() });
      }
      signal.throwIfAborted();
      await client.completeChallenge(challenge);
    }
    const isDecided = (all: readonly Authorization[]) => {
      for (const each of all) throwIfRefused(each, kind);
      return all.every(({ status }) => status === 'valid');
    };
    await poll(() => client.getAuthorizations(order), isDecided, signal);
  }

  async function orderWith(
    client: Client,
    settings: AcmeSettings,
    replaces: string | null,
    http: HttpAnswers | null,
    signal: AbortSignal,
  ): Promise<IssuedByAcme> {
    const contact = settings.email === null ? [] : [`mailto:${settings.email}`];
    await client.createAccount({ termsOfServiceAgreed: true, contact });
    signal.throwIfAborted();
    const order = await newOrder(client, settings, replaces);
    signal.throwIfAborted();
    await authorize(client, order, settings, http, signal);
    const key = newKey();
    const [, request] = await crypto.createCsr({ altNames: [...settings.names] }, key);
    const ready = await poll(
      () => client.getOrder(order),
      ({ status }) => status !== 'pending',
      signal,
    );
    if (ready.status === 'ready') await client.finalizeOrder(ready, request);
    const isSettled = ({ status }: Order) => status === 'valid' || status === 'invalid';
    const done = await poll(() => client.getOrder(order), isSettled, signal);
    if (done.status === 'invalid') throw new AcmeError(failure('refused', parseProblem(done.error) ?? {}));
    const chain = await client.getCertificate(done);
    return { key, chain: `${chain.trim()}\n` };
  }

  return {
    async order(settings, replaces, signal) {
      // The listener opens before the order is created: an order whose challenge cannot be answered would use up the authority's rate
      // limit.
      const http = settings.challenge === 'http-01' ? await openHttpAnswers(settings.httpPort) : null;
      const { directoryUrl } = settings;
      try {
        const accountKey = ensureAccountKey({ folder, log }, directoryUrl);
        return await orderWith(new Client({ directoryUrl, accountKey }), settings, replaces, http, signal);
      } catch (error) {
        throw error instanceof AcmeError || signal.aborted ? error : toUnreachable(error);
      } finally {
        for (const name of settings.names) alpnAnswers.delete(name);
        await http?.close();
      }
    },
    async renewalWindow(directoryUrl, chain) {
      const directory: Reply = await axios.get(directoryUrl);
      const at = readMember(directory.data, 'renewalInfo');
      const id = computeRenewalId(chain);
      if (typeof at !== 'string' || id === null) return null;
      const reply: Reply = await axios.get(`${at}/${id}`);
      const window = readMember(reply.data, 'suggestedWindow');
      const [from, to] = [
        Date.parse(String(readMember(window, 'start'))),
        Date.parse(String(readMember(window, 'end'))),
      ];
      return Number.isFinite(from) && Number.isFinite(to) && from <= to ? ({ from, to } satisfies Span) : null;
    },
  };
}

function readMember(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && name in value
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

/**
 * An order that replaces a certificate (RFC 9773) is exempt from most rate limits. If the authority refuses it (already replaced, or
 * ordered by another account), a plain order follows.
 */
async function newOrder(client: Client, { names }: AcmeSettings, replaces: string | null): Promise<Order> {
  const identifiers = names.map((value) => ({ type: 'dns', value }));
  const id = replaces === null ? null : computeRenewalId(replaces);
  if (id !== null) {
    try {
      const order = { identifiers, replaces: id };
      return await client.createOrder(order);
    } catch (error) {
      if (!(error instanceof AcmeError && error.failure.code === 'refused')) throw error;
    }
  }
  return client.createOrder({ identifiers });
}

function throwIfRefused({ status, identifier, challenges }: Authorization, kind: AcmeSettings['challenge']): void {
  if (status === 'pending' || status === 'valid') return;
  const problem = parseProblem(challenges.find(({ type }) => type === kind)?.error);
  throw new AcmeError(failure('refused', { ...problem, name: identifier.value }));
}

/** A failed connection or an unreadable reply, as AcmeError `unreachable`. */
function toUnreachable(error: unknown): AcmeError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : null;
  const detail = readText(error instanceof Error ? error.message : String(error));
  return new AcmeError(
    failure('unreachable', { detail: code === null || detail?.includes(code) ? detail : `${code}: ${detail}` }),
  );
}

/** The certificate's id by RFC 9773: its issuer's key identifier and its serial number. null: it has no such identifier. */
function computeRenewalId(chain: string): string | null {
  const leaf = new ParsedCertificate(new X509Certificate(chain).raw);
  const issuer = leaf.getExtension(AuthorityKeyIdentifierExtension)?.keyId;
  if (issuer === undefined) return null;
  const serial = leaf.serialNumber.length % 2 === 0 ? leaf.serialNumber : `0${leaf.serialNumber}`;
  return [issuer, serial].map((hex) => Buffer.from(hex, 'hex').toString('base64url')).join('.');
}

function newKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** The account key of an authority, made on first use. A damaged one is set aside and replaced: a new account serves as well. */
function ensureAccountKey({ folder, log }: Pick<AcmeClientParts, 'folder' | 'log'>, directoryUrl: string): string {
  const name = createHash('sha256').update(directoryUrl).digest('hex').slice(0, 16);
  const path = join(folder, `acme-account-${name}.pem`);
  const present = readIfThere(path);
  if (present !== null && isKey(present)) return present;
  if (present !== null) log.error('account key of ACME is damaged', { aside: setAside(path, systemClock.now()) });
  const key = newKey();
  writePrivateFile(path, key);
  return key;
}

function isKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).type === 'private';
  } catch {
    return false;
  }
}
