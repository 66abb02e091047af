// What a bulk would make of each user, for the administrator to see before it is done: the panel's own.
import { z } from 'zod';
import { panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';
import { bulkResult, userBulk } from './user-acts.ts';
import { hold, userState } from './users.ts';

/** So many users are looked at, the first by their ids. */
export const MOST_PREVIEWED = 500;
/** So many of these are shown. */
export const MOST_SHOWN = 50;

const item = bulkResult.shape.results.element;

const side = z.object({
  state: userState,
  expires_at: s.instant.nullable(),
  hold: hold.nullable(),
  used: z.int().min(0).meta({ description: 'The counter of the period, in bytes.' }),
  traffic_remaining: z.int().min(0).nullable().meta({ description: 'null: unlimited.' }),
  traffic_extra: z.int().min(0),
  tariff_id: s.id.nullable(),
  tags: z.array(z.string()),
  inbounds: z.array(s.id).nullable().meta({ description: 'Connections allowed; null: all.' }),
});
export type PreviewSide = z.output<typeof side>;

const row = z.object({
  id: s.idOf('user'),
  name: z.string(),
  outcome: item.shape.outcome,
  detail: item.shape.detail,
  counter: z
    .enum(['kept', 'begins_again'])
    .meta({ description: '`begins_again`: the traffic of the period is counted from zero.' }),
  before: side,
  after: side.nullable().meta({ description: 'null: the user stays as it is, or is deleted.' }),
});
export type PreviewRow = z.output<typeof row>;

const exampleSide: PreviewSide = {
  state: 'expired',
  expires_at: '2026-11-10T21:00:00.000Z',
  hold: null,
  used: 12_000_000_000,
  traffic_remaining: 38_000_000_000,
  traffic_extra: 0,
  tariff_id: 1,
  tags: [],
  inbounds: null,
};

export const previewBulk = panelOperation({
  id: 'previewBulk',
  access: 'session',
  effect: 'read',
  tag: 'Users',
  summary: 'Preview a bulk, user by user',
  description: `By the rules that carry it out. Of the first ${MOST_PREVIEWED} users by their ids, of whom ${MOST_SHOWN} are listed; a dry run of the bulk counts all. \`dry_run\`, \`atomic\` and \`expect_matched\` make no difference.`,
  input: userBulk,
  output: z.object({
    previewed: z.int().min(0).meta({ description: 'How many users were looked at.' }),
    begin_again: z.int().min(0).meta({ description: 'How many of them have their counter begin again.' }),
    items: z.array(row),
  }),
  errors: ['extend_amount', 'tariff_not_found', 'inbound_not_found'],
  example: {
    body: { action: 'extend', ids: [7], months: 1, dry_run: true },
    reply: {
      previewed: 1,
      begin_again: 1,
      items: [
        {
          id: 7,
          name: 'Anna Smirnova',
          outcome: 'changed',
          counter: 'begins_again',
          before: exampleSide,
          after: {
            ...exampleSide,
            state: 'active',
            expires_at: '2026-12-20T10:00:00.000Z',
            used: 0,
            traffic_remaining: 50_000_000_000,
          },
        },
      ],
    },
  },
});
