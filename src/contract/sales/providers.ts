// Accounts at payment providers. Their keys are tested before they are saved, and sealed. In the panel only.
import { z } from 'zod';
import { PROOF_ERRORS, proof } from '../access/proof.ts';
import { panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';

/** Maximum number of accounts. */
export const MAX_PROVIDERS = 16;

export const PROVIDER_KINDS = ['stars', 'crypto_pay', 'yookassa', 'stripe', 'heleket'] as const;
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

/** Why a request to a provider failed. */
export const PROVIDER_ERRORS = [
  'unauthorized',
  'forbidden',
  'open_refused',
  'refused',
  'rate_limited',
  'unavailable',
  'timeout',
  'host_unknown',
  'address_refused',
  'connection',
  'certificate',
  'malformed',
  'list_repeats',
  'unsupported',
  'no_keys',
  'stopped',
] as const;
export type ProviderError = (typeof PROVIDER_ERRORS)[number];

/** Permissions that restricted keys need, as the provider's list names them; not translated. */
export const PROVIDER_PERMISSIONS = {
  checkout_sessions_write: 'Checkout Sessions: Write',
  payment_intents_read: 'Payment Intents: Read',
  charges_read: 'Charges and Refunds: Read',
  refunds_write: 'Charges and Refunds: Write',
  events_read: 'Events: Read',
} as const;
export type ProviderPermission = keyof typeof PROVIDER_PERMISSIONS;
const permissions = Object.keys(PROVIDER_PERMISSIONS) as ProviderPermission[];

/** The permissions as a list for people. Write implies read. */
export function permissionNames(listed: readonly ProviderPermission[] = permissions): string {
  const named = listed.filter((one) => one !== 'charges_read' || !listed.includes('refunds_write'));
  return named.map((one) => PROVIDER_PERMISSIONS[one]).join(', ');
}

/** One credential or setting of a provider. */
export interface ProviderField {
  readonly name: string;
  /** Sealed, and never returned. */
  readonly isSecret: boolean;
  readonly isRequired: boolean;
  /** Its format. */
  readonly pattern: RegExp;
}

/** Credentials and settings of each provider, named as in the provider's own pages. */
export const PROVIDER_FIELDS: Readonly<Record<ProviderKind, readonly ProviderField[]>> = {
  // Without a token the panel's own bot is used.
  stars: [{ name: 'bot_token', isSecret: true, isRequired: false, pattern: /^\d{3,20}:[A-Za-z0-9_-]{10,100}$/ }],
  crypto_pay: [{ name: 'api_token', isSecret: true, isRequired: true, pattern: /^\d{1,20}:[A-Za-z0-9_-]{5,200}$/ }],
  yookassa: [
    { name: 'shop_id', isSecret: false, isRequired: true, pattern: /^\d{1,20}$/ },
    { name: 'secret_key', isSecret: true, isRequired: true, pattern: /^[\x21-\x7e]{10,200}$/ },
    // With a VAT code every payment has a fiscal receipt (54-FZ).
    { name: 'vat_code', isSecret: false, isRequired: false, pattern: /^([1-9]|1[0-2])$/ },
  ],
  stripe: [
    { name: 'secret_key', isSecret: true, isRequired: true, pattern: /^[sr]k_(test|live)_[A-Za-z0-9_]{4,300}$/ },
    { name: 'webhook_secret', isSecret: true, isRequired: false, pattern: /^whsec_[\x21-\x7e]{1,200}$/ },
  ],
  heleket: [
    { name: 'merchant', isSecret: false, isRequired: true, pattern: /^[0-9A-Za-z-]{8,64}$/ },
    { name: 'payment_key', isSecret: true, isRequired: true, pattern: /^[\x21-\x7e]{6,300}$/ },
    // Percentage of an invoice that may be missing, because exchanges keep a fee.
    { name: 'accuracy_payment_percent', isSecret: false, isRequired: false, pattern: /^[0-5]$/ },
  ],
};

/** Whether each payment has a fiscal receipt, which the provider sends to an e-mail address of the buyer. */
export function issuesReceipts({ kind, fields: own }: Pick<Provider, 'kind' | 'fields'>): boolean {
  return kind === 'yookassa' && (own.vat_code ?? '') !== '';
}

/** Whether a text has the form of an API's root address. */
export function isApiRoot(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '') return false;
  return url.username === '' && url.password === '' && !/[?#]/.test(text);
}

const kind = z.enum(PROVIDER_KINDS).meta({ description: 'The provider.' });
const name = s.text({ min: 1, max: 60 }).meta({ description: 'The name in the panel.' });
const apiRoot = s
  .text({ min: 1, max: 500 })
  .refine(isApiRoot, { message: 'must be an https address without a name, a password, a query or a fragment' })
  .nullable()
  .meta({ description: "The address of its API, if it is not the provider's own, such as your own Bot API server." });
const allowPrivate = z.boolean().meta({
  description:
    'Whether `api_root` may be a private or loopback address, and plain HTTP. Link-local addresses never are.',
});
const fields = z.record(z.string().max(40), z.string().max(400)).meta({
  description: 'The credentials, by the names of its kind. Secrets are sealed and never returned.',
});

export const provider = z
  .object({
    id: s.id.meta({ description: 'Its id.' }),
    kind,
    name: z.string().meta({ description: 'The name in the panel.' }),
    is_test: z.boolean().meta({ description: 'Whether it is a test account, as the provider reports for the keys.' }),
    account: z.string().meta({ description: 'The name of the account at the provider.' }),
    fields: z.record(z.string(), z.string()).meta({ description: 'The credentials, without the secrets.' }),
    secrets: z.array(z.string()).meta({ description: 'The names of the stored secrets.' }),
    api_root: z.string().nullable().meta({ description: "The address of its API; null: the provider's own." }),
    allow_private: allowPrivate,
    prices: z.record(z.string(), z.int().min(1)).meta({
      description:
        'The currencies of prices that it accepts, each with the step of its amounts in minor units: 10 if the last digit must be 0.',
    }),
    minimums: z.record(z.string(), z.int().min(0)).meta({
      description: 'The smallest accepted amounts by currency, in minor units, as far as the provider documents them.',
    }),
    enabled: z
      .boolean()
      .meta({ description: 'Whether orders can be opened there and its keys are tested every hour.' }),
    hook_url: z.string().nullable().meta({ description: 'The address of its webhook; null: off.' }),
    ok_at: s.instant.nullable().meta({ description: 'When a request last succeeded; null: never.' }),
    error: z
      .enum(PROVIDER_ERRORS)
      .nullable()
      .meta({ description: 'Why requests have failed since then; null: none did.' }),
    missing: z.array(z.enum(permissions)).meta({
      description: 'With `forbidden`: the missing permissions, as far as the provider names them.',
    }),
    codes: z.array(z.string()).meta({
      description: "The provider's own identifiers of the reason, such as `amount_too_small`; empty if it named none.",
    }),
    error_at: s.instant
      .nullable()
      .meta({ description: 'When a request last failed; null: not since the last success.' }),
    created_at: s.instant.meta({ description: 'When it was added.' }),
    updated_at: s.instant.meta({ description: 'When it was last changed.' }),
  })
  .meta({ id: 'Provider' });
export type Provider = z.output<typeof provider>;

const example: Provider = {
  id: 1,
  kind: 'stripe',
  name: 'Cards',
  is_test: true,
  account: 'acct_1',
  fields: {},
  secrets: ['secret_key'],
  api_root: null,
  allow_private: false,
  prices: { EUR: 1, KWD: 10 },
  minimums: { EUR: 50 },
  enabled: true,
  hook_url: null,
  ok_at: '2026-11-20T10:00:00.000Z',
  error: null,
  missing: [],
  codes: [],
  error_at: null,
  created_at: '2026-11-20T09:00:00.000Z',
  updated_at: '2026-11-20T09:00:00.000Z',
};

const ofProvider = { id: s.id.meta({ description: 'The provider.' }) };

export const listProviders = panelOperation({
  id: 'listProviders',
  access: 'session',
  effect: 'read',
  tag: 'Panel',
  summary: 'List payment providers',
  input: z.strictObject({}),
  output: z.object({ items: z.array(provider).meta({ description: 'All accounts, oldest first.' }) }),
  example: { body: {}, reply: { items: [example] } },
});

export const createProvider = panelOperation({
  id: 'createProvider',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  tag: 'Panel',
  summary: 'Add a payment provider',
  description:
    'The keys are tested first, with the calls that selling needs, and are not stored if the provider refuses them.',
  input: z.strictObject({
    kind,
    name,
    fields,
    api_root: apiRoot.default(null),
    allow_private: allowPrivate.default(false),
    ...proof,
  }),
  status: 201,
  output: provider,
  errors: [...PROOF_ERRORS, 'provider_limit', 'provider_failed'],
  example: {
    body: { kind: 'stripe', name: 'Cards', fields: { secret_key: 'sk_test_…' }, password: 'correct horse battery' },
    reply: example,
  },
});

export const changeProvider = panelOperation({
  id: 'changeProvider',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  tag: 'Panel',
  summary: 'Change a payment provider',
  description:
    'Absent fields stay as they are, also each of `fields`; an empty text removes one. The result is tested before it is saved.',
  input: z.strictObject({
    ...ofProvider,
    name: name.optional(),
    fields: fields.optional(),
    api_root: apiRoot.optional(),
    allow_private: allowPrivate.optional(),
    ...proof,
  }),
  output: provider,
  errors: [...PROOF_ERRORS, 'not_found', 'provider_failed'],
  example: { body: { id: 1, name: 'Cards', password: 'correct horse battery' }, reply: example },
});

export const enableProvider = panelOperation({
  id: 'enableProvider',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Enable or disable a payment provider',
  description:
    'Orders can be opened at an enabled provider, and its keys are tested every hour. Orders that are open already are still polled at a disabled one.',
  input: z.strictObject({ ...ofProvider, enabled: z.boolean().meta({ description: 'Whether it is enabled.' }) }),
  output: provider,
  errors: ['not_found'],
  example: { body: { id: 1, enabled: false }, reply: { ...example, enabled: false } },
});

export const setProviderHook = panelOperation({
  id: 'setProviderHook',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Turn the webhook of a payment provider on or off',
  description:
    'Off by default. Each time it is turned on it gets a new address, to be entered at the provider. Its content is not trusted: the payment is polled at once.',
  input: z.strictObject({ ...ofProvider, enabled: z.boolean() }),
  output: provider,
  errors: ['not_found'],
  example: {
    body: { id: 1, enabled: true },
    reply: { ...example, hook_url: 'https://panel.example/sub/hook/Zp3kVn0cQm6yT1uXw8RsLgZp3kVn0cQm' },
  },
});

export const testProvider = panelOperation({
  id: 'testProvider',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Test the keys of a payment provider',
  description: 'Returns the result: `error` is null if the keys permit the calls that selling needs.',
  input: z.strictObject(ofProvider),
  output: provider,
  errors: ['not_found'],
  example: { body: { id: 1 }, reply: example },
});

export const deleteProvider = panelOperation({
  id: 'deleteProvider',
  access: 'session',
  effect: 'write',
  tag: 'Panel',
  summary: 'Delete a payment provider with its keys',
  description:
    'A provider with open orders is disabled instead, because only it can tell whether they were paid. Payment links of Stars never expire: they end with the account, after its ledger was read.',
  input: z.strictObject(ofProvider),
  status: 204,
  output: null,
  errors: ['not_found', 'provider_in_use'],
  example: { body: { id: 1 } },
});
