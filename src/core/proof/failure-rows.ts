// Writes series of failed keys and sign-ins to the audit log.

import type { Env } from '../kernel/context.ts';
import type { FailureKind, FailureRow } from '../kernel/failures.ts';
import type { Call } from '../ports/call.ts';

type FailureRowsEnv = Pick<Env, 'crypto' | 'failures' | 'queue' | 'store' | 'transactNow'>;

const ACTIONS: Readonly<Record<FailureKind, string>> = { sign_in: 'failedSignIns', key: 'failedKeys' };

/** `isLast`: the panel stops. */
export async function writeFailures(env: FailureRowsEnv, isLast = false): Promise<void> {
  const rows = env.failures.report(isLast);
  if (rows.length === 0) return;
  const writeAll = () => {
    for (const row of rows) writeRow(env, row);
  };
  await env.queue.run(() => env.store.write(writeAll));
}

function writeRow(env: Pick<Env, 'crypto' | 'transactNow'>, { kind, address, detail }: FailureRow): void {
  const actor = { kind: 'unknown', id: null, name: '', access: 'read' } as const;
  const call: Call = { actor, requestId: env.crypto.uuid().replaceAll('-', ''), address };
  env.transactNow({ name: ACTIONS[kind], by: call }, (tx) => tx.audit(null, detail, 'refused'));
}
