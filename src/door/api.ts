// The API door: checks a call in the contract's order (docs/api.md), runs the operation and encodes its reply.

import { MAX_ERRORS } from '../contract/input/errors.ts';
import { coerceQuery, parseInput } from '../contract/input/input.ts';
import { acceptsIdempotencyKey, hasBody } from '../contract/operation.ts';
import { toList } from '../contract/scalars.ts';
import { type Input, type OperationId, PANEL_ONLY_PATHS } from '../contract/table.ts';
import type { Core } from '../core/kernel/core.ts';
import { PanelError } from '../core/kernel/panel-error.ts';
import type { Actor, Call, HandledId, Reply } from '../core/ports/call.ts';
import type { ParseLargeJson } from '../core/ports/json.ts';
import { type ApiRequest, type CallState, type DoorReply, isEmpty, makeReply, readBytes } from './call.ts';
import type { Document, Documents } from './documents.ts';
import {
  buildIdempotency,
  chooseType,
  readBearerKey,
  readIdempotencyKey,
  readIfMatch,
  requireJsonHeaders,
} from './headers.ts';
import type { Admission } from './limits.ts';
import { type ListPage, linkHeader } from './link-header.ts';
import type { Waits } from './long-poll.ts';
import { parseBody, readQuery } from './parse.ts';
import { createRouter, type RoutedOperation } from './routes.ts';

export interface ApiDoorParts {
  readonly core: Pick<Core, 'call' | 'settings' | 'baseUrl'>;
  readonly documents: Documents;
  readonly admission: Admission;
  readonly waits: Waits;
  readonly parseLargeBody: ParseLargeJson;
  /** Whether the administrator has paused the API. */
  isPaused(): boolean;
}

/** Retry-After of a paused API. */
const PAUSE_RETRY_S = 60;

const router = createRouter();
const panelOnly: ReadonlySet<string> = new Set(PANEL_ONLY_PATHS);

/** Every method and path of the door, as `GET /users/{id}`, without HEAD and OPTIONS. */
export function mountedRoutes(): readonly string[] {
  return router.routes.flatMap(({ template, operations }) =>
    [...operations.keys()].filter((method) => method !== 'HEAD').map((method) => `${method} ${template}`),
  );
}

/** A call that has passed the checks before its body. */
interface Accepted {
  readonly request: ApiRequest;
  readonly state: CallState;
  readonly operation: RoutedOperation;
  readonly actor: Actor;
  readonly params: Readonly<Record<string, number | string>>;
  /** Media type of the reply; empty without a body. */
  readonly type: string;
  readonly ifMatch: string | undefined;
  readonly idempotencyKey: string | undefined;
}

export type ApiDoor = (request: ApiRequest, state: CallState) => DoorReply | Promise<DoorReply>;

/** Replies synchronously if nothing must be awaited. Throws or rejects with PanelError. */
export function createApiDoor(parts: ApiDoorParts): ApiDoor {
  return (request, state) => {
    const accepted = accept(parts, request, state);
    if (accepted === null) return makeReply(state, 204, null, '', ['Allow', state.allow ?? '']);
    const { method } = accepted.operation;
    if (!hasBody(method)) return run(parts, accepted, undefined);
    const body = readBytes(request.body);
    return body instanceof Promise ? body.then((bytes) => parse(parts, accepted, bytes)) : parse(parts, accepted, body);
  };
}

/** Throws, or rejects with, PanelError `bad_json` too. */
function parse(parts: ApiDoorParts, accepted: Accepted, body: Uint8Array): DoorReply | Promise<DoorReply> {
  const isAbsent = body.length === 0 && accepted.operation.body === null;
  const content = isAbsent ? undefined : parseBody(body, parts.parseLargeBody);
  return content instanceof Promise
    ? content.then((value: unknown) => run(parts, accepted, value))
    : run(parts, accepted, content);
}

/** All checks that do not need the body; null: OPTIONS. */
function accept({ admission, isPaused }: ApiDoorParts, request: ApiRequest, state: CallState): Accepted | null {
  const { headers, method, path } = request;
  const actor = admission.admit(readBearerKey(headers), request.address, (verdict) => {
    state.rate = verdict;
  });
  state.caller = `key ${actor.id}`;
  if (isPaused()) throw new PanelError('unavailable', undefined, PAUSE_RETRY_S);
  if (isPanelOnly(path)) throw new PanelError('panel_only');
  const match = router.match(path);
  if (match === null) throw new PanelError('not_found');
  const { route, params } = match;
  state.route = route.template;
  state.allow = route.allow;
  const operation = route.operations.get(method);
  if (operation === undefined) {
    if (method === 'OPTIONS') return null;
    throw new PanelError('method_not_allowed');
  }
  if (operation.access === 'full' && actor.access !== 'full') throw new PanelError('read_only_key');
  const type = operation.output === null ? '' : chooseType(headers.accept, operation.produces);
  if (type === null) throw new PanelError('not_acceptable');
  if (hasBody(method)) requireJsonHeaders(headers, isEmpty(request.body), method === 'PATCH');
  const ifMatch = operation.ifMatch ? readIfMatch(headers) : undefined;
  const idempotencyKey = acceptsIdempotencyKey(operation) ? readIdempotencyKey(headers) : undefined;
  return { request, state, operation, actor, params, type, ifMatch, idempotencyKey };
}

