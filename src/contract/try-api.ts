// "Try it" of the documentation page: a request to the API door, made by the panel itself, so that a browser needs no exception for it.
import { z } from 'zod';
import { panelOperation } from './operation.ts';

/** The part of a request line after base_url, in printable ASCII. */
const target = z
  .string()
  .max(8000)
  .regex(/^\/[!-~]*$/)
  .meta({ description: 'Path and query below base_url, as in `/users?limit=5`.' });

export const tryApi = panelOperation({
  id: 'tryApi',
  access: 'session',
  effect: 'read',
  tag: 'Panel',
  summary: 'Send a GET request to the API with a key',
  description: 'Passes the same checks as a request over the network. The key is used once and not stored.',
  input: z.strictObject({
    method: z.literal('GET').default('GET'),
    path: target,
    key: z.string().max(1024).meta({ description: 'The key as typed; a wrong one gets the error of the API.' }),
    accept: z.string().max(300).optional(),
  }),
  output: z.object({
    status: z.int().min(100).max(599),
    headers: z.record(z.string(), z.string()).meta({ description: 'Names in lower case.' }),
    body: z.string(),
  }),
  example: {
    body: { method: 'GET', path: '/users?limit=5', key: 'pnl_…' },
    reply: { status: 200, headers: { 'content-type': 'application/json' }, body: '{"items":[]}' },
  },
});
