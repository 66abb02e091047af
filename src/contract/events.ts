// The ordered feed of events, for bots that must not miss any.
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
    'In order, starting after `after`. Store `next_after` and pass it the next time. Each event is written in the transaction of its effect, so there is no event without effect and no effect without event.',
  params: z.strictObject({}),
  query: z.strictObject({
    after: z.int().min(0).max(Number.MAX_SAFE_INTEGER).optional().meta({
      description:
        '`next_after` of the previous page. 0 or absent: from the oldest stored event. `events_gone` if events after it are no longer stored, or if it is ahead of the feed, as after an older copy of the data was put back.',
    }),
    limit: s.limit,
    type: s.oneOrMore(eventType, EVENT_TYPES.length).optional().meta({
      description: 'Events of this type, or of one of several separated by commas.',
    }),
    wait: z.int().min(0).max(30).default(0).meta({
      description:
        'Seconds to wait for an event if there is none: the reply is sent as soon as there is one, or is empty after that time. A key can have 4 waiting requests; a further one gets `rate_limited`.',
    }),
  }),
  body: null,
  status: 200,
  output: z
    .object({
      items: z.array(event).meta({ description: 'The events, oldest first.' }),
      next_after: z.int().min(0).meta({ description: 'The value of `after` for the next request.' }),
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
