// What the answers of providers say of the panel's accounts there: recorded with the account, and reported to the administrator where a provider
// refuses. Every answer comes through here.
import type { ProviderError } from '../../contract/sales/providers.ts';
import { isRefusal } from '../../domain/sales/provider-health.ts';
import { shorten } from '../../domain/shorten.ts';
import type { Transaction } from '../kernel/context.ts';
import type { Probed, ProviderFailure, ProviderRow, ReadPayments } from '../ports/providers.ts';

/** What the provider calls the account, as much as is stored. */
const MAX_ACCOUNT = 200;

export type AccountProblem = Pick<ProviderFailure, 'error' | 'missing' | 'codes'>;
type HealthContext = Pick<Transaction, 'store' | 'now' | 'publish' | 'emit'>;

/** What one call that succeeds does not end. */
const LASTING: ReadonlySet<ProviderError> = new Set(['forbidden', 'open_refused', 'list_repeats']);

const SOUND = { error: null, missing: [], codes: [], errorAt: null } as const;

/** What an account has where a provider has just allowed its keys what selling needs. */
export function toHealthyAccount({ account, isTest }: Probed, now: number) {
  return { ...SOUND, account: shorten(account, MAX_ACCOUNT), isTest: isTest ?? false, okAt: now };
}

/** What an answer has against the account: it failed, or the keys lack permissions although payments were read; null: nothing. */
export function findProblem(answer: ProviderFailure | ReadPayments): AccountProblem | null {
  if ('error' in answer) return answer;
  return answer.missing?.length ? { error: 'forbidden', missing: answer.missing } : null;
}

/** What a refusal to open an invoice has against the account: no probe tries that, as it would have an effect. */
export function openingProblem(refusal: ProviderFailure): AccountProblem {
  const isOfOpening = refusal.error === 'refused' || (refusal.error === 'forbidden' && !refusal.missing?.length);
  return isOfOpening ? { ...refusal, error: 'open_refused' } : refusal;
}

/** Records how a list of payments ended: at its end, or because it repeats what it had. */
export function recordListEnd(context: HealthContext, id: number, isRepeated: boolean): void {
  const row = context.store.providers.get(id);
  if (isRepeated) recordAnswer(context, id, { error: 'list_repeats' });
  else if (row?.error === 'list_repeats') context.store.providers.save({ ...row, ...SOUND, okAt: context.now });
}

/** Whether a provider refuses a payment because of its currency. */
export function isCurrencyRefusal({ error, codes = [] }: AccountProblem): boolean {
  return error === 'refused' && codes.some((code) => /currenc|fiat/i.test(code));
}

/** The currency is offered there no more, until the account is saved again. */
export function recordRefusedCurrency({ store }: HealthContext, id: number, currency: string): void {
  const row = store.providers.get(id);
  if (row) store.providers.save({ ...row, refusedCurrencies: union(row.refusedCurrencies, [currency]) });
}

/** Records that an invoice was opened, which also ends that one was not. */
export function recordOpening(context: HealthContext, id: number): void {
  const row = context.store.providers.get(id);
  if (row?.error === 'open_refused') context.store.providers.save({ ...row, ...SOUND, okAt: context.now });
  else recordAnswer(context, id, null);
}

/** Records the answer to one call; `problem` null: it was as it should be. */
export function recordAnswer(context: HealthContext, id: number, problem: AccountProblem | null): void {
  const { store, now } = context;
  const row = store.providers.get(id);
  if (!row) return;
  // That a call is allowed, or fails for a while, says nothing of another one that was not allowed.
  const isLasting = row.error !== null && LASTING.has(row.error);
  if (problem === null) {
    if (row.error !== null && !isLasting) store.providers.save({ ...row, ...SOUND, okAt: now });
  } else if (problem.error === 'forbidden') {
    recordProblem(context, row, { ...problem, missing: union(row.missing, problem.missing) });
  } else if (!isLasting || isRefusal(problem.error)) recordProblem(context, row, problem);
}

function union<T>(known: readonly T[], more: readonly T[] = []): readonly T[] {
  return [...new Set([...known, ...more])];
}

/** Records how the calls went that selling needs, but for the one that opens an invoice. */
export function recordProbe(context: HealthContext, row: ProviderRow, outcome: Probed | AccountProblem): ProviderRow {
  const { error, missing, codes, errorAt } = row;
  if ('error' in outcome) return recordProblem(context, row, outcome);
  // No probe tries these.
  const untried = error === 'open_refused' || error === 'list_repeats' ? { error, missing, codes, errorAt } : {};
  const after = { ...row, ...toHealthyAccount(outcome, context.now), isTest: row.isTest, ...untried };
  context.store.providers.save(after);
  return after;
}

function recordProblem(
  context: HealthContext,
  row: ProviderRow,
  { error, missing = [], codes = [] }: AccountProblem,
): ProviderRow {
  const { store, now, publish, emit } = context;
  const after: ProviderRow = { ...row, error, missing, codes, errorAt: now };
  store.providers.save(after);
  const isNews = row.error !== error || row.missing.join() !== missing.join() || row.codes.join() !== codes.join();
  // One that refuses one buyer and not the next would be news each time.
  if (isNews && isRefusal(error)) {
    publish({ type: 'provider.refused', provider: after, error });
    emit('provider.failed', { provider_id: row.id, kind: row.kind, name: row.name, error, codes: [...codes] });
  }
  return after;
}
