// API keys: created, listed and revoked in the panel only; the key itself is shown once.
import { z } from 'zod';
import { panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';
import { PROOF_ERRORS, proof } from './proof.ts';

export const ACCESSES = ['read', 'full'] as const;
export const EXPIRY_DAYS = [30, 90, 365] as const;
const expiresInDays = z
  .union([z.literal(30), z.literal(90), z.literal(365)])
  .nullable()
  .meta({ description: 'null: until revoked.' });

export const key = z
  .object({
    id: s.id,
    name: z.string(),
    access: z.enum(ACCESSES),
    prefix: z.string().meta({ description: 'The first 8 characters.' }),
    state: z.enum(['active', 'expired', 'revoked', 'unconfirmed']).meta({
      description:
        'unconfirmed: it was restored from a backup that may have been changed, and is revoked until it is confirmed.',
    }),
    created_at: s.instant,
    expires_at: s.instant.nullable(),
    revoked_at: s.instant.nullable(),
    last_used_at: s.instant.nullable(),
    last_used_from: z.string().nullable(),
  })
  .meta({ id: 'Key' });
export type Key = z.output<typeof key>;

const keyExample: Key = {
  id: 1,
  name: 'billing bot',
  access: 'full',
  prefix: 'pnl_4fTq',
  state: 'active',
  created_at: '2026-11-20T09:00:00.000Z',
  expires_at: '2027-02-18T09:00:00.000Z',
  revoked_at: null,
  last_used_at: null,
  last_used_from: null,
};

export const listKeys = panelOperation({
  id: 'listKeys',
  access: 'session',
  effect: 'read',
  tag: 'Panel',
  summary: 'List API keys',
  input: z.strictObject({}),
  output: z.object({ items: z.array(key) }),
  example: { body: {}, reply: { items: [keyExample] } },
});

export const createKey = panelOperation({
  id: 'createKey',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  tag: 'Panel',
  summary: 'Create an API key',
  description: 'Only this reply contains the key.',
  input: z.strictObject({
    ...proof,
    name: s.name,
    access: z.enum(ACCESSES),
    expires_in_days: expiresInDays.default(null),
  }),
  status: 201,
  output: z.object({ key, value: z.string() }),
  errors: PROOF_ERRORS,
  example: {
    body: { name: 'billing bot', access: 'full', expires_in_days: 90, password: 'correct horse battery' },
    reply: { key: keyExample, value: 'pnl_…' },
  },
});

export const revokeKey = panelOperation({
  id: 'revokeKey',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  tag: 'Panel',
  summary: 'Revoke an API key',
  description: 'Takes effect at the next request, also on open connections.',
  input: z.strictObject({ ...proof, id: s.id }),
  output: key,
  errors: [...PROOF_ERRORS, 'not_found'],
  example: { body: { id: 1 }, reply: { ...keyExample, state: 'revoked', revoked_at: '2026-11-20T10:00:00.000Z' } },
});

export const confirmKey = panelOperation({
  id: 'confirmKey',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  tag: 'Panel',
  summary: 'Confirm an API key restored from a backup',
  description: 'It is valid from the next request until it expires. A key that needs no confirmation is unchanged.',
  input: z.strictObject({ ...proof, id: s.id }),
  output: key,
  errors: [...PROOF_ERRORS, 'not_found'],
  example: { body: { id: 1 }, reply: keyExample },
});
