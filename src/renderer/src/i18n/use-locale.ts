// The language the pages speak at the moment.
import { useTranslation } from 'react-i18next';
import type { Locale } from '../state/view.ts';

export function useLocale(): Locale {
  const { i18n } = useTranslation();
  return i18n.language === 'ru' ? 'ru' : 'en';
}
