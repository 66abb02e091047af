// A bulk in calls of limited length: each continues after the last user, and no user is changed twice in a batch.

import type { Input } from '../../contract/table.ts';
import { MAX_PER_CALL } from '../../contract/users/bulk-batch.ts';
import { HOUR_MS, IDEMPOTENCY_HOURS } from '../../domain/limits.ts';
import { parseOwnJson } from '../../domain/own-json.ts';
import type { SteppedWrite, Transaction, WriteHandler } from '../kernel/context.ts';
import { PanelError } from '../kernel/panel-error.ts';
import type { AuditUser } from '../ports/audit.ts';
import type { UserRow } from '../ports/users.ts';
import {
  actTogether,
  auditDetail,
  listTargetIds,
  type Outcome,
  PART,
  READ,
  requireExpected,
  requirePossible,
  stepFor,
  toBulkConditions,
} from './bulk.ts';
import { auditAct, createUndoNotes } from './undo.ts';

/** State of the first call of a batch, stored for the following ones. */
interface Batch {
  readonly auditId: number;
  /** The last matching user at that time. */
  readonly upTo: number;
  /** The number of matching users. */
  readonly matched: number;
}

const SCOPE = 'bulkBatch';

function createBatch({ batch: marker, after, bulk: bulkInput }: Input<'bulkBatch'>): SteppedWrite<'bulkBatch'> {
  const bulk: Input<'bulkUsers'> = { ...bulkInput, dry_run: false, atomic: false };
  const results: Outcome[] = [];
  let started: { readonly batch: Batch; readonly targets: readonly number[]; readonly left: number } | null = null;
  let next = 0;
  let affected = 0;

  function begin(tx: Transaction): NonNullable<typeof started> {
    const { idempotency } = tx.store;
    const fingerprint = JSON.stringify(bulk);
    const [stored] = idempotency.parts(SCOPE, marker, tx.now - IDEMPOTENCY_HOURS * HOUR_MS);
    if (stored && stored.fingerprint !== fingerprint) throw new PanelError('idempotency_mismatch');
    const found = listTargetIds(bulk, tx);
    if (!stored) {
      requirePossible(bulk, tx);
      requireExpected(bulk, found, tx);
    }
    // Stored below.
    const batch = stored ? (parseOwnJson(stored.data) as Batch) : first(tx, found);
    if (!stored) idempotency.addPart(SCOPE, marker, tx.now, { fingerprint, data: JSON.stringify(batch) });
    const rest = found.filter((id) => id > after && id <= batch.upTo);
    const targets = rest.slice(0, MAX_PER_CALL);
    return { batch, targets, left: rest.length - targets.length };
  }

  function first(tx: Transaction, found: readonly number[]): Batch {
    const auditId = auditAct(tx, auditDetail(bulk, found.length, 0), undefined);
    return { auditId, upTo: found.at(-1) ?? 0, matched: found.length };
  }

  /** Those of `chosen` that exist and, if selected by a filter, still match it. */
  function read(chosen: readonly number[], { store, now }: Transaction): readonly UserRow[] {
    return store.users.rows(bulk.ids ? chosen : store.users.matching(chosen, toBulkConditions(bulk), now));
  }

  return {
    step(tx) {
      started ??= begin(tx);
      const { batch, targets, left } = started;
      const { audit, undo } = tx.store;
      const { clock } = tx.env;
      const notes = createUndoNotes();
      const step = stepFor(bulk, tx, notes);
      const changed: AuditUser[] = [];
      const from = next;
      const startedAt = clock.now();
      while (next < targets.length && next - from < PART.users && clock.now() - startedAt < PART.ms) {
        const chosen = targets.slice(next, next + READ);
        next += chosen.length;
        // Changed by a call whose reply was lost.
        const before = new Set(audit.usersAmong(batch.auditId, chosen));
        const open = chosen.filter((id) => !before.has(id));
        const acted = new Map(actTogether(tx, bulk, step, open, read(open, tx)).map((each) => [each.result.id, each]));
        for (const id of chosen) {
          const { result, user } = acted.get(id) ?? {};
          if (user) changed.push(user);
          if (before.has(id)) results.push({ id, outcome: 'changed' });
          else if (result) results.push(result);
        }
        affected += before.size;
      }
      affected += changed.length;
      audit.appendUsers(batch.auditId, changed);
      notes.write(undo, batch.auditId);
      auditAct(tx, auditDetail(bulk, batch.matched, audit.countUsers(batch.auditId)), batch.auditId);
      if (next < targets.length) return { part: null };
      return {
        body: { audit_id: batch.auditId, affected, results, position: targets.at(-1) ?? after, left },
      };
    },
  };
}

export const BATCH_HANDLER = {
  write: (input, tx) => {
    const batch = createBatch(input);
    for (;;) {
      const result = batch.step(tx, []);
      if (!('part' in result)) return result;
    }
  },
  isHeavy: () => true,
  begin: createBatch,
} satisfies WriteHandler<'bulkBatch'>;
