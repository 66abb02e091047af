// What the panel door's routes share: who is signed in, a call to the core, and the handler that answers every failure.
import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { parseInput, type Sections } from '../contract/input/input.ts';
import { type Input, OPERATIONS, type OperationId } from '../contract/table.ts';
import type { Actor, Call, HandledId, Reply } from '../core/call.ts';
import type { Core } from '../core/core.ts';
import { PanelError } from '../core/panel-error.ts';
import type { Log } from '../core/ports/ports.ts';
import { forgetBroken, onBroken } from './broken.ts';
import type { ClientAddress } from './client-address.ts';
import { deviceName } from './device.ts';
import type { Documents } from './documents.ts';
import type { Door } from './door.ts';
import { type Exchange, type ExchangeHost, openExchange } from './exchange.ts';
import { sendFailure } from './problem.ts';
import { readBody } from './request-body.ts';
import { readSessionCookie } from './session-cookie.ts';
import type { Ui } from './ui.ts';

export interface PanelDoorParts {
  readonly core: Pick<
    Core,
    | 'call'
    | 'authenticateSession'
    | 'settings'
    | 'baseUrl'
    | 'subscribe'
    | 'eventsAfter'
    | 'latestEventId'
    | 'figures'
    | 'backupFiles'
  >;
  readonly log: Log;
  readonly host: ExchangeHost;
  readonly documents: Documents;
  /** The door that "Try it" asks. */
  readonly api: Door;
  readonly addressOf: ClientAddress;
  isOnTrial(socket: object): boolean;
  /** PEM file of the panel's own authority, for the ready-made curl line; null: the certificate is trusted without. */
  caFile(): string | null;
  /** The built pages; null or absent: the plain ones stand in for them. */
  readonly ui?: Ui | null;
}

/** Who has not signed in. */
const NOBODY: Actor = { kind: 'unknown', id: null, name: '', access: 'read' };

export interface Visitor {
  /** The administrator's, where a session is open; else nobody's. */
  readonly actor: Actor;
  /** The token of the open session; null: signed out. */
  readonly token: string | null;
}

export function visitorOf({ core }: PanelDoorParts, request: IncomingMessage): Visitor {
  const token = readSessionCookie(request, core.settings().instanceId);
  const actor = token === null ? null : core.authenticateSession(token);
  return actor === null ? { actor: NOBODY, token: null } : { actor, token };
}

/** Who is signed in. Throws PanelError `signed_out`. */
export function requireSession(parts: PanelDoorParts, request: IncomingMessage): Visitor & { readonly token: string } {
  const { actor, token } = visitorOf(parts, request);
  if (token === null) throw new PanelError('signed_out');
  return { actor, token };
}

/** The whole body. Rejects with PanelError `body_too_large`, `bad_json`. */
export function bodyOf(exchange: Exchange): Promise<Buffer> {
  return new Promise((resolve, reject) => readBody(exchange, resolve, reject));
}

/** The validated input. Throws PanelError `validation`. */
export function inputOf(id: OperationId, sections: Sections): unknown {
  const parsed = parseInput(OPERATIONS[id], sections);
  if (!parsed.ok) throw new PanelError('validation', parsed.errors);
  return parsed.value;
}

/** The call that an exchange makes. */
export function callOf({ addressOf, isOnTrial }: PanelDoorParts, { id, request }: Exchange, actor: Actor): Call {
  return {
    actor,
    requestId: id,
    address: addressOf(request),
    device: deviceName(request.headers['user-agent']),
    ...(isOnTrial(request.socket) && { isOnTrial: true }),
  };
}

/** The operation's reply to validated input. Rejects with the core's PanelError. */
export async function run(
  parts: PanelDoorParts,
  exchange: Exchange,
  id: OperationId,
  input: unknown,
  actor: Actor,
  ifMatch?: string,
): Promise<Reply> {
  const { request } = exchange;
  const call = { ...callOf(parts, exchange, actor), ...(ifMatch !== undefined && { ifMatch }) };
  // Until the reply is there a connection that breaks can only be cut: this reply has its turn first.
  onBroken(request.socket, () => request.socket.destroy());
  try {
    return await parts.core.call(id as HandledId, input as Input<HandledId>, call);
  } finally {
    forgetBroken(request.socket);
  }
}

export interface Place {
  /** Below the route's own prefix, beginning with `/`. */
  readonly path: string;
  /** Without its `?`. */
  readonly query: string;
  /** The URL as it came in. */
  readonly whole: string;
}

export type Work = (exchange: Exchange, place: Place) => void | Promise<void>;

/** A route: only the methods in `allow` (null: any), every failure answered as a problem. `route` names it for the metrics. */
export function routeOf(parts: PanelDoorParts, route: string, allow: string | null, work: Work): RequestHandler {
  const methods = allow === null ? null : new Set(allow.split(', '));
  return async (request, response) => {
    const exchange = openExchange(parts.host, request, response);
    exchange.route = route;
    exchange.allow = allow;
    try {
      if (methods?.has(request.method) === false) throw new PanelError('method_not_allowed');
      const [path = '', ...query] = request.url.split('?');
      await work(exchange, { path, query: query.join('?'), whole: request.originalUrl });
    } catch (error) {
      sendFailure(exchange, error, parts.log);
    }
  };
}
