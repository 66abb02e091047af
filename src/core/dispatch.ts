// The one way in: runs an operation as a read, or as a write with its Idempotency-Key, effect, events and audit in one transaction.
import { OPERATIONS, type OperationId } from '../contract/table.ts';
import type { Call, Reply } from './context.ts';
import type { Core } from './core.ts';
import { createScope, type Env } from './env.ts';
import type { ReadHandler, Refusal, WriteHandler } from './handler.ts';
import { handlersOf } from './handlers.ts';
import { recall, remember } from './idempotency.ts';
import { PanelError } from './panel-error.ts';
import type { HeavyOutcome } from './ports/heavy-writer.ts';

type AnyWrite = WriteHandler<OperationId>;
type AnyRead = ReadHandler<OperationId>;

function isRefusal(outcome: Reply | Refusal): outcome is Refusal {
  return 'refusal' in outcome;
}

/** The transaction of a write. What a refusal wrote is kept, what a throw wrote is undone. */
function write(
  env: Env,
  operation: OperationId,
  handler: AnyWrite,
  input: unknown,
  call: Call,
  prepared: unknown,
): Reply {
  const { store, clock } = env;
  const work = () => {
    const now = clock.now();
    const replayed = call.idempotency && recall(store, call.idempotency, now);
    if (replayed) return replayed;
    const done = handler.write(input as never, createScope(env, call, operation, now), prepared);
    return call.idempotency && !isRefusal(done) ? remember(store, call.idempotency, now, done) : done;
  };
  const outcome = store.write(work, handler.isEssential ? 'essential' : 'ordinary');
  if (isRefusal(outcome)) throw outcome.refusal;
  return outcome;
}

async function runWrite(
  env: Env,
  operation: OperationId,
  handler: AnyWrite,
  input: unknown,
  call: Call,
): Promise<Reply> {
  if (!handler.isEssential && env.store.diskSpace.isFull()) return answerFull(env, call);
  if (env.heavy && handler.isHeavy?.(input as never)) return runElsewhere(env, operation, input, call);
  const prepared = await handler.prepare?.(input as never, call, env);
  let reply: Reply;
  try {
    reply = await env.queue.run(() => write(env, operation, handler, input, call, prepared));
  } catch (error) {
    await handler.undo?.(prepared, env);
    if (isStorageFull(error)) return answerFull(env, call);
    throw error;
  } finally {
    env.announce();
  }
  await handler.done?.(prepared, env).catch((error: unknown) => {
    env.log.error('after a write', { operation, error: String(error) });
  });
  return handler.reply ? handler.reply(input as never) : reply;
}

function isStorageFull(error: unknown): boolean {
  return error instanceof PanelError && error.code === 'storage_full';
}

/** A full disk keeps from new effects; what was done before is still told to who asks again. */
function answerFull({ store, clock }: Env, { idempotency }: Call): Reply {
  const replayed = idempotency && store.read(() => recall(store, idempotency, clock.now()));
  if (replayed) return replayed;
  throw new PanelError('storage_full');
}

async function runElsewhere(env: Env, operation: OperationId, input: unknown, call: Call): Promise<Reply> {
  const { heavy, queue } = env;
  if (!heavy) throw new PanelError('unavailable');
  const outcome = await queue.runAlone(() => heavy.run(operation, input, call));
  env.forgetSettings();
  if ('code' in outcome && outcome.code === 'storage_full') {
    env.store.diskSpace.markFull();
    return answerFull(env, call);
  }
  if ('code' in outcome) throw new PanelError(outcome.code, outcome.errors, outcome.retryAfter);
  env.announce();
  return outcome.reply;
}

/** Runs a write on the worker thread's own core: synchronous, with the body as text, as that crosses threads cheaply. */
export function runHeavy(env: Env, operation: OperationId, input: unknown, call: Call): HeavyOutcome {
  const handler = handlersOf(env)[operation as never] as AnyWrite;
  env.forgetSettings();
  try {
    const { body, ...reply } = write(env, operation, handler, input, call, undefined);
    return { reply: body === undefined ? reply : { raw: JSON.stringify(body), ...reply } };
  } catch (error) {
    if (!(error instanceof PanelError)) throw error;
    const { code, errors, retryAfter } = error;
    return { code, ...(errors && { errors }), ...(retryAfter !== undefined && { retryAfter }) };
  }
}

/** One at a time under one Idempotency-Key: a second call that comes while the first still runs is told so. */
function guardInFlight(running: Set<string>, call: Call, work: () => Promise<Reply>): Promise<Reply> {
  const { idempotency } = call;
  if (!idempotency) return work();
  const mark = `${idempotency.scope}\n${idempotency.key}`;
  if (running.has(mark)) return Promise.reject(new PanelError('idempotency_in_flight'));
  running.add(mark);
  return work().finally(() => running.delete(mark));
}

/** Makes the core's `dispatch`. */
export function createDispatch(env: Env): Core['dispatch'] {
  const handlers = handlersOf(env) as Readonly<Record<string, unknown>>;
  const running = new Set<string>();
  return (operation, input, call) => {
    const handler = handlers[operation];
    if (!handler) throw new Error(`no handler for ${OPERATIONS[operation].id}`);
    if ('read' in (handler as object)) {
      const { read, glance } = handler as AnyRead;
      const scope = createScope(env, call, operation, env.clock.now());
      return glance?.(input as never, scope) ?? env.store.read(() => read(input as never, scope));
    }
    return guardInFlight(running, call, () => runWrite(env, operation, handler as AnyWrite, input, call));
  };
}
