// Failures as data: of an error that is thrown across IPC only the message would arrive.
import { randomUUID } from 'node:crypto';
import type { CallEnvelope } from '../bridge/desktop-api.ts';
import { type Problem, problemOf } from '../contract/errors.ts';
import { PanelError } from '../core/panel-error.ts';
import type { Log } from '../core/ports/ports.ts';

interface Failure {
  readonly problem: Problem;
  readonly retryAfter: number | null;
}

/** The problem of an expected failure; anything else goes to the log under an id, and is told as `internal` and nothing more. */
export function failureOf(error: unknown, log: Pick<Log, 'error'>): Failure {
  const id = randomUUID().replaceAll('-', '');
  if (error instanceof PanelError) {
    const { code, errors, retryAfter } = error;
    return { problem: problemOf(code, id, errors), retryAfter: retryAfter ?? null };
  }
  const cause = error instanceof Error ? (error.stack ?? error.message) : String(error);
  log.error('call_failed', { requestId: id, cause });
  return { problem: problemOf('internal', id), retryAfter: null };
}

/** What the work gives, or why it failed. Never rejects. */
export async function enveloped(
  log: Pick<Log, 'error'>,
  work: () => Promise<{ readonly text: string | null; readonly etag: string | null }>,
): Promise<CallEnvelope> {
  try {
    const { text, etag } = await work();
    return { ok: true, text, etag };
  } catch (error) {
    return { ok: false, ...failureOf(error, log) };
  }
}
