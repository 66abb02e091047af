// Since when the previous subscription link of a user no longer works.
import { z } from 'zod';
import { panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';

export const getFormerLink = panelOperation({
  id: 'getFormerLink',
  access: 'session',
  effect: 'read',
  tag: 'Users',
  summary: "Read when a user's previous link stopped working",
  description:
    'After a link was reissued. The panel refuses the previous one at once; the machine of a node that serves links refuses it from its next contact with the panel.',
  input: s.defineIdParams('user'),
  output: z.object({
    dead_since: s.instant.nullable().meta({
      description:
        'When the link was reissued: since then the panel refuses the previous one; null: the link was never reissued.',
    }),
    nodes: z
      .array(
        z.object({
          id: s.defineId('node'),
          name: z.string(),
          dead_since: s.instant.nullable().meta({
            description:
              'When its machine received the change; null: not yet, so it may still serve the previous link.',
          }),
          last_seen_at: s.instant.nullable().meta({ description: 'The last contact with it; null: never.' }),
        }),
      )
      .meta({ description: 'Machines of nodes that may have the previous link, by id.' }),
  }),
  errors: ['not_found'],
  example: {
    body: { id: 7 },
    reply: {
      dead_since: '2026-11-20T10:15:00.000Z',
      nodes: [
        {
          id: 1,
          name: 'Frankfurt',
          dead_since: '2026-11-20T10:15:04.000Z',
          last_seen_at: '2026-11-20T11:00:00.000Z',
        },
        { id: 2, name: 'Helsinki', dead_since: null, last_seen_at: '2026-11-20T08:00:00.000Z' },
      ],
    },
  },
});