function isPanelOnly(path: string): boolean {
  const slash = path.indexOf('/', 1);
  return panelOnly.has(path.slice(1, slash < 0 ? path.length : slash));
}

/**
 * Calls the core with an id known only at run time. The casts are sound because `input` comes from parseInput of the same operation, and the doors
 * handle their own operations before.
 */
export function callCore(
  core: Pick<Core, 'call'>,
  id: OperationId,
  input: unknown,
  call: Call,
): Reply | Promise<Reply> {
  return core.call(id as HandledId, input as Input<HandledId>, call);
}

/** Validates the input and runs the operation; `content` undefined: no body. */
function run(parts: ApiDoorParts, accepted: Accepted, content: unknown): DoorReply | Promise<DoorReply> {
  const { request, state, operation, actor, ifMatch, idempotencyKey: key, type } = accepted;
  const query = readQuery(request.query);
  const input = validateInput(accepted, query, content);
  const document = parts.documents[operation.id];
  if (document !== undefined) {
    const reply = ({ type: contentType, body: text }: Document): DoorReply => {
      return { ...makeReply(state, 200, contentType, text), compression: 'any' } as const;
    };
    const made = document(type);
    return made instanceof Promise ? made.then(reply) : reply(made);
  }
  const call: Call = {
    actor,
    requestId: state.id,
    address: request.address,
    ...(ifMatch !== undefined && { ifMatch }),
    ...(key !== undefined && {
      idempotency: buildIdempotency(key, actor.id, request.method, request.path, content),
    }),
  };
  const encode = (reply: Reply) => encodeReply(parts, accepted, query.raw, reply);
  const outcome =
    operation.id === 'listEvents'
      ? answerEvents(parts, accepted, input, call)
      : callCore(parts.core, operation.id, input, call);
  return outcome instanceof Promise ? outcome.then(encode) : encode(outcome);
}

/** GET /events: waits for events if the page would be empty. */
function answerEvents(
  { core, waits }: ApiDoorParts,
  { request: { headers, onGone }, state }: Accepted,
  parsed: unknown,
  call: Call,
): Reply | Promise<Reply> {
  // From parseInput of this operation.
  const input = parsed as Input<'listEvents'>;
  const read = () => core.call('listEvents', input, call);
  const reply = read();
  const key = readBearerKey(headers);
  if (!input.wait || key === null || reply.body.items.length > 0) return reply;
  const { actor } = call;
  const types = toList(input.type);
  const isThere = () => read().body.items.length > 0;
  const onBegin = () => {
    state.hasWaited = true;
  };
  const wait = { actor, key, after: reply.body.next_after, types, seconds: input.wait, isThere, onBegin };
  return waits.wait({ ...wait, ...(onGone && { onGone }) }).then(read);
}

/** The validated input. Throws PanelError `not_found`, or `validation` with all errors. */
function validateInput({ operation, params }: Accepted, query: ReturnType<typeof readQuery>, body: unknown) {
  const parsed = parseInput(operation, { params, query: coerceQuery(operation, query.raw), body });
  if (parsed.ok && query.errors.length === 0) return parsed.value;
  const errors = [...query.errors, ...(parsed.ok ? [] : parsed.errors)];
  throw new PanelError('validation', errors.slice(0, MAX_ERRORS));
}

/** A subscription link in a reply: a secret next to text chosen by users. */
const LINK_MEMBER = '"sub_url":"';

/** No compression for replies with a strong ETag, which identifies an exact byte sequence; other replies with links are padded. */
function pickCompression({ etag }: Reply, text: string | undefined): DoorReply['compression'] {
  if (text === undefined || etag !== undefined) return undefined;
  return text.includes(LINK_MEMBER) ? 'padded' : 'any';
}

function encodeReply(
  { core }: ApiDoorParts,
  { request, state, operation, type }: Accepted,
  query: Readonly<Record<string, string>>,
  reply: Reply,
): DoorReply {
  const headers: string[] = [];
  if (reply.etag !== undefined) headers.push('ETag', reply.etag);
  if (reply.location !== undefined) headers.push('Location', `/${core.settings().secretPath}/api/v1${reply.location}`);
  if (reply.replayed) headers.push('Idempotency-Replayed', 'true');
  if (operation.headers.includes('Link')) {
    headers.push('Link', linkHeader(core.baseUrl() + request.path, query, reply.body as ListPage));
  }
  const text = reply.raw ?? (reply.body === undefined ? undefined : JSON.stringify(reply.body));
  const made = makeReply(state, reply.status, text === undefined ? null : type, text ?? '', headers);
  const compression = pickCompression(reply, text);
  return compression === undefined ? made : { ...made, compression };
}
