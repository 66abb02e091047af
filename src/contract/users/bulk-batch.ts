// A bulk in calls of bounded length, so that the pages can show its progress and pause it. In the panel only.
import { z } from 'zod';
import { PROOF_ERRORS, proof } from '../access/proof.ts';
import { panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';
import { bulkResult, takesAccess, userBulk } from './user-acts.ts';

/** Users per call. */
export const MAX_PER_CALL = 2000;

const item = bulkResult.shape.results.element;

export const bulkBatch = panelOperation({
  id: 'bulkBatch',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  proofFor: ({ bulk }) => takesAccess(bulk),
  auditedAs: 'bulkUsers',
  tag: 'Users',
  summary: 'Act on the next users of a bulk',
  description: `Up to ${MAX_PER_CALL} users in the order of their ids, after \`after\`. Each user who matches at the first call of a \`batch\` is processed once, however often a call is repeated; users who no longer match the filter are skipped. A batch is one entry of the audit log and is undone as a whole. \`dry_run\` and \`atomic\` have no effect.`,
  input: z.strictObject({
    ...proof,
    batch: z
      .string()
      .regex(/^[0-9a-f]{32}$/)
      .meta({ description: 'A random id of this batch, chosen by the caller.' }),
    bulk: userBulk.meta({
      description: 'The same in all calls of the batch. `expect_matched` is checked in the first one.',
    }),
    after: z.int().min(0).meta({ description: '0 in the first call, then `position` of the previous reply.' }),
  }),
  output: z.object({
    audit_id: s.id.meta({ description: 'The entry in the audit log.' }),
    affected: z.int().min(0).meta({ description: 'The number of changed users in `results`.' }),
    results: z.array(item).max(MAX_PER_CALL).meta({ description: 'The results for the users of this call.' }),
    position: z.int().min(0).meta({ description: 'The id of the last user of this call.' }),
    left: z.int().min(0).meta({ description: 'The number of users left; 0: the batch is done.' }),
  }),
  errors: [
    ...PROOF_ERRORS,
    'extend_amount',
    'tariff_not_found',
    'inbound_not_found',
    'bulk_changed',
    'idempotency_mismatch',
  ],
  example: {
    body: {
      batch: '5f0c1d2e3a4b5c6d7e8f90a1b2c3d4e5',
      bulk: { action: 'extend', filter: { state: 'expired' }, months: 1, expect_matched: 1 },
      after: 0,
    },
    reply: { audit_id: 9, affected: 1, results: [{ id: 7, outcome: 'changed' }], position: 7, left: 0 },
  },
});
