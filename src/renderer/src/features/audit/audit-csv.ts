// Entries of the log as a table for other programs.
import type { AuditEntry } from '../../../../contract/audit.ts';
import { CSV_MARK, csvLine } from '../../format/csv.ts';

export const AUDIT_HEAD = `${CSV_MARK}${csvLine([
  'id',
  'at',
  'actor_kind',
  'actor_id',
  'actor',
  'action',
  'action_text',
  'outcome',
  'target',
  'address',
  'request_id',
  'detail',
])}`;

/** `words`: the act in the language of the page. */
export function auditRow(entry: AuditEntry, words: string): string {
  const { id, at, actor, action, outcome, target, address, request_id, detail } = entry;
  const facts = Object.keys(detail).length === 0 ? '' : JSON.stringify(detail);
  return csvLine([
    id,
    at,
    actor.kind,
    actor.id,
    actor.name,
    action,
    words,
    outcome,
    target,
    address,
    request_id,
    facts,
  ]);
}
