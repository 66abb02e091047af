// The ordered feed of what happened, for bots that must not miss anything.
import { z } from 'zod';
import { apiOperation } from './operation.ts';
import * as s from './scalars.ts';
import { USER_STATES } from './users.ts';

export const EVENT_TYPES = [
  'user.created',
  'user.changed',
  'user.extended',
  'user.expiring',
  'user.expired',
  'user.traffic_low',
  'user.limited',
  'user.activated',
  'user.reset',
  'user.reissued',
  'user.granted',
  'user.grant_ended',
  'user.enabled',
  'user.disabled',
  'user.deleted',
  'user.first_connected',
  'tariff.created',
  'tariff.changed',
  'tariff.deleted',
  'inbound.created',
  'inbound.changed',
  'inbound.deleted',
  'node.created',
  'node.changed',
  'node.deleted',
  'node.up',
  'node.down',
  'settings.changed',
  'backup.made',
  'backup.failed',
  'backup.restored',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export const eventData = z
  .looseObject({
    user_id: s.id.optional(),
    state: z.enum(USER_STATES).optional().meta({ description: 'The state after it.' }),
    expires_at: s.instant.nullable().optional(),
    tariff_id: s.id.nullable().optional(),
    inbound_id: s.id.optional(),
    node_id: s.id.optional(),
    grant_id: s.id.optional(),
    bytes: s.bytes.optional(),
    name: z.string().optional(),
    contact: z.string().optional(),
  })
  .meta({
    id: 'EventData',
    description: 'Ids and figures of what it is about; never a link, a credential or an address.',
  });
export type EventData = z.output<typeof eventData>;

export const event = z
  .object({
    id: s.id.meta({ description: 'Grows; gaps are possible, repetition is not.' }),
    type: z.string().meta({ description: `One of ${EVENT_TYPES.join(', ')}; more may come.` }),
    at: s.instant.meta({ description: 'The true moment, also of what passed while the panel was stopped.' }),
    data: eventData,
  })
  .meta({ id: 'Event' });
export type Event = z.output<typeof event>;

export const listEvents = apiOperation({
  id: 'listEvents',
  method: 'GET',
  path: '/events',
  access: 'read',
  tag: 'Events',
  summary: 'Read the feed of events',
  description:
    'In order, from the one after `after`; without it from the oldest kept. Remember `next_after` and pass it the next time. Each event is written together with its effect, so none is missing and none is invented.',
  params: z.strictObject({}),
  query: z.strictObject({
    after: z.int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
    limit: s.limit,
    type: z.enum(EVENT_TYPES).optional(),
  }),
  body: null,
  status: 200,
  output: z.object({ items: z.array(event), next_after: z.int().min(0) }).meta({ id: 'EventPage' }),
  errors: ['events_gone'],
  example: {
    query: { after: 41 },
    reply: {
      items: [
        {
          id: 42,
          type: 'user.extended',
          at: '2026-11-20T10:00:00.000Z',
          data: { user_id: 7, state: 'active', expires_at: '2026-12-20T21:00:00.000Z' },
        },
      ],
      next_after: 42,
    },
  },
});
