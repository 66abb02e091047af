// The writer thread as the core sees it: started at the first heavy write, ended when it has had nothing to do for a while.
import { Worker } from 'node:worker_threads';
import type { HeavyOutcome, HeavyWriter } from '../core/ports/heavy-writer.ts';
import type { Log } from '../core/ports/ports.ts';
import type { WriterData, WriterReply, WriterRequest } from './heavy-messages.ts';

export type HeavyWriterThread = HeavyWriter & { close(): Promise<void> };

type Pending = { resolve(outcome: HeavyOutcome): void; reject(error: Error): void };

/** A thread takes some 30 MB, which a panel that seldom runs a bulk need not hold. */
const IDLE_MS = 60_000;
/** Sources and bundle name it alike; which of the two runs is told by this module's own name. */
const MODULE = import.meta.url.endsWith('.ts') ? './writer-worker.ts' : './writer-worker.js';

/** The database must exist and be migrated. A thread that dies rejects what it had to do; the next write gets a new one. */
export function createHeavyWriter(data: WriterData, origin: () => string, log: Log): HeavyWriterThread {
  const pending = new Map<number, Pending>();
  let worker: Worker | null = null;
  let idle: NodeJS.Timeout | undefined;
  let lastId = 0;

  const settle = (id: number): Pending | undefined => {
    const asked = pending.get(id);
    pending.delete(id);
    if (pending.size === 0) idle = setTimeout(() => void close(), IDLE_MS).unref();
    return asked;
  };

  const start = (): Worker => {
    const started = new Worker(new URL(MODULE, import.meta.url), { workerData: data });
    const hasEnded = (error: Error) => {
      if (worker !== started) return;
      worker = null;
      for (const id of [...pending.keys()]) settle(id)?.reject(error);
    };
    started.on('message', (reply: WriterReply) => {
      if ('level' in reply) log[reply.level](reply.event, reply.fields);
      else if ('outcome' in reply) settle(reply.id)?.resolve(reply.outcome);
      else settle(reply.id)?.reject(new Error(`writer thread: ${reply.failure}`));
    });
    started.on('error', (error) => hasEnded(error instanceof Error ? error : new Error(String(error))));
    started.on('exit', (code) => hasEnded(new Error(`the writer thread ended with exit code ${code}`)));
    return started;
  };

  async function close(): Promise<void> {
    clearTimeout(idle);
    const ending = worker;
    worker = null;
    if (!ending) return;
    const ended = new Promise((resolve) => ending.once('exit', resolve));
    ending.postMessage('close');
    await ended;
  }

  return {
    run(operation, input, call) {
      clearTimeout(idle);
      worker ??= start();
      const request: WriterRequest = { id: ++lastId, operation, input, call, origin: origin() };
      const outcome = new Promise<HeavyOutcome>((resolve, reject) => pending.set(request.id, { resolve, reject }));
      worker.postMessage(request);
      return outcome;
    },
    close,
  };
}
