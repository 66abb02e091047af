// The core's one way in: runs an operation as a read, or as a write with its Idempotency-Key, effect, events and audit in one transaction.
import { type Input, OPERATIONS, type Output } from '../contract/table.ts';
import { HOUR_MS } from '../domain/limits.ts';
import type { Call, HandledId, Idempotency, ReadId, Reply, Result } from './call.ts';
import {
  type AsyncContext,
  type AsyncHandler,
  createContext,
  createTransaction,
  type Env,
  type ReadHandler,
  type Refusal,
  type Transaction,
  type WriteHandler,
} from './context.ts';
import type { Core } from './core.ts';
import { HANDLERS } from './handlers.ts';
import { PanelError } from './panel-error.ts';
import type { Importance } from './ports/disk-space.ts';
import type { HeavyOutcome } from './ports/heavy-writer.ts';
import type { Store } from './ports/ports.ts';
import { IDEMPOTENCY_HOURS } from './settings/settings.ts';

function importanceOf({ isEssential }: { readonly isEssential?: true }): Importance {
  return isEssential ? 'essential' : 'ordinary';
}

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
  return { ...parsedReply(status, raw ?? undefined), replayed: true, ...(location !== null && { location }) };
}

/** A reply from its stored text. The text was written from a `Body`, under the same operation, so the type is the operation's. */
function parsedReply<Body>(status: number, raw: string | undefined): Reply<Body> {
  return { status, body: raw === undefined ? undefined : JSON.parse(raw), ...(raw !== undefined && { raw }) };
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
  store.idempotency.put(scope, key, now, { fingerprint, status, body: raw ?? null, location: location ?? null });
  return raw === undefined ? reply : { ...reply, raw };
}

function isRefusal(outcome: unknown): outcome is Refusal {
  return typeof outcome === 'object' && outcome !== null && 'refusal' in outcome;
}

/** Runs `work` as the effect of an operation. What a refusal wrote is committed, what a throw wrote is undone. */
function commitEffect<Id extends HandledId>(
  env: Env,
  id: Id,
  call: Call,
  importance: Importance,
  work: (tx: Transaction) => Result<Output<Id>> | Refusal,
): Reply<Output<Id>> {
  const { store, clock } = env;
  const { idempotency } = call;
  const outcome = store.write((): Reply<Output<Id>> | Refusal => {
    const now = clock.now();
    const replay = idempotency && findReplay<Output<Id>>(store, idempotency, now);
    if (replay) return replay;
    const result = work(createTransaction(env, call, id, now));
    if (isRefusal(result)) return result;
    const reply = { status: OPERATIONS[id].status, ...result };
    return idempotency ? storeReply(store, idempotency, now, reply) : reply;
  }, importance);
  if (isRefusal(outcome)) throw outcome.refusal;
  return outcome;
}

/** Where a transaction is undone, the settings that were read inside it must not stay. */
function undoneForgets<T>(env: Env, work: () => T): T {
  try {
    return work();
  } catch (error) {
    env.forgetSettings();
    throw error;
  }
}

/** Runs a write in its turn, then notifies subscribers of what was committed. */
async function inTurn<T>(env: Env, work: () => T): Promise<T> {
  try {
    return await env.queue.run(() => undoneForgets(env, work));
  } finally {
    env.announce();
  }
}

function createAsyncContext<Id extends HandledId>(
  env: Env,
  id: Id,
  call: Call,
  importance: Importance,
): AsyncContext<Id> {
  return {
    env,
    call,
    async transaction<T>(work: (tx: Transaction) => T | Refusal): Promise<T> {
      const run = () => env.store.write(() => work(createTransaction(env, call, id, env.clock.now())), importance);
      const outcome = await inTurn(env, run);
      if (isRefusal(outcome)) throw outcome.refusal;
      return outcome;
    },
    commit: (work) => inTurn(env, () => commitEffect(env, id, call, importance, work)),
  };
}

/** What a full disk lets through: nothing new, but the stored reply of a repeated call. */
function answerFull<Body>({ store, clock }: Env, { idempotency }: Call): Reply<Body> {
  const replay = idempotency && store.read(() => findReplay<Body>(store, idempotency, clock.now()));
  if (replay) return replay;
  throw new PanelError('storage_full');
}

async function runWrite<Id extends HandledId>(
  env: Env,
  id: Id,
  handler: WriteHandler<Id> | AsyncHandler<Id>,
  input: Input<Id>,
  call: Call,
): Promise<Reply<Output<Id>>> {
  if (!handler.isEssential && env.store.diskSpace.isFull()) return answerFull(env, call);
  const importance = importanceOf(handler);
  try {
    if ('run' in handler) {
      const result = await handler.run(input, createAsyncContext(env, id, call, importance));
      return { status: OPERATIONS[id].status, ...result };
    }
    if (env.heavy && handler.isHeavy?.(input)) return await runOnThread(env, id, input, call);
    return await inTurn(env, () => commitEffect(env, id, call, importance, (tx) => handler.write(input, tx)));
  } catch (error) {
    if (error instanceof PanelError && error.code === 'storage_full') return answerFull(env, call);
    throw error;
  }
}

async function runOnThread<Id extends HandledId>(
  env: Env,
  id: Id,
  input: Input<Id>,
  call: Call,
): Promise<Reply<Output<Id>>> {
  const { heavy, queue } = env;
  if (!heavy) throw new PanelError('unavailable');
  const outcome = await queue.runAlone(() => heavy.run(id, input, call));
  env.forgetSettings();
  if ('code' in outcome) {
    if (outcome.code === 'storage_full') env.store.diskSpace.markFull();
    throw new PanelError(outcome.code, outcome.errors, outcome.retryAfter);
  }
  env.announce();
  const { status, raw, ...rest } = outcome.reply;
  return { ...parsedReply<Output<Id>>(status, raw), ...rest };
}

/** Runs a write on the worker thread's own core: synchronous, with the body as text, which crosses threads cheaply. */
export function runHeavy<Id extends HandledId>(env: Env, id: Id, input: Input<Id>, call: Call): HeavyOutcome {
  const handler: ReadHandler<Id> | WriteHandler<Id> | AsyncHandler<Id> = HANDLERS[id];
  if (!('write' in handler)) throw new Error(`${id} cannot run on the worker thread`);
  env.forgetSettings();
  try {
    const work = (tx: Transaction) => handler.write(input, tx);
    const { body, ...reply } = commitEffect(env, id, call, importanceOf(handler), work);
    return { reply: body === undefined ? reply : { ...reply, raw: reply.raw ?? JSON.stringify(body) } };
  } catch (error) {
    if (!(error instanceof PanelError)) throw error;
    const { code, errors, retryAfter } = error;
    return { code, ...(errors && { errors }), ...(retryAfter !== undefined && { retryAfter }) };
  }
}

/** One at a time under one Idempotency-Key: a second call that comes while the first still runs fails. */
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
