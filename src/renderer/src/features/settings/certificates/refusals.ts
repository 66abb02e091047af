// Why an imported certificate or key is refused, as the panel names it; each has its words in the texts.
import type { settings } from '../../../../../i18n/en/pages/settings.ts';

type ImportRefusal = keyof (typeof settings)['certificates']['wrong'];

const REFUSALS: Readonly<Record<ImportRefusal, true>> = {
  not_pem: true,
  too_many: true,
  unreadable: true,
  encrypted: true,
  authority: true,
  ended: true,
  not_yet: true,
  no_names: true,
  weak: true,
  broken_chain: true,
  chain_ended: true,
  key_mismatch: true,
  unusable: true,
};

export function isImportRefusal(code: string): code is ImportRefusal {
  return Object.hasOwn(REFUSALS, code);
}
