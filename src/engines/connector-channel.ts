// The channel to an engine's API: one call, its deadline, and the only place that parses engines' error texts.
import { Client, credentials, type ServiceError, status } from '@grpc/grpc-js';
import { EngineError } from '../core/ports/engines.ts';
import type { Dialect } from './connector-accounts.ts';

/** A reply about 100,000 users has some 11 MiB. */
const RECEIVE_LIMIT = 64 * 1024 * 1024;

/** Prefix of gRPC's message without a connection; any other unanswered call had one, and may have been carried out. */
const NOT_CONNECTED = 'No connection established';

/** Why an engine did not carry out a call. */
export type Refusal =
  /** The engine has no such method. */
  | { readonly kind: 'unknown_method' }
  /** The engine has no inbound with that tag. */
  | { readonly kind: 'no_inbound'; readonly words: string }
  /** The inbound with that tag has no users. */
  | { readonly kind: 'no_users'; readonly words: string }
  | { readonly kind: 'user_exists' }
  | { readonly kind: 'no_user' }
  | { readonly kind: 'other'; readonly words: string };

export type Answer = { readonly bytes: Buffer } | { readonly refusal: Refusal };

/** Calls a method, whose path is given without the dialect. */
export type DialectCall = (dialect: Dialect, path: string, request: Uint8Array, limitMs?: number) => Promise<Answer>;

/** Concurrent calls to one engine. */
export const CALLS_AT_ONCE = 32;

export interface EngineChannel {
  /** Calls `path` and resolves with the engine's answer. Rejects with EngineError if there is none within `limitMs`. */
  call(path: string, request: Uint8Array, limitMs: number): Promise<Answer>;
  close(): void;
}

/** Where an engine's API listens: only on this machine, as it has no authentication. */
export interface EngineAddress {
  readonly address: '127.0.0.1' | '::1';
  readonly port: number;
}

export function openChannel({ address, port }: EngineAddress): EngineChannel {
  const target = address === '::1' ? `ipv6:[::1]:${port}` : `ipv4:127.0.0.1:${port}`;
  const client = new Client(target, credentials.createInsecure(), {
    'grpc.max_receive_message_length': RECEIVE_LIMIT,
    // A proxy in the panel's environment must not be used for loopback.
    'grpc.enable_http_proxy': 0,
    'grpc.service_config_disable_resolution': 1,
    // A change whose call ended without an answer must not be repeated automatically.
    'grpc.enable_retries': 0,
    // While a channel waits to reconnect, calls fail at once; the caller decides when to try again.
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

/** Every failure of an engine's own code is `UNKNOWN` with a text. The tag is tested first, because that text contains `not found` too. */
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

/** The bytes of an answer. Throws EngineError for a refusal. */
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
