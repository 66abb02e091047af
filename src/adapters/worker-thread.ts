// A second thread for work that would block the event loop: named tasks, with typed inputs and results of plain data.
//
// The thread is a module that calls `serveTasks`; `openTaskThread` starts it with the first task and ends it when it has been idle. Both
// ends are in this file so that their messages have one definition.

import nodeModule from 'node:module';
import { dirname } from 'node:path';
import { parentPort, Worker } from 'node:worker_threads';
import type { ErrorCode, FieldError } from '../contract/errors.ts';
import { PanelError } from '../core/kernel/panel-error.ts';
import type { Log } from '../core/ports/ports.ts';
import { parseOwnJson } from '../domain/own-json.ts';

type Tasks = Readonly<Record<string, (input: never) => unknown>>;
type Input<T extends Tasks, Name extends keyof T> = Parameters<T[Name]>[0];
type Output<T extends Tasks, Name extends keyof T> = Awaited<ReturnType<T[Name]>>;

type Request = { readonly id: number; readonly name: string; readonly input: unknown } | 'close';
type Result =
  | { readonly id: number; readonly result: unknown }
  | {
      readonly id: number;
      readonly code: ErrorCode;
      readonly errors: readonly FieldError[] | undefined;
      readonly retryAfter: number | undefined;
    }
  | { readonly id: number; readonly failure: string };
type LogLine = {
  readonly level: 'info' | 'warn' | 'error';
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
};

/** A date that a reply to one of the thread's requests had, epoch ms. */
type ReplyDate = { readonly date: number };

export interface TaskThread<T extends Tasks> {
  /** Rejects with the task's PanelError; any other failure of the task or the thread is an Error. */
  run<Name extends keyof T & string>(name: Name, input: Input<T, Name>): Promise<Output<T, Name>>;
  /** Ends the thread once its tasks are done. The next task starts a new one. */
  close(): Promise<void>;
  /** Ends the thread at once and for good: running and later tasks reject with PanelError `unavailable`. */
  abort(): Promise<void>;
}

export interface ThreadOptions {
  /** Its name in errors. */
  readonly name: string;
  /** The module that calls `serveTasks`. */
  readonly module: URL;
  /** What the module reads from `workerData`. */
  readonly data?: unknown;
  /** Ends after this long without a task: a thread takes some 30 MB. */
  readonly idleMs: number;
  /** The target of `threadLog`. */
  readonly log?: Log;
  /** The receiver of `sendReplyDate`. */
  readonly onReplyDate?: (at: number) => void;
}

/** Limits the thread's young generation: tasks read rows one by one, and by default V8 lets garbage accumulate. */
const YOUNG_GENERATION_MB = 4;

/** The module `name` in the folder of the module `from`; it has the same name in the sources and in the bundle. */
export function moduleBeside(from: string, name: string): URL {
  return new URL(`./${name}${from.endsWith('.ts') ? '.ts' : '.js'}`, from);
}

interface Running {
  readonly worker: Worker;
  readonly pending: Map<number, PromiseWithResolvers<unknown>>;
  readonly ended: Promise<void>;
}

/** For the calling thread. `T` is the type of the tasks that the module passes to `serveTasks`. */
export function openTaskThread<T extends Tasks>(options: ThreadOptions): TaskThread<T> {
  const { name, module, data, idleMs, log } = options;
  let running: Running | null = null;
  let ending: Promise<void> = Promise.resolve();
  let idle: NodeJS.Timeout | undefined;
  let isAborted = false;
  let lastId = 0;

  function start(): Running {
    const worker = new Worker(module, {
      workerData: data,
      env: threadEnv(),
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    const pending: Running['pending'] = new Map();
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const started = { worker, pending, ended };
    const fail = (error: unknown) => {
      if (running === started) running = null;
      for (const { reject } of pending.values()) reject(error);
      pending.clear();
    };
    worker.on('message', (message: Result | LogLine | ReplyDate) => {
      if ('date' in message) {
        options.onReplyDate?.(message.date);
        return;
      }
      if ('level' in message) {
        log?.[message.level](message.event, message.fields);
        return;
      }
      const task = pending.get(message.id);
      pending.delete(message.id);
      if ('result' in message) task?.resolve(message.result);
      else if ('code' in message) task?.reject(new PanelError(message.code, message.errors, message.retryAfter));
      else task?.reject(new Error(`${name}: ${message.failure}`));
      if (pending.size === 0 && running === started) idle = setTimeout(() => void close(), idleMs).unref();
    });
    worker.on('error', fail);
    worker.on('exit', (code) => {
      fail(isAborted ? new PanelError('unavailable') : new Error(`${name} ended with exit code ${code}`));
      end();
    });
    return started;
  }

  async function close(): Promise<void> {
    clearTimeout(idle);
    if (running) {
      const { worker, ended } = running;
      running = null;
      worker.postMessage('close' satisfies Request);
      ending = Promise.all([ending, ended]).then(() => {});
    }
    await ending;
  }

  return {
    async run(task, input) {
      if (isAborted) throw new PanelError('unavailable');
      clearTimeout(idle);
      running ??= start();
      lastId += 1;
      running.worker.postMessage({ id: lastId, name: task, input } satisfies Request);
      const outcome = Promise.withResolvers<unknown>();
      running.pending.set(lastId, outcome);
      return outcome.promise as Promise<never>;
    },
    close,
    async abort() {
      isAborted = true;
      clearTimeout(idle);
      const aborted = running;
      await aborted?.worker.terminate();
      await Promise.all([aborted?.ended, ending]);
    },
  };
}

/** Threads use the cache of compiled modules only if their environment enables it. Node has the cache since version 22. */
function threadEnv(): NodeJS.ProcessEnv {
  const folder = nodeModule.getCompileCacheDir?.();
  return folder === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: dirname(folder) };
}

/** For the worker thread. `close` runs before the thread ends. */
export function serveTasks(tasks: Tasks, close = () => {}): void {
  const port = portOfThread();
  const running = new Set<Promise<void>>();
  const send = (result: Result) => port.postMessage(result);
  port.on('message', (request: Request) => {
    if (request === 'close') {
      void Promise.all(running).then(() => {
        close();
        port.close();
      });
      return;
    }
    const { id, name, input } = request;
    const work = async () => tasks[name]?.(input as never);
    const done = work()
      .then((result) => send({ id, result }))
      .catch((error: unknown) => send(toFailureResult(id, error)))
      .finally(() => running.delete(done));
    running.add(done);
  });
}

/** The log of the worker thread: the thread that started it writes the lines. */
export const threadLog: Log = {
  info: (event, fields) => sendLine('info', event, fields),
  warn: (event, fields) => sendLine('warn', event, fields),
  error: (event, fields) => sendLine('error', event, fields),
};

/** For the worker thread: reports the date of a reply. */
export function sendReplyDate(at: number): void {
  portOfThread().postMessage({ date: at } satisfies ReplyDate);
}

function sendLine(level: LogLine['level'], event: string, fields: LogLine['fields'] = {}): void {
  portOfThread().postMessage({ level, event, fields: parseOwnJson(JSON.stringify(fields)) } satisfies LogLine);
}

function toFailureResult(id: number, error: unknown): Result {
  if (error instanceof PanelError) {
    const { code, errors, retryAfter } = error;
    return { id, code, errors, retryAfter };
  }
  return { id, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

function portOfThread() {
  if (!parentPort) throw new Error('this module is for a worker thread');
  return parentPort;
}
