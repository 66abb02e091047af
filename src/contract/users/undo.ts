// Undoing an act on users, for some minutes: the panel's own.
import { z } from 'zod';
import { panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';

/** How long after an act began it can be undone. */
export const UNDO_MINUTES = 10;
/** So many users who stay as they are are named. */
export const MOST_LISTED = 100;
/** So many acts are undone together: a large selection is changed in portions. */
const MOST_ACTS = 1000;

export const UNDO_REFUSALS = ['changed_since', 'not_found', 'tariff_gone', 'inbound_gone'] as const;
export type UndoRefusal = (typeof UNDO_REFUSALS)[number];

export const undoActs = panelOperation({
  id: 'undoActs',
  access: 'session',
  effect: 'write',
  tag: 'Users',
  summary: 'Undo acts on users',
  description: `Of a bulk, and of an extension, a reduction and a reset by the administrator, within ${UNDO_MINUTES} minutes; a deletion cannot be undone. Each user is again as before in what the act changed. What moved since then is counted besides. A user who was changed since then stays.`,
  input: z.strictObject({
    entries: z
      .array(s.id)
      .min(1)
      .max(MOST_ACTS)
      .meta({ description: 'The acts by the ids of their entries in the audit log.' }),
  }),
  output: z.object({
    restored: z.int().min(0).meta({ description: 'How many users are as before.' }),
    left: z.int().min(0).meta({ description: 'How many stay as they are.' }),
    users: z
      .array(
        z.object({
          id: s.id,
          name: z.string().nullable().meta({ description: 'null: the user is gone.' }),
          reason: z.enum(UNDO_REFUSALS).meta({
            description:
              '`changed_since`: by another act, the first connection, or a reset. `tariff_gone`, `inbound_gone`: the plan or a connection of before was deleted.',
          }),
        }),
      )
      .max(MOST_LISTED)
      .meta({ description: `The first ${MOST_LISTED} who stay.` }),
  }),
  errors: ['undo_over'],
  example: {
    body: { entries: [9] },
    reply: { restored: 2, left: 1, users: [{ id: 7, name: 'Anna Smirnova', reason: 'changed_since' }] },
  },
});
