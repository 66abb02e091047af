// The state of a payment provider in the list, and validation of its form.
import type { TFunction } from 'i18next';
import type { PanelCallError } from '../../../../../contract/client.ts';
import {
  isApiRoot,
  PROVIDER_FIELDS,
  PROVIDER_PERMISSIONS,
  type Provider,
  type ProviderKind,
  type ProviderPermission,
  permissionNames,
} from '../../../../../contract/sales/providers.ts';
import type { Guide } from '../../../../../i18n/page-texts.ts';
import type { State } from '../../../components/state.tsx';
import { buildHash } from '../../../router/route.ts';

const PERMISSIONS = Object.keys(PROVIDER_PERMISSIONS) as ProviderPermission[];
export const PROVIDERS_PATH = ['settings', 'payments'] as const;

/** The address of the guide to a provider or to webhooks. */
export function buildGuideHash(guide: Guide): string {
  return buildHash([...PROVIDERS_PATH, 'guides', guide]);
}

interface Look {
  readonly state: State;
  readonly text: `payments.state.${'enabled' | 'disabled' | 'failing' | 'noKeys'}`;
}

/** The provider's state; of several, the one that needs attention first. */
export function describeProvider({
  kind,
  enabled,
  error,
  secrets,
}: Pick<Provider, 'kind' | 'enabled' | 'error' | 'secrets'>): Look {
  const isWhole = PROVIDER_FIELDS[kind].every(
    ({ name, isSecret, isRequired }) => !isSecret || !isRequired || secrets.includes(name),
  );
  if (!isWhole) return { state: 'down', text: 'payments.state.noKeys' };
  if (!enabled) return { state: 'disabled', text: 'payments.state.disabled' };
  if (error !== null) return { state: 'degraded', text: 'payments.state.failing' };
  return { state: 'enabled', text: 'payments.state.enabled' };
}

/** Explains the problem of a provider. */
export function problemText(
  t: TFunction<'settings'>,
  { error, missing, codes }: Pick<Provider, 'error' | 'missing' | 'codes'>,
): string {
  if (missing.length > 0) return t('payments.error.lacks', { permissions: permissionNames(missing) });
  if (error === null) return '';
  const text = t(`payments.error.${error}`);
  return codes.length === 0
    ? text
    : t('payments.named', { text, codes: codes.join(', '), advice: adviceText(t, codes) });
}

/** Advice by the provider's error codes; the first match counts. */
const ADVICE = [
  ['amount', /amount_too_(small|large)|^amount|AMOUNT/],
  ['currency', /currency|currencies|^fiat|FIAT|ASSET/i],
  ['receipt', /^receipt|vat/i],
  ['account', /account|business|suspend|DISABLED|moderat|^merchant/i],
  ['return', /url/i],
] as const;

function adviceText(t: TFunction<'settings'>, codes: readonly string[]): string {
  const found = ADVICE.find(([, pattern]) => codes.some((code) => pattern.test(code)));
  return t(`payments.advice.${found?.[0] ?? 'other'}`);
}

/** Missing permissions because of which the panel refused to save a key. */
export function listMissingPermissions(failure: Pick<PanelCallError, 'errors'> | null): readonly ProviderPermission[] {
  return PERMISSIONS.filter((one) => failure?.errors.some(({ code }) => code === `lacks_${one}`));
}

/** Errors of the form's fields; `saved`: stored secrets, which may be left empty. */
export function findFieldErrors(
  kind: ProviderKind,
  typed: Readonly<Record<string, unknown>>,
  saved: readonly string[],
): Readonly<Record<string, 'required' | 'format'>> {
  const wrong: Record<string, 'required' | 'format'> = {};
  for (const { name, isRequired, pattern } of PROVIDER_FIELDS[kind]) {
    const value = String(typed[name] ?? '').trim();
    if (value === '' && isRequired && !saved.includes(name)) wrong[name] = 'required';
    if (value !== '' && !pattern.test(value)) wrong[name] = 'format';
  }
  const root = String(typed.api_root ?? '').trim();
  if (root !== '' && !isApiRoot(root)) wrong.api_root = 'format';
  return wrong;
}
