// The audit log: who did what, on whom, from where. Read in the panel only, written by the core only.
import { z } from 'zod';
import { panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';

export const AUDIT_ACTOR_KINDS = ['administrator', 'key', 'cli', 'bot', 'panel', 'unknown'] as const;
export type AuditActorKind = (typeof AUDIT_ACTOR_KINDS)[number];
const actorKind = z.enum(AUDIT_ACTOR_KINDS).meta({
  description: '`bot`: the administrator in a chat with the Telegram bot; `id` is the id of the Telegram account.',
});

export const auditEntry = z
  .object({
    id: s.id,
    at: s.instant,
    actor: z.object({
      kind: actorKind,
      id: s.id.nullable(),
      name: z.string(),
    }),
    action: z.string().meta({ description: "The operation's id." }),
    outcome: z.enum(['done', 'refused']),
    target: z.string().nullable().meta({ description: 'As in `user:7`.' }),
    detail: z.record(z.string(), z.unknown()).meta({ description: 'The details of the request, without secrets.' }),
    address: z.string().nullable(),
    request_id: z.string(),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.output<typeof auditEntry>;

export const listAudit = panelOperation({
  id: 'listAudit',
  access: 'session',
  effect: 'read',
  tag: 'Panel',
  summary: 'Read the audit log',
  description: 'Newest first; `before` is the id of the last one seen.',
  input: z.strictObject({
    before: s.id.optional(),
    limit: s.limit,
    action: z.string().min(1).max(64).optional(),
    target: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .meta({ description: 'As in `user:7`. Includes bulks that changed this user.' }),
    actor: actorKind.optional(),
    key_id: s.id.optional(),
    since: s.time.optional().meta({ description: 'Inclusive.' }),
    until: s.time.optional().meta({ description: 'Exclusive, so that adjacent ranges share no entry.' }),
  }),
  output: z.object({ items: z.array(auditEntry), next_before: s.id.nullable() }),
  example: {
    body: { limit: 50 },
    reply: {
      items: [
        {
          id: 9,
          at: '2026-11-20T10:00:00.000Z',
          actor: { kind: 'key', id: 1, name: 'billing bot' },
          action: 'extendUser',
          outcome: 'done',
          target: 'user:7',
          detail: { months: 1 },
          address: '192.168.1.20',
          request_id: '0b6f7d0e5c2b4f5e9a3d1c8e7f60a1b2',
        },
      ],
      next_before: null,
    },
  },
});

export const listAuditUsers = panelOperation({
  id: 'listAuditUsers',
  access: 'session',
  effect: 'read',
  tag: 'Panel',
  summary: 'Read the users that a bulk changed',
  description: 'Sorted by id; `after` is the id of the last one seen. Empty for an entry about one record.',
  input: z.strictObject({
    id: s.id.meta({ description: 'The id of the entry.' }),
    after: z.int().min(0).default(0),
    limit: s.limit,
  }),
  output: z.object({
    items: z.array(
      z.object({
        id: s.id,
        name: z
          .string()
          .nullable()
          .meta({ description: 'The present name, or the name when this bulk deleted the user.' }),
        present: z.boolean().meta({ description: 'Whether the user still exists.' }),
      }),
    ),
    total: z.int().min(0),
    next_after: s.id.nullable(),
    undo_until: s.instant.nullable().meta({
      description: 'Until when the bulk can be undone; null: it cannot be undone, or no longer.',
    }),
  }),
  example: {
    body: { id: 9, limit: 50 },
    reply: {
      items: [
        { id: 7, name: 'Anna Smirnova', present: true },
        { id: 8, name: null, present: false },
      ],
      total: 2,
      next_after: null,
      undo_until: null,
    },
  },
});
