// The health of accounts at payment providers: every answer of a provider is recorded here, and refusals are reported to the administrator.
import type { ProviderError } from '../../contract/sales/providers.ts';
import { isRefusal } from '../../domain/sales/provider-health.ts';
import { shorten } from '../../domain/shorten.ts';
import type { Transaction } from '../kernel/context.ts';
import type { Probed, ProviderFailure, ProviderRow, ReadPayments } from '../ports/providers.ts';

/** Characters of the account's name at the provider that are stored. */
const MAX_ACCOUNT = 200;

export type AccountProblem = Pick<ProviderFailure, 'error' | 'missing' | 'codes'>;
type HealthContext = Pick<Transaction, 'store' | 'now' | 'publish' | 'emit'>;

/** Problems that the success of another call does not clear. */
const LASTING: ReadonlySet<ProviderError> = new Set(['forbidden', 'open_refused', 'list_repeats']);

const SOUND = { error: null, missing: [], codes: [], errorAt: null } as const;

/** The health of an account whose keys have just passed the probe. */
export function toHealthyAccount({ account, isTest }: Probed, now: number) {
  return { ...SOUND, account: shorten(account, MAX_ACCOUNT), isTest: isTest ?? false, okAt: now };
}

/** The account's problem that an answer shows: a failure, or missing permissions of a partial answer. null: none. */
export function findProblem(answer: ProviderFailure | ReadPayments): AccountProblem | null {
  if ('error' in answer) return answer;
  return answer.missing?.length ? { error: 'forbidden', missing: answer.missing } : null;
}

/** The account's problem if opening an invoice is refused. It has an error of its own because no probe can clear it. */
export function openingProblem(refusal: ProviderFailure): AccountProblem {
  const isOfOpening = refusal.error === 'refused' || (refusal.error === 'forbidden' && !refusal.missing?.length);
  return isOfOpening ? { ...refusal, error: 'open_refused' } : refusal;
}

/** Records that a list of payments was read to its end, or that it repeats itself and cannot be. */
export function recordListEnd(context: HealthContext, id: number, isRepeated: boolean): void {
  const row = context.store.providers.get(id);
  if (isRepeated) recordAnswer(context, id, { error: 'list_repeats' });
  else if (row?.error === 'list_repeats') context.store.providers.save({ ...row, ...SOUND, okAt: context.now });
}

/** Whether a provider refuses a payment because of its currency. */
export function isCurrencyRefusal({ error, codes = [] }: AccountProblem): boolean {
  return error === 'refused' && codes.some((code) => /currenc|fiat/i.test(code));
}

/** Stops offering a currency at this provider until the account is saved again. */
export function recordRefusedCurrency({ store }: HealthContext, id: number, currency: string): void {
  const row = store.providers.get(id);
  if (row) store.providers.save({ ...row, refusedCurrencies: union(row.refusedCurrencies, [currency]) });
}

/** Records that an invoice was opened, which clears `open_refused`. */
export function recordOpening(context: HealthContext, id: number): void {
  const row = context.store.providers.get(id);
  if (row?.error === 'open_refused') context.store.providers.save({ ...row, ...SOUND, okAt: context.now });
  else recordAnswer(context, id, null);
}

/** Records the outcome of one call; `problem` null: success. */
export function recordAnswer(context: HealthContext, id: number, problem: AccountProblem | null): void {
  const { store, now } = context;
  const row = store.providers.get(id);
  if (!row) return;
  // A success or a passing failure of one call does not mean that a call which was forbidden is now allowed.
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

/** Records the outcome of a probe, and returns the account with it. */
export function recordProbe(context: HealthContext, row: ProviderRow, outcome: Probed | AccountProblem): ProviderRow {
  const { error, missing, codes, errorAt } = row;
  if ('error' in outcome) return recordProblem(context, row, outcome);
  // A probe does not test these, so it does not clear them.
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
  // Report changes only, and only problems that the administrator must solve; others pass by themselves.
  if (isNews && isRefusal(error)) {
    publish({ type: 'provider.refused', provider: after, error });
    emit('provider.failed', { provider_id: row.id, kind: row.kind, name: row.name, error, codes: [...codes] });
  }
  return after;
}
