// The entry point of the core: runs an operation as a read, or as a write whose Idempotency-Key, effect, events and audit row share one transaction.

import { type Proof, parseProof } from '../contract/access/proof.ts';
import { acceptsProof, needsProof, type Operation } from '../contract/operation.ts';
import { type Input, OPERATIONS, type Output } from '../contract/table.ts';
import { HOUR_MS, IDEMPOTENCY_HOURS } from '../domain/limits.ts';
import { parseOwnJson } from '../domain/own-json.ts';
import { HANDLERS } from './handlers.ts';
import type {
  Action,
  AsyncContext,
  AsyncHandler,
  Env,
  Part,
  ReadHandler,
  Refusal,
  SteppedWrite,
  Transaction,
  WriteHandler,
} from './kernel/context.ts';
import type { Core } from './kernel/core.ts';
import { PanelError } from './kernel/panel-error.ts';
import { requireRole } from './kernel/role.ts';
import { createContext } from './kernel/transaction.ts';
import type { Call, HandledId, Idempotency, ReadId, Reply, Result } from './ports/call.ts';
import type { HeavyOutcome } from './ports/heavy-writer.ts';
import type { Store } from './ports/ports.ts';
import { requireFreshProof, requireProof } from './proof/proof.ts';

/** The stored reply, if there is one; `idempotency_mismatch` if the key was used with another body. */
function findReplay<Body>(
  store: Store,
  { scope, key, fingerprint }: Idempotency,
  now: number,
): Reply<Body> | undefined {
  const stored = store.idempotency.get(scope, key, now - IDEMPOTENCY_HOURS * HOUR_MS);
  if (!stored) return undefined;
  if (stored.fingerprint !== fingerprint) throw new PanelError('idempotency_mismatch');
  const { status, body: raw, location } = stored;
  return { ...parseReply(status, raw ?? undefined), replayed: true, ...(location !== null && { location }) };
}

/** A reply from its stored text. The text was written from a `Body`, under the same operation, so the type is the operation's. */
function parseReply<Body>(status: number, raw: string | undefined): Reply<Body> {
  const body = (raw === undefined ? undefined : parseOwnJson(raw)) as Body;
  return { status, body, ...(raw !== undefined && { raw }) };
}

/** Stores the reply under its Idempotency-Key, in the effect's own transaction: a retry has no second effect. */
function storeReply<Body>(
  store: Store,
  { scope, key, fingerprint }: Idempotency,
  now: number,
  reply: Reply<Body>,
): Reply<Body> {
  if (reply.isDryRun) return reply;
  const raw = reply.body === undefined ? undefined : JSON.stringify(reply.body);
  const { status, location } = reply;
  store.idempotency.saveReply(scope, key, now, { fingerprint, status, body: raw ?? null, location: location ?? null });
  return raw === undefined ? reply : { ...reply, raw };
}

/** Parts that an interrupted call under the same Idempotency-Key completed; `idempotency_mismatch` if its body was different. */
function findParts(store: Store, { scope, key, fingerprint }: Idempotency, now: number): readonly unknown[] {
  const stored = store.idempotency.parts(scope, key, now - IDEMPOTENCY_HOURS * HOUR_MS);
  if (stored.some((part) => part.fingerprint !== fingerprint)) throw new PanelError('idempotency_mismatch');
  return stored.map(({ data }): unknown => parseOwnJson(data));
}

function isPart(result: object): result is Part {
  return 'part' in result;
}

function isRefusal(outcome: unknown): outcome is Refusal {
  return typeof outcome === 'object' && outcome !== null && 'refusal' in outcome;
}

/** The action name in audit rows. */
function getAuditName(id: HandledId): string {
  const operation: Operation = OPERATIONS[id];
  return operation.door === 'panel' ? (operation.auditedAs ?? id) : id;
}

/** The transaction metadata of an operation. */
function toAction(id: HandledId, { isEssential }: { readonly isEssential?: true }, by: Call): Action {
  return { name: getAuditName(id), by, importance: isEssential ? 'essential' : 'ordinary' };
}

/** A refusal is thrown after the commit, so that its writes persist. */
function throwRefusal<T>(outcome: T | Refusal): T {
  if (isRefusal(outcome)) throw outcome.refusal;
  return outcome;
}

