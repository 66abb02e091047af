// The administrator's saved views of the list of users: its filters, order and columns under a name.
import { z } from 'zod';
import { panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';

/** Saved views. */
export const MAX_VIEWS = 50;

const fields = {
  name: s.text({ min: 1, max: 40 }).meta({ description: 'Unique, without regard to case.' }),
  query: s
    .text({ min: 0, max: 1000 })
    .meta({ description: 'Filters and order, as in the address of the page. The panel only stores it.' }),
  columns: z
    .array(z.string().regex(/^[a-z_]{1,32}$/))
    .max(50)
    .meta({ description: 'The visible columns, in order.' }),
};

const view = z.object({ id: s.id, ...fields }).meta({ id: 'UserView' });
export type UserView = z.output<typeof view>;

const exampleFields = {
  name: 'Ends this week',
  query: 'expires=7&sort=expires_at',
  columns: ['name', 'tariff_id', 'expires_at'],
};
const example: UserView = { id: 1, ...exampleFields };

export const listUserViews = panelOperation({
  id: 'listUserViews',
  access: 'session',
  effect: 'read',
  tag: 'Users',
  summary: 'List the saved views of the list of users',
  input: z.strictObject({}),
  output: z.object({ items: z.array(view).max(MAX_VIEWS) }),
  example: { body: {}, reply: { items: [example] } },
});

export const saveUserView = panelOperation({
  id: 'saveUserView',
  access: 'session',
  effect: 'write',
  tag: 'Users',
  summary: 'Save a view of the list of users',
  description: 'With an `id` it replaces that view.',
  input: z.strictObject({ id: s.id.optional(), ...fields }),
  output: view,
  errors: ['not_found', 'view_limit'],
  example: { body: exampleFields, reply: example },
});

export const deleteUserView = panelOperation({
  id: 'deleteUserView',
  access: 'session',
  effect: 'write',
  tag: 'Users',
  summary: 'Delete a saved view of the list of users',
  input: z.strictObject({ id: s.id }),
  status: 204,
  output: null,
  errors: ['not_found'],
  example: { body: { id: 1 } },
});
