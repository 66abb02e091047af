// Payment providers: the panel's accounts there, whose keys are sealed and tried before they are saved. Set up in the panel only.
import { z } from 'zod';
import { PROOF_ERRORS, proof } from '../access/proof.ts';
import { panelOperation } from '../operation.ts';
import * as s from '../scalars.ts';

/** So many accounts at most. */
export const MAX_PROVIDERS = 16;

export const PROVIDER_KINDS = ['stars', 'crypto_pay', 'yookassa', 'stripe', 'heleket'] as const;
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

/** Why a provider did not do what it was asked. */
export const PROVIDER_ERRORS = [
  'unauthorized',
  'refused',
  'rate_limited',
  'unavailable',
  'timeout',
  'host_unknown',
  'address_refused',
  'connection',
  'certificate',
  'malformed',
  'unsupported',
  'no_keys',
  'stopped',
] as const;
export type ProviderError = (typeof PROVIDER_ERRORS)[number];

/** One thing that a kind of provider must or may be given. */
export interface ProviderField {
  readonly name: string;
  /** Sealed, never given back. */
  readonly isSecret: boolean;
  readonly isRequired: boolean;
  /** What it looks like. */
  readonly pattern: RegExp;
}

/** What each kind of provider is given. The names are those under which the providers' own pages show them. */
export const PROVIDER_FIELDS: Readonly<Record<ProviderKind, readonly ProviderField[]>> = {
  // Without one the panel's own bot is meant.
  stars: [{ name: 'bot_token', isSecret: true, isRequired: false, pattern: /^\d{3,20}:[A-Za-z0-9_-]{10,100}$/ }],
  crypto_pay: [{ name: 'api_token', isSecret: true, isRequired: true, pattern: /^\d{1,20}:[A-Za-z0-9_-]{5,200}$/ }],
  yookassa: [
    { name: 'shop_id', isSecret: false, isRequired: true, pattern: /^\d{1,20}$/ },
    { name: 'secret_key', isSecret: true, isRequired: true, pattern: /^[\x21-\x7e]{10,200}$/ },
    // With a VAT code every payment has a fiscal receipt (54-FZ).
    { name: 'vat_code', isSecret: false, isRequired: false, pattern: /^([1-9]|1[0-2])$/ },
    {
      name: 'receipt_contact',
      isSecret: false,
      isRequired: false,
      pattern: /^(\+\d{7,15}|[^\s@]{1,64}@[^\s@]{3,190})$/,
    },
  ],
  stripe: [
    { name: 'secret_key', isSecret: true, isRequired: true, pattern: /^[sr]k_(test|live)_[A-Za-z0-9_]{4,300}$/ },
    { name: 'webhook_secret', isSecret: true, isRequired: false, pattern: /^whsec_[\x21-\x7e]{1,200}$/ },
  ],
  heleket: [
    { name: 'merchant', isSecret: false, isRequired: true, pattern: /^[0-9A-Za-z-]{8,64}$/ },
    { name: 'payment_key', isSecret: true, isRequired: true, pattern: /^[\x21-\x7e]{6,300}$/ },
  ],
};

/** Whether a provider takes this currency, as far as is known without asking it. */
export function takesCurrency(kind: ProviderKind, currency: string): boolean {
  if (kind === 'stars') return currency === 'XTR';
  return kind === 'yookassa' ? currency === 'RUB' : currency !== 'XTR';
}

/** Whether a text is the root of an API, as far as its form goes. */
export function isApiRoot(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '') return false;
  return url.username === '' && url.password === '' && !/[?#]/.test(text);
}

const kind = z.enum(PROVIDER_KINDS).meta({ description: 'Which provider it is.' });
const name = s.text({ min: 1, max: 60 }).meta({ description: 'How it is called in the panel.' });
const apiRoot = s
  .text({ min: 1, max: 500 })
  .refine(isApiRoot, { message: 'must be an https address without a name, a password, a query or a fragment' })
  .nullable()
  .meta({ description: "Where its API is, where that is not the provider's own, as for a server of the Bot API." });
const allowPrivate = z.boolean().meta({
  description:
    'Whether `api_root` may be a private or loopback address, and plain HTTP. Link-local addresses never are.',
});
const fields = z.record(z.string().max(40), z.string().max(400)).meta({
  description:
    'What the provider gave to the shop, by the names of its kind. A secret one is sealed and never given back.',
});

export const provider = z
  .object({
    id: s.id.meta({ description: 'Its id.' }),
    kind,
    name: z.string().meta({ description: 'How it is called in the panel.' }),
    is_test: z
      .boolean()
      .meta({ description: 'Whether its payments are play money, as the provider reports for the keys.' }),
    account: z.string().meta({ description: 'What the provider calls the account of the keys.' }),
    fields: z.record(z.string(), z.string()).meta({ description: 'What it was given, without the secrets.' }),
    secrets: z.array(z.string()).meta({ description: 'The names of the secrets that are sealed here.' }),
    api_root: z.string().nullable().meta({ description: "Where its API is; null: the provider's own." }),
    allow_private: allowPrivate,
    enabled: z
      .boolean()
      .meta({ description: 'Whether orders can be opened there, and it is asked each hour if its keys still hold.' }),
    hook_url: z.string().nullable().meta({ description: 'Where the provider can report a payment; null: nowhere.' }),
    ok_at: s.instant.nullable().meta({ description: 'When it last answered as it should; null: never.' }),
    error: z.enum(PROVIDER_ERRORS).nullable().meta({ description: 'Why it failed since then; null: it did not.' }),
    error_at: s.instant.nullable().meta({ description: 'When it last failed; null: not since it answered.' }),
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
  enabled: true,
  hook_url: null,
  ok_at: '2026-11-20T10:00:00.000Z',
  error: null,
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
  output: z.object({ items: z.array(provider).meta({ description: 'All of them, the oldest first.' }) }),
  example: { body: {}, reply: { items: [example] } },
});

export const createProvider = panelOperation({
  id: 'createProvider',
  access: 'session',
  effect: 'write',
  proof: 'fresh',
  tag: 'Panel',
  summary: 'Add a payment provider',
  description: 'Its keys are tried before they are saved: what the provider refuses is not stored.',
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
    'What is left out stays as it is, each of `fields` as well; an empty text takes a field away. The result is tried before it is saved.',
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
    'At an enabled one orders can be opened, and it is asked each hour whether its keys still hold. A disabled one is still asked about orders that were opened.',
  input: z.strictObject({ ...ofProvider, enabled: z.boolean().meta({ description: 'Whether it is asked.' }) }),
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
    'Off at first. Each time it is turned on it has a new address, to be entered at the provider. Its content is not trusted: the provider is asked about that payment at once.',
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
  summary: 'Ask a payment provider whether its keys are good',
  description: 'Answers how it went: `error` is null where the provider knows the keys.',
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
    'One with orders that have not ended is disabled instead: nothing else shows whether they were paid. Links to pay in Stars have no end of their own: they end with the account, once its ledger was read.',
  input: z.strictObject(ofProvider),
  status: 204,
  output: null,
  errors: ['not_found', 'provider_in_use'],
  example: { body: { id: 1 } },
});
