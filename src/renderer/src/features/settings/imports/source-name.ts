// Panels by their names, which are the same in every language.
import type { TFunction } from 'i18next';
import type { ImportSource } from '../../../../../contract/imports/document.ts';

const NAMES: Readonly<Record<Exclude<ImportSource, 'list'>, string>> = {
  gatehouse: 'Gatehouse',
  '3x-ui': '3x-ui',
  marzban: 'Marzban',
  pasarguard: 'PasarGuard',
  marzneshin: 'Marzneshin',
  hiddify: 'Hiddify',
  remnawave: 'Remnawave',
};

export function nameSource(t: TFunction<'settings'>, source: ImportSource): string {
  return source === 'list' ? t('imports.list') : NAMES[source];
}
