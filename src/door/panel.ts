// The panel door: every operation of the table with a session, and backup files.
import { UPLOADED_BYTES } from '../contract/backups.ts';
import type { FieldError } from '../contract/errors.ts';
import { parseInput, type Sections, splitInput } from '../contract/input/input.ts';
import { acceptsIdempotencyKey, type Operation } from '../contract/operation.ts';
import { type Input, OPERATIONS, type OperationId, type Output } from '../contract/table.ts';
import type { Core } from '../core/kernel/core.ts';
import { PanelError } from '../core/kernel/panel-error.ts';
import type { Actor, Call, Reply } from '../core/ports/call.ts';
import type { ParseLargeJson } from '../core/ports/json.ts';
import { callCore } from './api.ts';
import {
  type ApiRequest,
  type CallState,
  commonHeaders,
  type DoorReply,
  isEmpty,
  LOCKED_POLICY,
  makeReply,
  NO_BODY,
  newRequestId,
  type PanelRequest,
  readBytes,
  readChunks,
} from './call.ts';
import type { Documents } from './documents.ts';
import {
  buildIdempotency,
  MAX_BODY_BYTES,
  MAX_PUBLIC_BODY_BYTES,
  readIdempotencyKey,
  readIfMatch,
  requireJsonHeaders,
} from './headers.ts';
import type { Strangers } from './limits.ts';
import { parseBody } from './parse.ts';

export interface PanelDoorParts {
  readonly core: Pick<Core, 'call' | 'authenticateSession' | 'backupFiles'>;
  readonly documents: Documents;
  readonly strangers: Strangers;
  readonly parseLargeBody: ParseLargeJson;
  /** The API door, for "Try it". */
  callApi(request: ApiRequest): DoorReply | Promise<DoorReply>;
}

const BACKUPS = '/backups';
const TOO_LARGE: FieldError = { pointer: '#', code: 'too_large', message: 'is larger than uploads may be' };
const FILE_TYPE = 'application/octet-stream';
const SIGNED_OUT: Actor = { kind: 'unknown', id: null, name: '', access: 'read' };

export type PanelDoor = (request: PanelRequest, state: CallState) => Promise<DoorReply>;

/**
 * All operations except `public` ones need a session (`signed_out`); requests of other sites are refused (`foreign_origin`). Rejects with PanelError.
 */
export function createPanelDoor(parts: PanelDoorParts): PanelDoor {
  return async (request, state) => {
    const { path, method, isForeign } = request;
    const isFile = path === BACKUPS || path.startsWith(`${BACKUPS}/`);
    state.route = isFile ? '/panel/backups/{name}' : '/panel/{operation}';
    state.allow = isFile ? 'GET, POST' : 'POST';
    if (!state.allow.split(', ').includes(method)) throw new PanelError('method_not_allowed');
    if (isForeign) throw new PanelError('foreign_origin');
    if (!isFile) return operate(parts, request, state);
    const actor = requireSession(parts.core, request.session);
    const name = path.slice(BACKUPS.length + 1);
    return method === 'GET' ? download(parts, request, state, actor, name) : upload(parts, request, state, actor, name);
  };
}

/** The signed-in administrator. Throws PanelError `signed_out`. */
export function requireSession(core: Pick<Core, 'authenticateSession'>, session: string | null): Actor {
  const actor = session === null ? null : core.authenticateSession(session);
  if (actor === null) throw new PanelError('signed_out');
  return actor;
}

async function operate(parts: PanelDoorParts, request: PanelRequest, state: CallState): Promise<DoorReply> {
  const { session, headers, body } = request;
  const actor = session === null ? null : parts.core.authenticateSession(session);
  if (actor === null && request.address !== null) parts.strangers.admit(request.address);
  const operation = findOperation(request.path.slice(1));
  const isPublic = operation?.door === 'panel' && operation.access === 'public';
  if (actor === null && !isPublic) throw new PanelError('signed_out');
  if (operation === undefined) throw new PanelError('not_found');
  const maxBytes = isPublic ? MAX_PUBLIC_BODY_BYTES : MAX_BODY_BYTES;
  if (typeof body !== 'string') requireJsonHeaders(headers, isEmpty(body), false, maxBytes);
  const ifMatch = operation.door === 'api' && operation.ifMatch ? readIfMatch(headers) : undefined;
  const key = operation.door === 'api' && acceptsIdempotencyKey(operation) ? readIdempotencyKey(headers) : undefined;
  const bytes = await readBytes(body, maxBytes);
  const flat = bytes.length === 0 ? {} : await parseBody(bytes, parts.parseLargeBody);
  const input = validateInput(operation, splitInput(operation, flat));
  const document = parts.documents[operation.id];
  if (document !== undefined) {
    const { type, body: text } = await document('');
    return makeReply(state, 200, type, text);
  }
  if (operation.id === 'tryApi') {
    const tried = await tryApi(parts, request, input as Input<'tryApi'>);
    return makeReply(state, 200, 'application/json', JSON.stringify(tried));
  }
  const call: Call = {
    ...buildCall(request, state, actor ?? SIGNED_OUT),
    ...(ifMatch !== undefined && { ifMatch }),
    // There is one administrator, so a repetition may come from another session.
    ...(key !== undefined && { idempotency: buildIdempotency(key, null, request.method, request.path, flat) }),
  };
  const reply = await callCore(parts.core, operation.id, input, call);
  return encodeReply(state, reply);
}

