// Rules of subscription links: which apps get which format and headers, or a refusal. In the panel only.
import { z } from 'zod';
import { panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';
import { CONFIGURATION_FORMATS, FORMATS } from './formats.ts';
import { templateId } from './templates.ts';

export const MAX_RULES = 50;
const MAX_PATTERNS = 30;
const MAX_CONDITIONS = 5;
const MAX_HEADERS = 20;

export const RULE_ACTIONS = ['serve', 'explain', 'refuse'] as const;

/** A name of RFC 9110, in lower case. */
const HEADER_NAME = /^[a-z0-9!#$%&'*+.^_`|~-]{1,64}$/;

/** Headers of the connection and of the panel itself. */
const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  'alt-svc',
  'cache-control',
  'connection',
  'content-encoding',
  'content-length',
  'content-security-policy',
  'content-type',
  'date',
  'etag',
  'keep-alive',
  'last-modified',
  'location',
  'referrer-policy',
  'retry-after',
  'server',
  'set-cookie',
  'strict-transport-security',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'vary',
  'www-authenticate',
  'x-content-type-options',
  'x-frame-options',
  'x-gatehouse-left-out',
  'x-request-id',
]);

function isReservedHeader(name: string): boolean {
  return RESERVED_HEADERS.has(name) || /^(?:access-control|proxy|sec)-/.test(name);
}

const headerName = z.string().regex(HEADER_NAME).meta({ description: 'In lower case.' });
const pattern = s.text({ min: 1, max: 100 }).meta({
  description: 'A text in which `*` stands for any characters. It must match the whole value; letter case is ignored.',
});

/** A header's value, as the administrator enters it. */
const headerValue = s.text({ min: 0, max: 2000 });

export const ownHeaders = z
  .array(
    z.strictObject({
      name: headerName.refine((name) => !isReservedHeader(name), { message: 'is a header of the panel itself' }),
      value: headerValue.meta({ description: 'Empty: the header is not sent.' }),
    }),
  )
  .max(MAX_HEADERS)
  .refine((headers) => new Set(headers.map(({ name }) => name)).size === headers.length, {
    message: 'must not repeat a name',
  });

export const subscriptionRule = z
  .strictObject({
    id: z.int().min(1).max(1_000_000).meta({ description: 'Of your choice, unique in the list.' }),
    name: s.text({ min: 1, max: 60 }),
    enabled: z.boolean(),
    apps: z.array(pattern).max(MAX_PATTERNS).meta({
      description:
        'Patterns of the User-Agent header, one of which must match; empty: any app, also one without the header.',
    }),
    requires: z
      .array(z.strictObject({ name: headerName, pattern }))
      .max(MAX_CONDITIONS)
      .meta({ description: 'Headers that the request must have, each with a value that matches.' }),
    action: z.enum(RULE_ACTIONS).meta({
      description:
        '`serve`: the connections. `explain`: one entry whose name is `text`, and no connection. `refuse`: the reply of an unknown link.',
    }),
    format: z
      .enum(CONFIGURATION_FORMATS)
      .nullable()
      .meta({ description: 'The format; null: by the app. A format that the link names goes first.' }),
    template: templateId.nullable().meta({ description: 'The template; null: the one that is chosen for the user.' }),
    text: s.text({ min: 0, max: 100 }).meta({ description: 'With `explain`: why there are no connections.' }),
    headers: ownHeaders.meta({ description: 'Headers in addition to the usual ones, or in place of them.' }),
  })
  .refine(({ action, text }) => action !== 'explain' || text.trim() !== '', {
    path: ['text'],
    message: 'must say why there are no connections',
  })
  .meta({ id: 'SubscriptionRule' });
export type SubscriptionRule = z.output<typeof subscriptionRule>;

const rules = z
  .array(subscriptionRule)
  .max(MAX_RULES)
  .refine((items) => new Set(items.map(({ id }) => id)).size === items.length, { message: 'must not repeat an id' })
  .meta({ description: 'The first enabled rule that matches applies.' });
const rulesView = z.object({ items: rules }).meta({ id: 'SubscriptionRules' });

const ruleExample: SubscriptionRule = {
  id: 1,
  name: 'Happ gets a configuration',
  enabled: true,
  apps: ['Happ/*'],
  requires: [],
  action: 'serve',
  format: 'xray',
  template: null,
  text: '',
  headers: [],
};

export const getSubscriptionRules = panelOperation({
  id: 'getSubscriptionRules',
  access: 'session',
  effect: 'read',
  tag: 'Panel',
  summary: 'Read the rules of subscription links',
  input: z.strictObject({}),
  output: rulesView,
  example: { body: {}, reply: { items: [ruleExample] } },
});

export const saveSubscriptionRules = panelOperation({
  id: 'saveSubscriptionRules',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Set the rules of subscription links',
  description: 'Replaces the whole list. The page for browsers follows no rules.',
  input: z.strictObject({ items: rules }),
  output: rulesView,
  example: { body: { items: [ruleExample] }, reply: { items: [ruleExample] } },
});

export const FORMAT_REASONS = ['link', 'accept', 'browser', 'rule', 'app', 'old_core', 'default'] as const;
export type FormatReason = (typeof FORMAT_REASONS)[number];

const tried = z
  .object({
    status: z.int().meta({ description: '404: a rule refuses the app.' }),
    format: z.enum(FORMATS),
    reason: z.enum(FORMAT_REASONS).meta({
      description:
        'What chose the format. `link`: the `format` of the link. `accept`: the Accept header. `browser`: it is a browser. `rule`: the rule. `app`: the known app. `old_core`: the app is built on a sing-box that cannot read the format of the app. `default`: nothing else did.',
    }),
    rule: z
      .object({ id: z.int(), name: z.string() })
      .nullable()
      .meta({ description: 'The rule that applies; null: none.' }),
    headers: z.array(z.object({ name: z.string(), value: z.string() })),
    body: z.string(),
  })
  .meta({ id: 'TriedSubscription' });

export const trySubscription = panelOperation({
  id: 'trySubscription',
  access: 'session',
  effect: 'read',
  tag: 'Panel',
  summary: 'Read what a subscription link answers to an app',
  description: 'The exact reply, with the reasons for it. It is not counted as a visit of the user.',
  input: z.strictObject({
    id: s.id.meta({ description: 'The user.' }),
    user_agent: s.text({ min: 0, max: 500 }).meta({ description: 'Empty: the header is not sent.' }),
    accept: s.text({ min: 0, max: 500 }).default('*/*'),
    format: s.text({ min: 0, max: 20 }).default('').meta({ description: 'The `format` of the link; empty: none.' }),
    headers: z
      .array(z.strictObject({ name: headerName, value: s.text({ min: 0, max: 500 }) }))
      .max(10)
      .default([]),
    rules: rules.optional().meta({ description: 'Rules that are not saved yet; absent: the saved ones.' }),
  }),
  output: tried,
  errors: ['not_found'],
  example: {
    body: { id: 7, user_agent: 'Happ/3.21.1' },
    reply: {
      status: 200,
      format: 'links',
      reason: 'app',
      rule: null,
      headers: [{ name: 'content-type', value: 'text/plain; charset=utf-8' }],
      body: 'dmxlc3M6Ly8=',
    },
  },
});