/** Runs `work` as the effect of an operation; a repeated call returns the stored reply instead. */
function runEffect<Id extends HandledId>(
  tx: Transaction,
  id: Id,
  work: (tx: Transaction) => Result<Output<Id>> | Refusal,
): Reply<Output<Id>> | Refusal {
  const { store, now, call } = tx;
  const { idempotency } = call;
  const replay = idempotency && findReplay<Output<Id>>(store, idempotency, now);
  if (replay) return replay;
  const result = work(tx);
  if (isRefusal(result)) return result;
  const reply = { status: OPERATIONS[id].status, ...result };
  return idempotency ? storeReply(store, idempotency, now, reply) : reply;
}

/** No reply yet: the effect continues in another transaction. */
export type Unfinished = 'unfinished';

/** Runs one part of an effect and stores it under the Idempotency-Key. */
function runPart<Id extends HandledId>(
  tx: Transaction,
  id: Id,
  write: SteppedWrite<Id>,
  isFirst: boolean,
): Reply<Output<Id>> | Unfinished {
  const { store, now, call } = tx;
  const { idempotency } = call;
  const replay = idempotency && findReplay<Output<Id>>(store, idempotency, now);
  if (replay) return replay;
  const before = idempotency && isFirst ? findParts(store, idempotency, now) : [];
  const result = write.step(tx, before);
  if (!isPart(result)) {
    const reply = { status: OPERATIONS[id].status, ...result };
    return idempotency ? storeReply(store, idempotency, now, reply) : reply;
  }
  if (idempotency && result.part !== null) {
    const { scope, key, fingerprint } = idempotency;
    store.idempotency.addPart(scope, key, now, { fingerprint, data: JSON.stringify(result.part) });
  }
  return 'unfinished';
}

function createAsyncContext<Id extends HandledId>(env: Env, id: Id, call: Call, action: Action): AsyncContext<Id> {
  return {
    env,
    call,
    transaction: async (work) => throwRefusal(await env.transact(action, work)),
    commit: async (work) => throwRefusal(await env.transact(action, (tx) => runEffect(tx, id, work))),
  };
}

/** Operations that a read-only panel allows: sign-in, and backups of local data. */
const WITHOUT_ROLE: ReadonlySet<HandledId> = new Set(['signIn', 'signOut', 'prove', 'createBackup']);

/** On a full disk, only stored replies of repeated calls are returned. */
function answerFull<Body>({ store, clock }: Env, { idempotency }: Call): Reply<Body> {
  const replay = idempotency && store.read(() => findReplay<Body>(store, idempotency, clock.now()));
  if (replay) return replay;
  throw new PanelError('storage_full');
}

async function runWrite<Id extends HandledId>(
  env: Env,
  id: Id,
  handler: WriteHandler<Id> | AsyncHandler<Id>,
  given: Input<Id>,
  call: Call,
): Promise<Reply<Output<Id>>> {
  if (!WITHOUT_ROLE.has(id)) requireRole(env);
  if (!handler.isEssential && env.store.diskSpace.isFull()) return answerFull(env, call);
  const action = toAction(id, handler, call);
  try {
    const input = await checkProof(env, id, given, call);
    if ('run' in handler) {
      const result = await handler.run(input, createAsyncContext(env, id, call, action));
      return { status: OPERATIONS[id].status, ...result };
    }
    if (env.heavy && handler.isHeavy?.(input)) return await runOnThread(env, id, input, call);
    const write = (tx: Transaction) => handler.write(input, tx);
    return throwRefusal(await env.transact(action, (tx) => runEffect(tx, id, write)));
  } catch (error) {
    if (error instanceof PanelError && error.code === 'storage_full') return answerFull(env, call);
    throw error;
  }
}

/**
 * Verifies the proof of identity if this call requires one. Returns the input without it: a password must not reach an audit row or another thread.
 */
async function checkProof<Given extends object>(env: Env, id: HandledId, given: Given, call: Call): Promise<Given> {
  const operation: Operation = OPERATIONS[id];
  if (!acceptsProof(operation)) {
    if (call.actor.kind === 'administrator' && needsProof(operation, given)) requireFreshProof(env, call);
    return given;
  }
  if (needsProof(operation, given)) await requireProof(env, id, parseProof(given), call);
  const { password: _password, code: _code, ...input }: Given & Proof = given;
  // Handlers do not read these members.
  return input as unknown as Given;
}