function findOperation(id: string): (Operation & { readonly id: OperationId }) | undefined {
  return Object.hasOwn(OPERATIONS, id) ? OPERATIONS[id as OperationId] : undefined;
}

/** The validated input. Throws PanelError `validation` with all errors. */
function validateInput<Op extends Operation>(operation: Op, sections: Sections) {
  const parsed = parseInput(operation, sections);
  if (!parsed.ok) throw new PanelError('validation', parsed.errors);
  return parsed.value;
}

function buildCall(request: PanelRequest, state: CallState, actor: Actor): Call {
  const { address, device, isOnTrial, browserToken } = request;
  return {
    actor,
    requestId: state.id,
    address,
    device,
    ...(browserToken !== null && { browserToken }),
    ...(isOnTrial && { isOnTrial }),
  };
}

function encodeReply(state: CallState, { status, body, raw, etag, sessionToken, browserToken }: Reply): DoorReply {
  const text = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const headers = etag === undefined ? [] : ['ETag', etag];
  const reply = makeReply(state, status, text === undefined ? null : 'application/json', text ?? '', headers);
  return {
    ...reply,
    ...(sessionToken !== undefined && { sessionToken }),
    ...(browserToken !== undefined && { browserToken }),
  };
}

/** An internal request to the API door with the typed key; all checks of a network request apply. */
async function tryApi(
  { callApi }: PanelDoorParts,
  outer: PanelRequest,
  { path, key, accept }: Input<'tryApi'>,
): Promise<Output<'tryApi'>> {
  const mark = path.indexOf('?');
  const { status, headers, body } = await callApi({
    door: 'api',
    id: newRequestId(),
    method: 'GET',
    path: mark < 0 ? path : path.slice(0, mark),
    query: mark < 0 ? '' : path.slice(mark + 1),
    headers: { authorization: `Bearer ${key}`, ...(accept !== undefined && { accept }) },
    body: NO_BODY,
    address: outer.address ?? '127.0.0.1',
  });
  const named: Record<string, string> = {};
  for (let index = 0; index < headers.length; index += 2) {
    named[headers[index]?.toLowerCase() ?? ''] = headers[index + 1] ?? '';
  }
  return { status, headers: named, body: typeof body === 'string' ? body : '' };
}

async function download(
  { core }: PanelDoorParts,
  request: PanelRequest,
  state: CallState,
  actor: Actor,
  name: string,
): Promise<DoorReply> {
  const { sizeBytes, chunks } = await core.backupFiles.open(name, buildCall(request, state, actor));
  const headers = [
    ...commonHeaders(state.id),
    'Content-Security-Policy',
    LOCKED_POLICY,
    'Content-Type',
    FILE_TYPE,
    'Content-Length',
    String(sizeBytes),
    'Content-Disposition',
    `attachment; filename="${name}"`,
  ];
  return { status: 200, headers, body: chunks, route: state.route };
}

async function upload(
  { core }: PanelDoorParts,
  request: PanelRequest,
  state: CallState,
  actor: Actor,
  name: string,
): Promise<DoorReply> {
  const { headers, body } = request;
  if (name !== '') throw new PanelError('not_found');
  if (headers['content-type'] !== FILE_TYPE || headers['content-encoding'] !== undefined) {
    throw new PanelError('unsupported_media_type');
  }
  // Before reading the body.
  if (Number(headers['content-length'] ?? 0) > UPLOADED_BYTES) throw new PanelError('backup_refused', [TOO_LARGE]);
  const made = await core.backupFiles.receive(readChunks(body), buildCall(request, state, actor));
  return makeReply(state, 201, 'application/json', JSON.stringify(made));
}
