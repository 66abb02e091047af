// "Try it" of the documentation page: a request to the API door, made by the panel itself, so that a browser needs no exception for it.
import { z } from 'zod';
import { panelOperation } from './operation.ts';

/** As it would stand in a request line behind base_url: what a browser or a program may send is printable ASCII. */
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
  description:
    'Goes through every check that a request over the network goes through. The key is used once and kept nowhere.',
  input: z.strictObject({
    method: z.literal('GET').default('GET'),
    path: target,
    key: z
      .string()
      .max(1024)
      .meta({ description: 'Whatever was typed; a wrong one is answered as the API answers it.' }),
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
