// Writes series of failed keys and sign-ins to the audit log.
import type { Call } from '../call.ts';
import { createTransaction, type Env } from '../context.ts';
import type { FailureKind, FailureRow } from './failures.ts';

const ACTIONS: Readonly<Record<FailureKind, string>> = { sign_in: 'failedSignIns', key: 'failedKeys' };

/** `isLast`: the panel stops. */
export async function writeFailures(env: Env, isLast = false): Promise<void> {
  const rows = env.failures.report(isLast);
  if (rows.length === 0) return;
  const writeAll = () => {
    for (const row of rows) writeRow(env, row);
  };
  await env.queue.run(() => env.store.write(writeAll));
}

function writeRow(env: Env, { kind, address, detail }: FailureRow): void {
  const actor = { kind: 'unknown', id: null, name: '', access: 'read' } as const;
  const call: Call = { actor, requestId: env.crypto.uuid().replaceAll('-', ''), address };
  createTransaction(env, call, ACTIONS[kind], env.clock.now()).audit(null, detail, 'refused');
}
