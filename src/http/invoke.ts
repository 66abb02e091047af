// The last steps of a call: its input is judged, the core is asked, and what it says becomes the reply.

import { MAX_ERRORS } from '../contract/input/errors.ts';
import { coerceQuery, parseInput } from '../contract/input/input.ts';
import type { Input } from '../contract/table.ts';
import type { Actor, Call, HandledId, Reply } from '../core/call.ts';
import type { Core } from '../core/core.ts';
import { PanelError } from '../core/panel-error.ts';
import type { Log } from '../core/ports/ports.ts';
import { forgetBroken, onBroken } from './broken.ts';
import type { Document, Documents } from './documents.ts';
import { type Exchange, send } from './exchange.ts';
import { type ListPlace, linkHeader } from './links.ts';
import { sendFailure } from './problem.ts';
import { type QueryReading, readQuery } from './query-string.ts';
import type { RoutedOperation } from './routes.ts';
import { parseStrictJson } from './strict-json.ts';

/** What the checks have found out about one call. */
export interface Visit {
  readonly exchange: Exchange;
  readonly operation: RoutedOperation;
  readonly actor: Actor;
  /** The client's. */
  readonly address: string;
  /** Raw path below base_url. */
  readonly path: string;
  /** Raw query, without its `?`. */
  readonly query: string;
  readonly params: Readonly<Record<string, number>>;
  /** Media type of the reply; empty where it has no body. */
  readonly type: string;
}

/** Runs a call; `body` undefined: the method takes none. Throws PanelError; what fails later is answered by itself. */
export type Invoke = (
  visit: Visit,
  body: Buffer | undefined,
  ifMatch: string | undefined,
  idempotency: Call['idempotency'] | undefined,
) => void;

export function createInvoke(core: Core, documents: Documents, log: Log): Invoke {
  return (visit, body, ifMatch, idempotency) => {
    const { exchange, operation, actor, address } = visit;
    const reading = readQuery(visit.query);
    const input = inputOf(visit, reading, body);
    const document = documents[operation.id];
    if (document !== undefined) {
      settle(exchange, document(visit.type), log, ({ type, body: text }: Document) => send(exchange, 200, type, text));
      return;
    }
    const call: Call = {
      actor,
      requestId: exchange.id,
      address,
      ...(ifMatch !== undefined && { ifMatch }),
      ...(idempotency !== undefined && { idempotency }),
    };
    const outcome = core.call(operation.id as HandledId, input as Input<HandledId>, call);
    if (outcome instanceof Promise) {
      settle(exchange, outcome, log, (reply: Reply) => sendReply(core, visit, reading, reply));
    } else {
      sendReply(core, visit, reading, outcome);
    }
  };
}

/** The validated input. Throws PanelError `bad_json`, `not_found`, `validation` with all that is wrong. */
function inputOf(visit: Visit, reading: QueryReading, bytes: Buffer | undefined): unknown {
  const { operation, params } = visit;
  const isEmpty = bytes === undefined || (bytes.length === 0 && operation.body === null);
  const body = isEmpty ? undefined : parseStrictJson(bytes);
  const parsed = parseInput(operation, { params, query: coerceQuery(operation, reading.raw), body });
  if (!parsed.ok && parsed.where === 'params') throw new PanelError('not_found');
  if (parsed.ok && reading.errors.length === 0) return parsed.value;
  const errors = [...reading.errors, ...(parsed.ok ? [] : parsed.errors)];
  throw new PanelError('validation', errors.slice(0, MAX_ERRORS));
}

/** Waits for what is still running; until then a connection that breaks is cut, since its reply has its turn first. */
function settle<T>(exchange: Exchange, outcome: T | Promise<T>, log: Log, then: (value: T) => void): void {
  if (!(outcome instanceof Promise)) {
    then(outcome);
    return;
  }
  const { socket } = exchange.request;
  onBroken(socket, () => socket.destroy());
  outcome.then(
    (value) => {
      forgetBroken(socket);
      try {
        then(value);
      } catch (error) {
        sendFailure(exchange, error, log);
      }
    },
    (error: unknown) => {
      forgetBroken(socket);
      sendFailure(exchange, error, log);
    },
  );
}

function sendReply(core: Core, { exchange, operation, type }: Visit, { raw }: QueryReading, reply: Reply): void {
  const headers: string[] = [];
  if (reply.etag !== undefined) headers.push('ETag', reply.etag);
  if (reply.location !== undefined) headers.push('Location', `/${core.settings().secretPath}/api/v1${reply.location}`);
  if (reply.replayed) headers.push('Idempotency-Replayed', 'true');
  if (operation.headers.includes('Link')) headers.push('Link', linkHeader(raw, reply.body as ListPlace));
  const text = reply.raw ?? (reply.body === undefined ? undefined : JSON.stringify(reply.body));
  if (text === undefined) send(exchange, reply.status, null, '', headers);
  else send(exchange, reply.status, type, text, headers);
}
