// The administrator's operations on accounts at payment providers. Keys are tested at the provider before they are sealed.
import type { Proof } from '../../contract/access/proof.ts';
import {
  MAX_PROVIDERS,
  PROVIDER_FIELDS,
  PROVIDER_PERMISSIONS,
  type Provider,
  type ProviderField,
  type ProviderKind,
} from '../../contract/sales/providers.ts';
import type { Input, Output } from '../../contract/table.ts';
import type { PriceRules } from '../../domain/sales/money.ts';
import { isRefusal } from '../../domain/sales/provider-health.ts';
import type { AsyncContext, Context, Env, Handlers, Transaction } from '../kernel/context.ts';
import { bodyError, PanelError, requireAll } from '../kernel/panel-error.ts';
import { toInstant, toInstantOrNull, tokenOf } from '../kernel/wire.ts';
import { openAccess } from '../notify/bot-credentials.ts';
import type { BotRow } from '../ports/bot.ts';
import type { Result } from '../ports/call.ts';
import type { PaymentProviders, Probed, ProviderAccess, ProviderRow } from '../ports/providers.ts';
import { type AccountProblem, recordProbe, toHealthyAccount } from './account-health.ts';

type ProviderEnv = Pick<Env, 'log' | 'paymentProviders' | 'store' | 'tasks' | 'transact' | 'vault'>;

/** Id of an account whose keys are tested before it is stored. */
const UNSAVED = 0;

type Fields = Readonly<Record<string, string>>;

/** The place to which a sealed secret of an account is bound. */
export function secretPlace(providerId: number, field: string): string {
  return `provider:${providerId}:${field}`;
}

function secretNames({ kind }: Pick<ProviderRow, 'kind'>): readonly string[] {
  return PROVIDER_FIELDS[kind].filter(({ isSecret }) => isSecret).map(({ name }) => name);
}

function viewProvider({ env, store }: Context, row: ProviderRow): Provider {
  return {
    id: row.id,
    kind: row.kind,
    name: row.name,
    is_test: row.isTest,
    account: row.account,
    fields: row.fields,
    secrets: secretNames(row).filter((name) => store.sealed.get(secretPlace(row.id, name)) !== undefined),
    api_root: row.apiRoot,
    allow_private: row.allowPrivate,
    prices: getPriceRules(env, row).prices,
    minimums: getPriceRules(env, row).minimums,
    enabled: row.enabled,
    hook_url: row.hookToken === null ? null : hookUrl(env, row.hookToken),
    ok_at: toInstantOrNull(row.okAt),
    error: row.error,
    missing: [...row.missing],
    codes: [...row.codes],
    error_at: toInstantOrNull(row.errorAt),
    created_at: toInstant(row.createdAt),
    updated_at: toInstant(row.updatedAt),
  };
}

export function requireProvider({ store }: Pick<Env, 'store'>, id: number): ProviderRow {
  const found = store.providers.get(id);
  if (!found) throw new PanelError('not_found');
  return found;
}

/** The shortest time in ms between two requests about one invoice; 0 if this core has no clients of providers. */
export function getPollInterval({ paymentProviders }: Pick<Env, 'paymentProviders'>, kind: ProviderKind): number {
  return paymentProviders?.facts(kind).pollIntervalMs ?? 0;
}

/** The prices that a provider accepts, by its documentation and without currencies that it has refused. */
export function getPriceRules(
  { paymentProviders }: Pick<Env, 'paymentProviders'>,
  { kind, refusedCurrencies }: Pick<ProviderRow, 'kind' | 'refusedCurrencies'>,
): PriceRules {
  const { prices = {}, minimums = {} } = paymentProviders?.facts(kind) ?? {};
  const known = Object.entries(prices).filter(([currency]) => !refusedCurrencies.includes(currency));
  return { prices: Object.fromEntries(known), minimums };
}

export function requireClient({ paymentProviders }: Pick<Env, 'paymentProviders'>): PaymentProviders {
  if (!paymentProviders) throw new PanelError('unavailable');
  return paymentProviders;
}

/** Decrypts the secrets of an account. Throws PanelError `vault_unavailable`. */
function openSecrets({ store, vault }: Pick<Env, 'store' | 'vault'>, row: ProviderRow): Fields {
  const opened: Record<string, string> = {};
  for (const name of secretNames(row)) {
    const sealed = store.sealed.get(secretPlace(row.id, name));
    if (sealed) opened[name] = vault.open(sealed);
  }
  return opened;
}

