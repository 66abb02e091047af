// The audit log as the administrator reads it. Rows are written by `tx.audit`, in the operation's own transaction.

import type { AuditEntry } from '../contract/audit.ts';
import type { Input, Output } from '../contract/table.ts';
import type { Result } from './call.ts';
import type { Context } from './context.ts';
import type { AuditRow } from './ports/records.ts';
import { fromInstantOrUndefined, toInstant } from './wire.ts';

function viewEntry(row: AuditRow): AuditEntry {
  return {
    id: row.id,
    at: toInstant(row.at),
    actor: { kind: row.actorKind, id: row.actorId, name: row.actorName },
    action: row.action,
    outcome: row.outcome,
    target: row.target,
    detail: JSON.parse(row.detail) as Record<string, unknown>,
    address: row.address,
    request_id: row.requestId,
  };
}

/** The newest first; `next_before` leads on. */
export function listAudit(input: Input<'listAudit'>, { store }: Context): Result<Output<'listAudit'>> {
  const rows = store.audit.page({
    before: input.before,
    limit: input.limit,
    action: input.action,
    target: input.target,
    actorKind: input.actor,
    keyId: input.key_id,
    since: fromInstantOrUndefined(input.since),
    until: fromInstantOrUndefined(input.until),
  });
  const next = rows.length < input.limit ? null : (rows.at(-1)?.id ?? null);
  return { body: { items: rows.map(viewEntry), next_before: next } };
}
