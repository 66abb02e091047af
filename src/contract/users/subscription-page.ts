// The page of a user's subscription link, for the administrator. In the panel only.
import { z } from 'zod';
import { panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';

export const getSubscriptionPage = panelOperation({
  id: 'getSubscriptionPage',
  access: 'session',
  effect: 'read',
  tag: 'Users',
  summary: "Read a user's subscription page",
  description:
    "The page that a browser shows at the user's link, in the panel's language, without its script. It has one `style` element and loads nothing.",
  input: z.strictObject({ id: s.id }),
  output: z.object({ html: z.string() }),
  errors: ['not_found'],
  example: { body: { id: 7 }, reply: { html: '<!doctype html><title>Gatehouse</title>' } },
});
