// The administrator's session of the desktop's window: calls the panel's door in this process and holds the session's token, so that
// the pages never have it.

import { type CallEnvelope, type CallHeaders, SETUP_HERE } from '../bridge/desktop-api.ts';
import type { Problem } from '../contract/errors.ts';
import type { Output } from '../contract/table.ts';
import type { Core } from '../core/kernel/core.ts';
import { PanelError } from '../core/kernel/panel-error.ts';
import { parseOwnJson } from '../domain/own-json.ts';
import { type DoorReply, newCallState, newRequestId, type PanelRequest } from '../door/call.ts';
import type { Door } from '../door/door.ts';
import type { LiveListener } from '../door/live.ts';

export interface IpcSession {
  /** Runs an operation over the JSON text of its input. Never rejects. */
  call(id: string, input: string, headers: CallHeaders): Promise<CallEnvelope>;
  /** Downloads (`GET` with a name) or uploads (`POST` with an empty name and a body) a backup file. Never rejects. */
  transfer(
    method: string,
    name: string,
    type: string | null,
    body: AsyncIterable<Uint8Array> | null,
  ): Promise<DoorReply>;
  /** Emits events after `lastId` (null: from now on) until the returned function is called. Throws PanelError `signed_out`. */
  watch(lastId: number | null, listener: LiveListener): () => void;
  /** The session's token, to be stored for the next start; null: signed out. */
  token(): string | null;
  /** Resumes a stored session. False, and nothing changes, if it has ended. */
  resume(token: string): boolean;
}

export interface IpcSessionOptions {
  /** The name of this window in the list of sessions. */
  readonly device: string;
  /** Called when a session begins and (null) ends. */
  onSession?(token: string | null): void;
}

export interface IpcSessionParts {
  readonly door: Pick<Door, 'call' | 'watch' | 'fail'>;
  readonly core: Pick<Core, 'authenticateSession' | 'local'>;
}

export function createIpcSession({ door, core }: IpcSessionParts, options: IpcSessionOptions): IpcSession {
  let token: string | null = null;

  async function send(request: Pick<PanelRequest, 'method' | 'path' | 'headers' | 'body'>): Promise<DoorReply> {
    const reply = await door.call({
      door: 'panel',
      id: newRequestId(),
      query: '',
      session: token,
      browserToken: null,
      address: null,
      device: options.device,
      isForeign: false,
      // A change of the listening address cannot lock this window out: it uses no socket.
      isOnTrial: true,
      ...request,
    });
    if (reply.sessionToken !== undefined) {
      token = reply.sessionToken;
      options.onSession?.(token);
    }
    return reply;
  }
  const operate = (id: string, input: string, headers: CallHeaders = {}) =>
    send({ method: 'POST', path: `/${id}`, headers, body: input });

  /** Confirms a change of the listening address at once: no trial is needed without a socket. */
  async function confirmAddresses(reply: DoorReply): Promise<DoorReply> {
    const { confirm_token: confirmToken } = parseOwnJson(String(reply.body)) as Output<'changeAddresses'>;
    if (confirmToken === null) return reply;
    const confirmed = await operate('confirmAddresses', JSON.stringify({ token: confirmToken }));
    if (confirmed.status >= 400) return confirmed;
    const addresses: unknown = parseOwnJson(String(confirmed.body));
    return { ...reply, body: JSON.stringify({ addresses, confirm_url: null, confirm_token: null }) };
  }

  return {
    async call(id, input, headers) {
      try {
        const reply = await operate(id, id === 'setUp' ? await withSetupToken(core, input) : input, headers);
        return toEnvelope(id === 'changeAddresses' && reply.status < 400 ? await confirmAddresses(reply) : reply);
      } catch (error) {
        return toEnvelope(door.fail(newCallState(newRequestId(), 'POST'), error));
      }
    },
    async transfer(method, name, type, body) {
      const source =
        body === null ? '' : { bytes: () => Promise.reject(new PanelError('not_found')), chunks: () => body };
      const headers = type === null ? {} : { 'content-type': type };
      return send({ method, path: `/backups/${name}`, headers, body: source });
    },
    watch: (lastId, listener) => door.watch(() => token, lastId, listener),
    token: () => token,
    resume(stored) {
      if (core.authenticateSession(stored) === null) return false;
      token = stored;
      return true;
    },
  };
}

/** The first administrator needs no link: `here` is replaced by a token that is created now. */
async function withSetupToken({ local }: Pick<Core, 'local'>, input: string): Promise<string> {
  let given: unknown;
  try {
    given = parseOwnJson(input);
  } catch {
    // Invalid JSON: the door reports the error.
    return input;
  }
  if (typeof given !== 'object' || given === null || !('token' in given) || given.token !== SETUP_HERE) return input;
  const token = await local.renewSetupToken();
  if (token === null) throw new PanelError('already_set_up');
  return JSON.stringify({ ...given, token });
}

/** Returns failures as data too, because IPC transfers only the message of a thrown error. */
export function toEnvelope({ status, headers, body }: DoorReply): CallEnvelope {
  const header = (name: string) => {
    const index = headers.indexOf(name);
    return index < 0 ? null : (headers[index + 1] ?? null);
  };
  const text = typeof body === 'string' ? body : null;
  if (status >= 400) {
    const retryAfter = header('Retry-After');
    const problem = parseOwnJson(text ?? '') as Problem;
    return { ok: false, problem, retryAfter: retryAfter === null ? null : Number(retryAfter) };
  }
  const isJson = header('Content-Type')?.startsWith('application/json') ?? true;
  return { ok: true, text: text === null || isJson ? text : JSON.stringify(text), etag: header('ETag') };
}
