// Diagnosis of a user's connection, and identification of a pasted text, for support. In the panel only.
import { z } from 'zod';
import { auditEntry } from '../access/audit.ts';
import { key } from '../access/keys.ts';
import { NODE_ERROR_CODES } from '../nodes/nodes.ts';
import { panelOperation } from '../operation.ts';
import { ORDER_STATES } from '../sales/sales.ts';
import * as s from '../scalars.ts';
import { userState } from './users.ts';

export const FINDING_CODES = [
  'disabled',
  'expired',
  'limited',
  'too_many_addresses',
  'on_hold',
  'term_ends_soon',
  'traffic_low',
  'may_connect',
  'no_connections',
  'none_granted',
  'node_down',
  'node_unknown',
  'node_up',
  'node_not_synced',
  'left_out',
  'connection_loopback',
  'connection_broken',
  'link_loopback',
  'link_private',
  'certificate_untrusted',
  'certificate_ended',
  'link_never_read',
  'link_read',
  'online',
  'never_online',
  'last_online',
] as const;
export type FindingCode = (typeof FINDING_CODES)[number];

export const REMEDIES = [
  'enable',
  'extend',
  'add_traffic',
  'lift_address_limit',
  'allow_all_connections',
  'add_connection',
  'open_connection',
  'open_node',
  'set_address',
  'set_certificate',
  'copy_link',
] as const;
export type Remedy = (typeof REMEDIES)[number];

const figures = z.object({
  at: s.instant.nullable().optional().meta({ description: 'When it happened or will happen.' }),
  bytes: z.int().min(0).optional().meta({ description: 'The amount used or left.' }),
  limit: z.int().min(0).optional().meta({ description: 'The limit.' }),
  count: z.int().min(0).nullable().optional().meta({ description: 'The number.' }),
  id: s.id.optional().meta({ description: 'The node or inbound.' }),
  name: z.string().optional().meta({ description: 'Its name; for a link, the application that read it.' }),
  host: z.string().optional().meta({ description: 'The address.' }),
  others: z.int().min(0).optional().meta({ description: 'Other inbounds of the user that should work.' }),
  error_code: z.enum(NODE_ERROR_CODES).nullable().optional().meta({ description: 'The problem of the node.' }),
});
export type Figures = z.output<typeof figures>;

export const finding = z.object({
  code: z.enum(FINDING_CODES),
  severity: z.enum(['blocking', 'warning', 'fine']).meta({
    description: '`blocking`: the user cannot connect because of it. `warning`: a connection may fail because of it.',
  }),
  figures,
  remedy: z
    .enum(REMEDIES)
    .nullable()
    .meta({ description: 'The action that fixes it; null: nothing needs to be done.' }),
});
export type Finding = z.output<typeof finding>;

const verdict = z.enum(['cannot', 'may_fail', 'fine']);
export type Verdict = z.output<typeof verdict>;

export const diagnoseUser = panelOperation({
  id: 'diagnoseUser',
  access: 'session',
  effect: 'read',
  tag: 'Users',
  summary: 'Find why a user cannot connect',
  description:
    'Findings about the user, the link and its nodes, most severe first. Uses stored data only, without network requests.',
  input: s.defineIdParams('user'),
  output: z.object({
    verdict: verdict.meta({ description: 'The severity of the worst finding.' }),
    findings: z.array(finding),
  }),
  errors: ['not_found'],
  example: {
    body: { id: 7 },
    reply: {
      verdict: 'cannot',
      findings: [
        {
          code: 'expired',
          severity: 'blocking',
          figures: { at: '2026-11-20T21:00:00.000Z' },
          remedy: 'extend',
        },
        {
          code: 'link_read',
          severity: 'fine',
          figures: { at: '2026-11-20T10:15:00.000Z', name: 'Happ/3.1' },
          remedy: null,
        },
      ],
    },
  },
});

export const MAX_PASTED = 8000;
const PASTED_KINDS = [
  'subscription_link',
  'share_link',
  'key',
  'request',
  'order',
  'contact',
  'name',
  'id',
  'unknown',
] as const;

const foundUser = z.object({ id: s.defineId('user'), name: z.string(), contact: z.string(), state: userState });

export const identify = panelOperation({
  id: 'identify',
  access: 'session',
  effect: 'read',
  tag: 'Panel',
  summary: 'Identify a pasted text',
  description:
    'Finds what the text is and the records it belongs to: a name, a contact, an id, a subscription link, a share link, a key or the beginning of one, the id of a request, or a reference to an order (the address of its page, a receipt, an id of a provider). The text is neither logged nor stored.',
  input: z.strictObject({ text: z.string().min(1).max(MAX_PASTED) }),
  output: z.object({
    kind: z.enum(PASTED_KINDS).meta({
      description: 'The kind of the text, by its form. For a name or a contact there is exactly one match.',
    }),
    user: foundUser
      .nullable()
      .meta({ description: 'The user that it belongs to; null: none, or it was replaced since.' }),
    keys: z.array(
      z.object({ id: s.defineId('key'), name: z.string(), prefix: key.shape.prefix, state: key.shape.state }),
    ),
    order: z
      .object({ id: s.id, state: z.enum(ORDER_STATES), user_name: z.string() })
      .nullable()
      .meta({ description: 'null: no order. `user` is the user of the order.' }),
    entries: z.array(auditEntry).meta({ description: 'The entries of the audit log for a request.' }),
  }),
  example: {
    body: { text: '@anna' },
    reply: {
      kind: 'contact',
      user: { id: 7, name: 'Anna Smirnova', contact: '@anna', state: 'expired' },
      keys: [],
      order: null,
      entries: [],
    },
  },
});
