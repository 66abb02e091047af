// Undo of actions on users, for some minutes. In the panel only.
import { z } from 'zod';
import { panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';

/** How long after its start an action can be undone. */
export const UNDO_MINUTES = 10;
/** Listed users who were not restored. */
export const MAX_LISTED = 100;
/** Actions undone together: a large selection is changed in portions. */
const MAX_ACTS = 1000;

export const UNDO_REFUSALS = ['changed_since', 'not_found', 'tariff_gone', 'inbound_gone'] as const;
export type UndoRefusal = (typeof UNDO_REFUSALS)[number];

export const undoActs = panelOperation({
  id: 'undoActs',
  access: 'session',
  effect: 'write',
  tag: 'Users',
  summary: 'Undo actions on users',
  description: `For a bulk, and for an extension, a reduction and a reset by the administrator, within ${UNDO_MINUTES} minutes; a deletion cannot be undone. Restores what the action changed for each user; traffic since then stays counted. Users who were changed since then are skipped.`,
  input: z.strictObject({
    entries: z
      .array(s.id)
      .min(1)
      .max(MAX_ACTS)
      .meta({ description: 'The actions, by the ids of their entries in the audit log.' }),
  }),
  output: z.object({
    restored: z.int().min(0).meta({ description: 'The number of restored users.' }),
    left: z.int().min(0).meta({ description: 'The number of skipped users.' }),
    users: z
      .array(
        z.object({
          id: s.id,
          name: z.string().nullable().meta({ description: 'null: the user was deleted.' }),
          reason: z.enum(UNDO_REFUSALS).meta({
            description:
              '`changed_since`: by another action, the first connection, or a reset. `tariff_gone`, `inbound_gone`: the previous tariff or an inbound was deleted.',
          }),
        }),
      )
      .max(MAX_LISTED)
      .meta({ description: `The first ${MAX_LISTED} skipped users.` }),
  }),
  errors: ['undo_over'],
  example: {
    body: { entries: [9] },
    reply: { restored: 2, left: 1, users: [{ id: 7, name: 'Anna Smirnova', reason: 'changed_since' }] },
  },
});
