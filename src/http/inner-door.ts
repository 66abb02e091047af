// The panel door on no socket: the desktop's window calls the same operations through it, by whatever carries its calls.
import { Socket } from 'node:net';
import { splitInput } from '../contract/input/input.ts';
import type { Operation } from '../contract/operation.ts';
import { type Input, OPERATIONS, type OperationId, type Output } from '../contract/table.ts';
import type { Actor, Call, HandledId, Reply } from '../core/call.ts';
import { PanelError } from '../core/panel-error.ts';
import type { BackupBytes } from '../core/ports/backups.ts';
import type { PanelParts } from './door.ts';
import { createInnerLive, type InnerListener } from './inner-live.ts';
import { inputOf } from './panel-call.ts';
import { newRequestId } from './request-id.ts';
import { parseStrictJson } from './strict-json.ts';
import { createTryApi, type TryApi } from './try-api.ts';

/** What answers a call: JSON, null where there is no body. */
export interface InnerReply {
  readonly text: string | null;
  readonly etag: string | null;
}

/** The door of one window. It holds the session itself, so that no page ever sees its token. */
export interface InnerDoor {
  /**
   * Runs an operation over the text of its input, one JSON record. Rejects with PanelError: what the operation says, besides
   * `signed_out`, `not_found`, `bad_json`, `validation`.
   */
  call(id: string, input: string, ifMatch: string | null): Promise<InnerReply>;
  /**
   * Tells events from `lastId` on (null: from now on) until the returned function is called or the session ends. Throws
   * PanelError `signed_out`.
   */
  watch(lastId: number | null, listener: InnerListener): () => void;
  /** A backup's bytes. PanelError `signed_out`, `not_found`. */
  download(name: string): Promise<BackupBytes>;
  /** Takes a backup file in. PanelError `signed_out`, `backup_refused`, `storage_full`. */
  upload(chunks: AsyncIterable<Uint8Array>): Promise<Output<'createBackup'>>;
  /** The session's token, for who keeps it over a restart; null: signed out. */
  token(): string | null;
  /** Goes on with a session that was kept. False, and nothing changed, where it has ended. */
  resume(token: string): boolean;
  /** Ends what is watched. */
  close(): void;
}

export interface InnerDoorOptions {
  /** What the list of sessions calls this window. */
  readonly device: string;
  /** Hears of each session that begins and (null) ends. */
  onSession?(token: string | null): void;
}

const NOBODY: Actor = { kind: 'unknown', id: null, name: '', access: 'read' };
/** In the place of a setup link's token: whoever sits before the window needs none. */
export const HERE = 'here';

export function createInnerDoor(parts: PanelParts, { device, onSession }: InnerDoorOptions): InnerDoor {
  const { core, documents } = parts;
  const tryApi = createTryApi(parts.api);
  const live = createInnerLive(core);
  let token: string | null = null;

  const keep = (next: string | null) => {
    token = next;
    onSession?.(next);
  };
  const actorNow = (): Actor | null => (token === null ? null : core.authenticateSession(token));
  const requireActor = (): Actor => {
    const actor = actorNow();
    if (actor === null) throw new PanelError('signed_out');
    return actor;
  };
  // Whoever changes where the panel listens cannot lock this door, which is on no socket.
  const callBy = (actor: Actor): Call => ({ actor, requestId: newRequestId(), address: null, device, isOnTrial: true });

  async function run(id: OperationId, input: unknown, actor: Actor, ifMatch: string | null): Promise<Reply> {
    if (id === 'tryApi') return { status: 200, body: await tryHere(tryApi, input as Input<'tryApi'>) };
    const call = { ...callBy(actor), ...(ifMatch !== null && { ifMatch }) };
    const reply = await core.call(id as HandledId, (await prepared(parts, id, input)) as Input<HandledId>, call);
    return id === 'changeAddresses' ? confirmed(parts, reply, callBy(actor)) : reply;
  }

  return {
    async call(id, input, ifMatch) {
      const actor = actorNow();
      const operation = operationOf(id);
      if (actor === null && !isPublic(operation)) throw new PanelError('signed_out');
      if (operation === undefined) throw new PanelError('not_found');
      const parsed = inputOf(operation.id, splitInput(operation, parseStrictJson(Buffer.from(input))));
      const document = documents[operation.id];
      if (document !== undefined) {
        const { type, body } = await document('');
        return { text: type.startsWith('application/json') ? body : JSON.stringify(body), etag: null };
      }
      const reply = await run(operation.id, parsed, actor ?? NOBODY, ifMatch);
      if (reply.sessionToken !== undefined) keep(reply.sessionToken);
      return { text: textOf(reply), etag: reply.etag ?? null };
    },
    watch(lastId, listener) {
      requireActor();
      return live.open(() => token, lastId, listener);
    },
    download: async (name) => core.backupFiles.open(name, callBy(requireActor())),
    upload: async (chunks) => core.backupFiles.receive(chunks, callBy(requireActor())),
    token: () => token,
    resume(kept) {
      if (core.authenticateSession(kept) === null) return false;
      token = kept;
      return true;
    },
    close: live.close,
  };
}

/** The first administrator is made without a link: `here` stands for a token that is made now. */
async function prepared({ core }: PanelParts, id: OperationId, input: unknown): Promise<unknown> {
  if (id !== 'setUp' || (input as Input<'setUp'>).token !== HERE) return input;
  const token = await core.local.renewSetupToken();
  if (token === null) throw new PanelError('already_set_up');
  return { ...(input as Input<'setUp'>), token };
}

async function confirmed({ core }: PanelParts, reply: Reply, call: Call): Promise<Reply> {
  const { confirm_token: token } = reply.body as Output<'changeAddresses'>;
  if (token === null) return reply;
  const { body } = await core.call('confirmAddresses', { token }, { ...call, requestId: newRequestId() });
  return { ...reply, body: { addresses: body, confirm_url: null, confirm_token: null } };
}

/** "Try it" for who has no address: the API sees this machine. */
function tryHere(tryApi: TryApi, input: Input<'tryApi'>): Promise<Output<'tryApi'>> {
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: '127.0.0.1' });
  return tryApi(input, { socket, headers: {} });
}

function textOf({ raw, body }: Reply): string | null {
  if (raw !== undefined) return raw;
  return body === undefined ? null : JSON.stringify(body);
}

type Known = Operation & { readonly id: OperationId };

function operationOf(id: string): Known | undefined {
  return Object.hasOwn(OPERATIONS, id) ? OPERATIONS[id as OperationId] : undefined;
}

function isPublic(operation: Known | undefined): boolean {
  return operation?.door === 'panel' && operation.access === 'public';
}