async function runOnThread<Id extends HandledId>(
  env: Env,
  id: Id,
  input: Input<Id>,
  call: Call,
): Promise<Reply<Output<Id>>> {
  const { heavy, queue } = env;
  if (!heavy) throw new PanelError('unavailable');
  let outcome = await queue.runAlone(() => heavy.run(id, input, call));
  while ('unfinished' in outcome) {
    env.announce();
    const { unfinished } = outcome;
    if (env.tasks.isStopping()) throw new PanelError('unavailable');
    outcome = await queue.runAlone(() => heavy.proceed(unfinished));
  }
  env.forgetSettings();
  env.announce();
  if ('code' in outcome) {
    if (outcome.code === 'storage_full') env.store.diskSpace.markFull();
    throw new PanelError(outcome.code, outcome.errors, outcome.retryAfter);
  }
  const { status, raw, ...rest } = outcome.reply;
  return { ...parseReply<Output<Id>>(status, raw), ...rest };
}

/** For the core of the worker thread: runs a write, or its next part, synchronously. The body is text, which crosses threads cheaply. */
export function beginHeavy<Id extends HandledId>(
  env: Env,
  id: Id,
  input: Input<Id>,
  call: Call,
): () => HeavyOutcome | Unfinished {
  const handler: ReadHandler<Id> | WriteHandler<Id> | AsyncHandler<Id> = HANDLERS[id];
  if (!('write' in handler)) throw new Error(`${id} cannot run on the worker thread`);
  const stepped = handler.begin?.(input);
  let isFirst = true;
  const action = toAction(id, handler, call);
  const write = (tx: Transaction) => handler.write(input, tx);
  const next = () => {
    if (!stepped) return throwRefusal(env.transactNow(action, (tx) => runEffect(tx, id, write)));
    const outcome = env.transactNow(action, (tx) => runPart(tx, id, stepped, isFirst));
    isFirst = false;
    return outcome;
  };
  return () => {
    env.forgetSettings();
    try {
      const outcome = next();
      if (outcome === 'unfinished') return outcome;
      const { body, ...reply } = outcome;
      return { reply: body === undefined ? reply : { ...reply, raw: reply.raw ?? JSON.stringify(body) } };
    } catch (error) {
      if (!(error instanceof PanelError)) throw error;
      const { code, errors, retryAfter } = error;
      return { code, ...(errors && { errors }), ...(retryAfter !== undefined && { retryAfter }) };
    }
  };
}

/** Fails a second call that arrives while the first one with the same Idempotency-Key still runs. */
function guardInFlight<T>(running: Set<string>, { idempotency }: Call, work: () => Promise<T>): Promise<T> {
  if (!idempotency) return work();
  const mark = `${idempotency.scope}\n${idempotency.key}`;
  if (running.has(mark)) return Promise.reject(new PanelError('idempotency_in_flight'));
  running.add(mark);
  return work().finally(() => running.delete(mark));
}

/** Makes the core's `call`. */
export function createDispatch(env: Env): Core['call'] {
  const running = new Set<string>();

  function dispatch<Id extends ReadId>(id: Id, input: Input<Id>, call: Call): Reply<Output<Id>>;
  function dispatch<Id extends HandledId>(
    id: Id,
    input: Input<Id>,
    call: Call,
  ): Reply<Output<Id>> | Promise<Reply<Output<Id>>>;
  function dispatch<Id extends HandledId>(
    id: Id,
    input: Input<Id>,
    call: Call,
  ): Reply<Output<Id>> | Promise<Reply<Output<Id>>> {
    const handler: ReadHandler<Id> | WriteHandler<Id> | AsyncHandler<Id> = HANDLERS[id];
    if (!('read' in handler)) return guardInFlight(running, call, () => runWrite(env, id, handler, input, call));
    const context = createContext(env, call, env.clock.now());
    const work = () => handler.read(input, context);
    return { status: OPERATIONS[id].status, ...(handler.opensTransaction ? work() : env.store.read(work)) };
  }
  return dispatch;
}