function buildAccess(row: ProviderRow, secrets: Fields): ProviderAccess {
  const { id, kind, isTest, apiRoot, allowPrivate, fields } = row;
  return { id, kind, isTest, apiRoot, allowPrivate, proxy: null, fields: { ...fields, ...secrets } };
}

/** Fills in the panel's bot, with its token, API root and proxy, for Stars without a token of their own; undefined: there is no bot. */
function withBot(env: Pick<Env, 'store' | 'vault'>, access: ProviderAccess): ProviderAccess | undefined {
  if (access.kind !== 'stars' || access.fields.bot_token !== undefined) return access;
  const bot = env.store.bot.get();
  const opened = bot && openAccess(env, bot);
  if (!opened) return undefined;
  const { token, apiRoot, allowPrivate, proxy } = opened;
  return { ...access, apiRoot, allowPrivate, proxy, fields: { bot_token: token } };
}

function requireToken(env: Pick<Env, 'store' | 'vault'>, access: ProviderAccess): ProviderAccess {
  const found = withBot(env, access);
  if (!found) throw bodyError('validation', '#/fields/bot_token', 'required', 'is missing, as this panel has no bot');
  return found;
}

/** Refuses unknown, missing and malformed fields. */
function requireFields(known: readonly ProviderField[], fields: Fields): void {
  const names = new Set(known.map(({ name }) => name));
  const unknown = Object.keys(fields).filter((name) => !names.has(name));
  requireAll(
    () => undefined,
    ...unknown.map((name) => () => {
      throw bodyError('validation', `#/fields/${name}`, 'unknown', 'is not a field of this provider');
    }),
    ...known.map(({ name, isRequired, pattern }) => () => {
      const value = fields[name];
      if (value === undefined) {
        if (isRequired) throw bodyError('validation', `#/fields/${name}`, 'required', 'is missing');
      } else if (!pattern.test(value)) {
        throw bodyError('validation', `#/fields/${name}`, 'format', 'has the wrong form');
      }
    }),
  );
}

function requireAllowed(
  env: Pick<Env, 'paymentProviders'>,
  { apiRoot, allowPrivate }: Pick<ProviderRow, 'apiRoot' | 'allowPrivate'>,
): void {
  if (apiRoot === null) return;
  if (!allowPrivate && new URL(apiRoot).protocol !== 'https:')
    throw bodyError('validation', '#/api_root', 'https_required', 'must be https unless private addresses are allowed');
  if (env.paymentProviders?.isRefused(apiRoot, allowPrivate))
    throw bodyError('validation', '#/api_root', 'address_refused', 'names an address that is not allowed');
}

/** Tests the keys at the provider. Throws PanelError `provider_failed` if they cannot be used. */
async function requireGood(env: Pick<Env, 'paymentProviders'>, access: ProviderAccess): Promise<Probed> {
  const probed = await requireClient(env).probe(access);
  if (!('error' in probed)) return probed;
  const { error, missing = [], codes = [] } = probed;
  const named = codes.length === 0 ? '' : `: ${codes.join(', ')}`;
  if (missing.length > 0)
    throw new PanelError(
      'provider_failed',
      missing.map((permission) => ({
        pointer: '#/fields/secret_key',
        code: `lacks_${permission}` as const,
        message: `lacks the permission ${PROVIDER_PERMISSIONS[permission]}`,
      })),
    );
  if (error === 'address_refused')
    throw bodyError('provider_failed', '#/api_root', 'address_refused', 'leads to an address that is not allowed');
  throw isRefusal(error)
    ? bodyError('provider_failed', '#/fields', 'keys_refused', `are not accepted by the provider${named}`)
    : bodyError('provider_failed', '#/api_root', 'no_answer', `gets no answer of the provider: ${error}`);
}

/** Splits fields into open ones, stored with the account, and secrets, which are sealed. */
function split(row: Pick<ProviderRow, 'kind'>, fields: Fields): { readonly open: Fields; readonly secret: Fields } {
  const secrets = secretNames(row);
  const entries = Object.entries(fields);
  return {
    open: Object.fromEntries(entries.filter(([name]) => !secrets.includes(name))),
    secret: Object.fromEntries(entries.filter(([name]) => secrets.includes(name))),
  };
}

function sealSecrets({ store, vault }: Transaction, row: ProviderRow, secret: Fields): void {
  for (const name of secretNames(row)) {
    const place = secretPlace(row.id, name);
    const value = secret[name];
    if (value === undefined) store.sealed.remove(place);
    else store.sealed.save(vault.seal(place, value));
  }
}

