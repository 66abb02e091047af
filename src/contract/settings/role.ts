// Whether this panel works with its data, or another one does to which they were restored or copied.
import { z } from 'zod';
import { panelOperation } from '../operation.ts';

/**
 * `active`: it works. `other_panel`: a copy of it was started later, and a node obeys that one. `superseded`: the data were restored elsewhere, and
 * it stays so until `panel promote --take-back`. In the last two it can only be read.
 */
export const ROLE_STATES = ['active', 'other_panel', 'superseded'] as const;

export const getRole = panelOperation({
  id: 'getRole',
  access: 'session',
  effect: 'read',
  tag: 'Panel',
  summary: 'Read whether another panel has taken over the data',
  input: z.strictObject({}),
  output: z.object({ state: z.enum(ROLE_STATES), epoch: z.int().min(1) }).meta({ id: 'PanelRole' }),
  example: { body: {}, reply: { state: 'superseded', epoch: 1 } },
});
