// A bulk in calls of bounded length, between which the administrator sees how far it is, and can pause it: the panel's own.
import { z } from 'zod';
import { panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';
import { bulkResult, userBulk } from './user-acts.ts';

/** So many users are acted on in one call. */
export const MOST_PER_CALL = 2000;

const item = bulkResult.shape.results.element;

export const bulkBatch = panelOperation({
  id: 'bulkBatch',
  access: 'session',
  effect: 'write',
  auditedAs: 'bulkUsers',
  tag: 'Users',
  summary: 'Act on the next users of a bulk',
  description: `Up to ${MOST_PER_CALL} users by their ids, behind \`after\`. Everyone who matches at the first call of a \`batch\` is acted on once, however often a call is repeated; who no longer matches the filter later is left out. A batch is one entry of the audit log, and is undone as one. \`dry_run\` and \`atomic\` make no difference.`,
  input: z.strictObject({
    batch: z
      .string()
      .regex(/^[0-9a-f]{32}$/)
      .meta({ description: 'A marker of this batch, which the caller draws at random.' }),
    bulk: userBulk.meta({
      description: 'The same in all calls of the batch. `expect_matched` is checked in the first one.',
    }),
    after: z.int().min(0).meta({ description: '0 in the first call, then `position` of the reply before.' }),
  }),
  output: z.object({
    audit_id: s.id.meta({ description: 'The entry in the audit log.' }),
    affected: z.int().min(0).meta({ description: 'How many of `results` changed.' }),
    results: z.array(item).max(MOST_PER_CALL).meta({ description: 'What became of each user of this call.' }),
    position: z.int().min(0).meta({ description: 'The id of the last user of this call.' }),
    left: z.int().min(0).meta({ description: 'How many are left; 0: the batch is done.' }),
  }),
  errors: ['extend_amount', 'tariff_not_found', 'inbound_not_found', 'bulk_changed', 'idempotency_mismatch'],
  example: {
    body: {
      batch: '5f0c1d2e3a4b5c6d7e8f90a1b2c3d4e5',
      bulk: { action: 'extend', filter: { state: 'expired' }, months: 1, expect_matched: 1 },
      after: 0,
    },
    reply: { audit_id: 9, affected: 1, results: [{ id: 7, outcome: 'changed' }], position: 7, left: 0 },
  },
});
