// The ordered feed of what happened, for bots that must not miss anything.
import { z } from 'zod';
import { EVENT_TYPES, event, eventType } from './event-types.ts';
import { apiOperation } from './operation.ts';
import * as s from './scalars.ts';

export const listEvents = apiOperation({
  id: 'listEvents',
  method: 'GET',
  path: '/events',
  access: 'read',
  tag: 'Events',
  summary: 'Read the feed of events',
  description:
    'In order, from the one after `after`. Remember `next_after` and pass it the next time. Each event is written in the transaction of its effect, so none is missing and none is invented.',
  params: z.strictObject({}),
  query: z.strictObject({
    after: z.int().min(0).max(Number.MAX_SAFE_INTEGER).optional().meta({
      description:
        'The `next_after` of the page before. 0 or absent: from the oldest stored event. `events_gone` if events after it are no longer stored.',
    }),
    limit: s.limit,
    type: s.oneOrMore(eventType, EVENT_TYPES.length).optional().meta({
      description: 'Events of this type, or of any of several separated by commas.',
    }),
    wait: z.int().min(0).max(30).default(0).meta({
      description:
        'Seconds to wait where there is no event yet: the reply comes as soon as there is one, or empty when the time is up. One key can have 4 waiting requests; one more gets `rate_limited`.',
    }),
  }),
  body: null,
  status: 200,
  output: z
    .object({
      items: z.array(event).meta({ description: 'The events, oldest first.' }),
      next_after: z.int().min(0).meta({ description: 'What to pass as `after` the next time.' }),
    })
    .meta({ id: 'EventPage', description: 'A page of the feed.' }),
  errors: ['events_gone'],
  example: {
    query: { after: 41 },
    reply: {
      items: [
        {
          id: 42,
          type: 'user.extended',
          at: '2026-11-20T10:00:00.000Z',
          actor: { kind: 'key', key_id: 2 },
          request_id: '0b6f7d0e5c2b4f5e9a3d1c8e7f60a1b2',
          changed: ['expires_at'],
          data: {
            user_id: 7,
            contact: '@anna',
            external_id: 'customer-4711',
            state: 'active',
            expires_at: '2026-12-20T21:00:00.000Z',
            months: 1,
          },
        },
      ],
      next_after: 42,
    },
  },
});
