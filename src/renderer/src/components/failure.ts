// Describes a failed call in the administrator's language: what happened, what to do, and the request id to search for in the log.
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import type { PanelCallError } from '../../../contract/client.ts';
import { ERRORS, type ErrorCode, type InUse, type PlaceErrorCode, placeErrorCodes } from '../../../contract/errors.ts';

export interface FailureText {
  /** One sentence or two: what happened and what to do. */
  readonly text: string;
  /** Request id for the panel's log; null: no panel answered. */
  readonly requestId: string | null;
}

/** The texts of a failure; for an unknown code of a newer panel, the panel's own title. */
export function useFailureText(): (failure: PanelCallError) => FailureText {
  const { t } = useTranslation('errors');
  return (failure) => failureText(t, failure);
}

/** How many records use it, with the names of the first. */
function usesText(t: TFunction<'errors'>, inUse: InUse | undefined): string {
  const texts: string[] = [];
  for (const kind of ['tariffs', 'users', 'inbounds'] as const) {
    const uses = inUse?.[kind];
    if (uses === undefined || uses.total === 0) continue;
    const names = uses.first.map(({ name }) => name).join(', ');
    const text = t(`inUse.${kind}`, { count: uses.total });
    texts.push(uses.total > uses.first.length ? t('inUse.some', { text, names }) : t('inUse.every', { text, names }));
  }
  return texts.map((text) => ` ${text}`).join('');
}

/** Codes whose details are technical names and need no translation. */
const NAMED: readonly string[] = ['backup_failed', 'database_in_use'];

function failureText(t: TFunction<'errors'>, failure: PanelCallError): FailureText {
  const { code, problem, retryAfter } = failure;
  const [first] = problem.errors ?? [];
  if (code === 'place_failed' && first !== undefined)
    return { text: `${placeErrorText(t, first.code)} (${first.message})`, requestId: findRequestId(problem.instance) };
  const text = code in ERRORS ? t(`code.${code}`) : `${problem.title}. ${t('other', { code })}`;
  const uses = usesText(t, problem.in_use);
  const names = NAMED.includes(code) ? (problem.errors ?? []).map(({ message }) => ` (${message})`).join('') : '';
  const wait = retryAfter === null ? '' : ` ${t('retryIn', { count: Math.max(1, Math.ceil(retryAfter)) })}`;
  return { text: `${text}${names}${uses}${wait}`, requestId: findRequestId(problem.instance) };
}

function findRequestId(instance: string): string | null {
  const id = /^urn:panel:request:(.+)$/.exec(instance)?.[1] ?? 'none';
  return id === 'none' ? null : id;
}

/** Why a backup place failed, by the code in its record or in a refusal. */
export function placeErrorText(t: TFunction<'errors'>, code: string): string {
  if (code in ERRORS) return t(`code.${code as ErrorCode}`);
  return placeErrorCodes.some((known) => known === code) ? t(`place.${code as PlaceErrorCode}`) : t('other', { code });
}
