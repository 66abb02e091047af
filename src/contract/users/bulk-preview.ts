// The effect of a bulk on each user, shown before it runs. In the panel only.
import { z } from 'zod';
import { panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';
import { bulkResult, userBulk } from './user-acts.ts';
import { hold, userState } from './users.ts';

/** Users in a preview, the first by id. */
export const MAX_PREVIEWED = 500;
/** Listed users. */
export const MAX_SHOWN = 50;

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
  inbounds: z.array(s.id).nullable().meta({ description: 'Allowed inbounds; null: all.' }),
});
export type PreviewSide = z.output<typeof side>;

const row = z.object({
  id: s.defineId('user'),
  name: z.string(),
  outcome: item.shape.outcome,
  detail: item.shape.detail,
  counter: z
    .enum(['kept', 'begins_again'])
    .meta({ description: '`begins_again`: the counter of the period is reset to zero.' }),
  before: side,
  after: side.nullable().meta({ description: 'null: the user is unchanged or deleted.' }),
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
  description: `Uses the rules of the bulk itself. Covers the first ${MAX_PREVIEWED} users by id and lists ${MAX_SHOWN} of them; a dry run of the bulk counts all. \`dry_run\`, \`atomic\` and \`expect_matched\` have no effect.`,
  input: userBulk,
  output: z.object({
    previewed: z.int().min(0).meta({ description: 'The number of users in the preview.' }),
    begin_again: z.int().min(0).meta({ description: 'The number of users whose counter is reset.' }),
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