/** Details for the audit log. Only the host of the API root, because its path may contain a token. */
function buildAuditDetail({ kind, name, apiRoot, isTest, enabled }: ProviderRow) {
  return { kind, name, host: apiRoot === null ? null : new URL(apiRoot).host, is_test: isTest, enabled };
}

function listProviders(_input: Input<'listProviders'>, context: Context): Result<Output<'listProviders'>> {
  return { body: { items: context.store.providers.all().map((row) => viewProvider(context, row)) } };
}

function isGiven([, value]: readonly [string, string]): boolean {
  return value !== '';
}

async function createProvider(input: Input<'createProvider'>, context: AsyncContext<'createProvider'>) {
  const { env } = context;
  const { kind, name, api_root: apiRoot, allow_private: allowPrivate } = input;
  const fields = Object.fromEntries(Object.entries(input.fields).filter(isGiven));
  requireAll(
    () => requireFields(PROVIDER_FIELDS[kind], fields),
    () => requireAllowed(env, { apiRoot, allowPrivate }),
  );
  await env.vault.prepare();
  const access = requireToken(env, { id: UNSAVED, kind, isTest: false, apiRoot, allowPrivate, proxy: null, fields });
  const probed = await requireGood(env, access);
  return context.commit((tx) => {
    const { store, now } = tx;
    if (store.providers.all().length >= MAX_PROVIDERS) throw new PanelError('provider_limit');
    const { open, secret } = split({ kind }, fields);
    const unsaved: Omit<ProviderRow, 'id'> = {
      ...toHealthyAccount(probed, now),
      kind,
      name,
      fields: open,
      apiRoot,
      allowPrivate,
      enabled: true,
      hookToken: null,
      refusedCurrencies: [],
      createdAt: now,
      updatedAt: now,
    };
    const row = { ...unsaved, id: store.providers.insert(unsaved) };
    sealSecrets(tx, row, secret);
    tx.audit(`provider:${row.id}`, buildAuditDetail(row));
    return { body: viewProvider(tx, row) };
  });
}

type Changes = Omit<Input<'changeProvider'>, 'id' | keyof Proof>;

async function changeProvider(input: Input<'changeProvider'>, context: AsyncContext<'changeProvider'>) {
  const { env } = context;
  const before = requireProvider(env, input.id);
  const { name, fields, api_root, allow_private }: Changes = input;
  await env.vault.prepare();
  const merged = { ...before.fields, ...openSecrets(env, before), ...fields };
  const all = Object.fromEntries(Object.entries(merged).filter(isGiven));
  const { open, secret } = split(before, all);
  const wanted = {
    name: name ?? before.name,
    apiRoot: api_root === undefined ? before.apiRoot : api_root,
    allowPrivate: allow_private ?? before.allowPrivate,
    fields: open,
  };
  requireAll(
    () => requireFields(PROVIDER_FIELDS[before.kind], all),
    () => requireAllowed(env, wanted),
  );
  const probed = await requireGood(env, requireToken(env, buildAccess({ ...before, ...wanted }, secret)));
  return context.commit((tx) => {
    const { now } = tx;
    const present = requireProvider(tx, before.id);
    const row = { ...present, ...wanted, ...toHealthyAccount(probed, now), refusedCurrencies: [], updatedAt: now };
    tx.store.providers.save(row);
    if (row.account !== present.account) tx.store.providers.saveReading(row.id, null, null);
    sealSecrets(tx, row, secret);
    tx.audit(`provider:${row.id}`, buildAuditDetail(row));
    return { body: viewProvider(tx, row) };
  });
}

function enableProvider({ id, enabled }: Input<'enableProvider'>, tx: Transaction): Result<Provider> {
  const before = requireProvider(tx, id);
  if (before.enabled === enabled) return { body: viewProvider(tx, before) };
  const after = { ...before, enabled, updatedAt: tx.now };
  tx.store.providers.save(after);
  tx.audit(`provider:${id}`, buildAuditDetail(after));
  return { body: viewProvider(tx, after) };
}

const HOOK_TOKEN_BYTES = 24;

export function hookUrl({ subUrl }: Pick<Env, 'subUrl'>, token: string): string {
  return subUrl(`hook/${token}`);
}

