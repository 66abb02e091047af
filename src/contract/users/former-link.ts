// Since when the link that a user had before no longer works.
import { z } from 'zod';
import { panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';

export const getFormerLink = panelOperation({
  id: 'getFormerLink',
  access: 'session',
  effect: 'read',
  tag: 'Users',
  summary: "Read since when a user's former link is dead",
  description:
    'Of a link that was reissued. The panel refuses it at once; the machine of a node, which may serve links, does so from its first contact with the panel on.',
  input: s.byIdOf('user'),
  output: z.object({
    dead_since: s.instant.nullable().meta({
      description: 'When it was reissued: since then it is dead at the panel; null: the present link is the first.',
    }),
    nodes: z
      .array(
        z.object({
          id: s.idOf('node'),
          name: z.string(),
          dead_since: s.instant.nullable().meta({
            description: 'When its machine was told of it; null: it was not met since, and may still serve the link.',
          }),
          last_seen_at: s.instant.nullable().meta({ description: 'When it was last met; null: never.' }),
        }),
      )
      .meta({ description: 'Machines of nodes that can have the former link, by id.' }),
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
