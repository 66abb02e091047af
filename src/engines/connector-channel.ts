// The channel to an engine's API: one call, its deadline, and the one place that reads what engines answer in words.
import { Client, credentials, type ServiceError, status } from '@grpc/grpc-js';
import { EngineError } from '../core/ports/engines.ts';
import type { Dialect } from './connector-accounts.ts';

/** The answer of 100,000 users is some 11 MiB. */
const RECEIVE_LIMIT = 64 * 1024 * 1024;

/** How the channel's words begin where it has no connection; any other end without an answer was that of a connection. */
const NOT_CONNECTED = 'No connection established';

/** What an engine answered where it did not do what it was asked. */
export type Refusal =
  /** It has no such method. */
  | { readonly kind: 'unknown_method' }
  /** It has no inbound with that tag. */
  | { readonly kind: 'no_inbound'; readonly words: string }
  /** What it has with that tag takes no users. */
  | { readonly kind: 'no_users'; readonly words: string }
  | { readonly kind: 'user_exists' }
  | { readonly kind: 'no_user' }
  | { readonly kind: 'other'; readonly words: string };

export type Answer = { readonly bytes: Buffer } | { readonly refusal: Refusal };

/** Calls a method by its name in a dialect. */
export type DialectCall = (dialect: Dialect, path: string, request: Uint8Array, limitMs?: number) => Promise<Answer>;

/** Calls that an engine has at once. */
export const CALLS_AT_ONCE = 32;

export interface EngineChannel {
  /** Calls `path` and resolves to what the engine answered. Rejects with EngineError where it did not answer, or not within `limitMs`. */
  call(path: string, request: Uint8Array, limitMs: number): Promise<Answer>;
  close(): void;
}

/** Where an engine's API listens: on this machine only, as it asks for no password. */
export interface EngineAddress {
  readonly address: '127.0.0.1' | '::1';
  readonly port: number;
}

export function openChannel({ address, port }: EngineAddress): EngineChannel {
  const target = address === '::1' ? `ipv6:[::1]:${port}` : `ipv4:127.0.0.1:${port}`;
  const client = new Client(target, credentials.createInsecure(), {
    'grpc.max_receive_message_length': RECEIVE_LIMIT,
    // Of the panel's environment: loopback has no proxy.
    'grpc.enable_http_proxy': 0,
    'grpc.service_config_disable_resolution': 1,
    // A change whose call ended without an answer is not repeated unasked.
    'grpc.enable_retries': 0,
    // While a channel waits to connect once more, calls fail at once; when to call again is the caller's decision.
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 1000,
  });
  const toBuffer = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

  return {
    call(path, request, limitMs) {
      return new Promise((resolve, reject) => {
        let isLate = false;
        const call = client.makeUnaryRequest(path, toBuffer, toBuffer, request, (error, bytes) => {
          clearTimeout(timer);
          if (error === null && bytes !== undefined) return resolve({ bytes });
          if (isLate) return reject(new EngineError('engine_unreachable', `no answer in ${limitMs / 1000} s`));
          const read = readError(error);
          if (read instanceof EngineError) reject(read);
          else resolve({ refusal: read });
        });
        // Not gRPC's own deadline, which is a time of day and moves with the machine's clock.
        const timer = setTimeout(() => {
          isLate = true;
          call.cancel();
        }, limitMs);
      });
    },
    close: () => client.close(),
  };
}

/** All failures of an engine's own code are `UNKNOWN` with a text. The tag is looked for first: its text, too, says `not found`. */
function readError(error: ServiceError | null): Refusal | EngineError {
  const message = error?.details || 'it ended the call without a word';
  switch (error?.code) {
    case status.UNIMPLEMENTED:
      return { kind: 'unknown_method' };
    case status.UNKNOWN:
      if (message.includes('handler not found')) return { kind: 'no_inbound', words: message };
      if (message.includes('not a UserManager')) return { kind: 'no_users', words: message };
      if (message.includes('already exists')) return { kind: 'user_exists' };
      if (message.includes('not found')) return { kind: 'no_user' };
      return { kind: 'other', words: message };
    case status.NOT_FOUND:
      return { kind: 'no_user' };
    case status.UNAVAILABLE:
      return new EngineError(message.startsWith(NOT_CONNECTED) ? 'engine_unreachable' : 'engine_crashed', message);
    case status.CANCELLED:
      return new EngineError('engine_unreachable', message);
    default:
      return { kind: 'other', words: message };
  }
}

/** The bytes of an answer. Throws what a refusal means. */
export function requireBytes(answer: Answer): Buffer {
  if ('refusal' in answer) throw toEngineError(answer.refusal);
  return answer.bytes;
}

/** A refusal as an error of the port. */
export function toEngineError(refusal: Refusal): EngineError {
  switch (refusal.kind) {
    case 'unknown_method':
      return new EngineError('engine_refused', 'The API of the engine lacks a service (StatsService, HandlerService)');
    case 'user_exists':
      return new EngineError('engine_refused', 'Another user has this name: someone else changes users of this engine');
    case 'no_user':
      return new EngineError('engine_refused', 'The engine has no such user');
    default:
      return new EngineError('engine_refused', refusal.words);
  }
}