function setProviderHook({ id, enabled }: Input<'setProviderHook'>, tx: Transaction): Result<Provider> {
  const before = requireProvider(tx, id);
  if (enabled && before.kind === 'stars')
    throw bodyError('validation', '#/enabled', 'inconsistent', 'has no webhooks: the Telegram bot tells of Stars');
  if (enabled === (before.hookToken !== null)) return { body: viewProvider(tx, before) };
  const hookToken = enabled ? tokenOf(tx.crypto.randomBytes(HOOK_TOKEN_BYTES)) : null;
  const after = { ...before, hookToken, updatedAt: tx.now };
  tx.store.providers.save(after);
  tx.audit(`provider:${id}`, { ...buildAuditDetail(after), hook: enabled });
  return { body: viewProvider(tx, after) };
}

/** The account with its decrypted keys; undefined if a required one is missing. Throws PanelError `vault_unavailable`. */
export function accessTo(env: Pick<Env, 'store' | 'vault'>, row: ProviderRow): ProviderAccess | undefined {
  const secrets = openSecrets(env, row);
  const isWhole = PROVIDER_FIELDS[row.kind].every(({ name, isSecret, isRequired }) => {
    return !isSecret || !isRequired || secrets[name] !== undefined;
  });
  const access = isWhole ? withBot(env, buildAccess(row, secrets)) : undefined;
  // The account is that of a former bot, whose Stars the present bot cannot read.
  const isBots = row.kind === 'stars' && secrets.bot_token === undefined;
  return isBots && row.account !== accountOfBot(env) ? undefined : access;
}

/** Moves Stars of the panel's bot to its new name or to another bot, whose payments are then read from the start. */
export function followBot({ store }: Pick<Transaction, 'store'>, before: BotRow | undefined, after: BotRow): void {
  for (const row of store.providers.all()) {
    const isBots = row.kind === 'stars' && store.sealed.get(secretPlace(row.id, 'bot_token')) === undefined;
    if (!isBots || (before && row.account !== `@${before.username}`)) continue;
    store.providers.save({ ...row, account: `@${after.username}` });
    if (before?.botId !== after.botId) store.providers.saveReading(row.id, null, null);
  }
}

function accountOfBot({ store }: Pick<Env, 'store'>): string {
  return `@${store.bot.get()?.username}`;
}

/** Tests the keys of a stored account at its provider. Throws PanelError `vault_unavailable`. */
async function probeAccount(env: ProviderEnv, row: ProviderRow): Promise<Probed | AccountProblem> {
  const access = accessTo(env, row);
  return access ? requireClient(env).probe(access) : { error: 'no_keys' };
}

async function testProvider({ id }: Input<'testProvider'>, context: AsyncContext<'testProvider'>) {
  const outcome = await probeAccount(context.env, requireProvider(context.env, id));
  return context.commit((tx) => {
    const row = recordProbe(tx, requireProvider(tx, id), outcome);
    tx.audit(`provider:${id}`, { kind: row.kind, error: row.error });
    return { body: viewProvider(tx, row) };
  });
}

/** Tests the keys of all enabled providers, so that the administrator learns of a failure before a buyer meets it. */
export async function checkProviders(env: ProviderEnv): Promise<void> {
  const { store, vault, log } = env;
  if (vault.state() !== 'unlocked' && vault.state() !== 'headless') return;
  for (const row of store.providers.all()) {
    if (!row.enabled || env.tasks.isStopping()) continue;
    const outcome = await probeAccount(env, row);
    if ('error' in outcome && outcome.error === 'stopped') return;
    await env.transact({ name: 'testProvider', by: 'payments' }, (tx) => {
      const present = store.providers.get(row.id);
      // Skip an account that was deleted or changed meanwhile.
      if (present?.updatedAt === row.updatedAt) recordProbe(tx, present, outcome);
    });
    if ('error' in outcome) log.warn('payment provider fails', { provider: row.id, error: outcome.error });
  }
}

/** Deletes an account and its keys. */
export function removeProvider(tx: Transaction, row: ProviderRow): void {
  tx.store.providers.remove(row.id);
  for (const name of secretNames(row)) tx.store.sealed.remove(secretPlace(row.id, name));
  tx.audit(`provider:${row.id}`, buildAuditDetail(row));
}

export const PROVIDER_HANDLERS = {
  listProviders: { read: listProviders },
  createProvider: { run: createProvider },
  changeProvider: { run: changeProvider },
  enableProvider: { write: enableProvider, isEssential: true },
  setProviderHook: { write: setProviderHook },
  testProvider: { run: testProvider },
} satisfies Handlers<
  'listProviders' | 'createProvider' | 'changeProvider' | 'enableProvider' | 'setProviderHook' | 'testProvider'
>;
