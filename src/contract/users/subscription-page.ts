// What a user sees at the own link, for the administrator to look at: the panel's own.
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
    "The page that the user's link shows in a browser, in the panel's language, without its script. It has one `style` element, and loads nothing.",
  input: z.strictObject({ id: s.id }),
  output: z.object({ html: z.string() }),
  errors: ['not_found'],
  example: { body: { id: 7 }, reply: { html: '<!doctype html><title>Gatehouse</title>' } },
});
