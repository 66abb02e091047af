// The audit log as the administrator reads it. Rows are written by `tx.audit`, in the operation's own transaction.

import type { AuditEntry } from '../../contract/access/audit.ts';
import type { Input, Output } from '../../contract/table.ts';
import { parseOwnJson } from '../../domain/own-json.ts';
import type { Context } from '../kernel/context.ts';
import { fromInstantOrUndefined, toInstant, toInstantOrNull } from '../kernel/wire.ts';
import type { AuditRow } from '../ports/audit.ts';
import type { Result } from '../ports/call.ts';
import { undoUntil } from '../users/undo.ts';

export function viewEntry(row: AuditRow): AuditEntry {
  return {
    id: row.id,
    at: toInstant(row.at),
    actor: { kind: row.actorKind, id: row.actorId, name: row.actorName },
    action: row.action,
    outcome: row.outcome,
    target: row.target,
    detail: parseOwnJson(row.detail) as Record<string, unknown>,
    address: row.address,
    request_id: row.requestId,
  };
}

/** The id if the target is a single user. */
function parseUserId(target: string | undefined): number | undefined {
  const [, id] = /^user:([1-9]\d{0,14})$/.exec(target ?? '') ?? [];
  return id === undefined ? undefined : Number(id);
}

/** The users that an operation on many users changed, by id. */
export function listAuditUsers(
  { id, after, limit }: Input<'listAuditUsers'>,
  context: Context,
): Result<Output<'listAuditUsers'>> {
  const { store } = context;
  const users = store.audit.users(id, after, limit);
  const items = users.map(({ isPresent, ...user }) => ({ ...user, present: isPresent }));
  const next = users.length < limit ? null : (users.at(-1)?.id ?? null);
  const undo_until = toInstantOrNull(undoUntil(context, id));
  return { body: { items, total: store.audit.countUsers(id), next_after: next, undo_until } };
}

/** Newest first; `next_before` is the cursor of the next page. */
export function listAudit(input: Input<'listAudit'>, { store }: Context): Result<Output<'listAudit'>> {
  const userId = parseUserId(input.target);
  const rows = store.audit.page({
    before: input.before,
    limit: input.limit,
    action: input.action,
    ...(userId === undefined ? { target: input.target } : { userId }),
    actorKind: input.actor,
    keyId: input.key_id,
    since: fromInstantOrUndefined(input.since),
    until: fromInstantOrUndefined(input.until),
  });
  const next = rows.length < input.limit ? null : (rows.at(-1)?.id ?? null);
  return { body: { items: rows.map(viewEntry), next_before: next } };
}
