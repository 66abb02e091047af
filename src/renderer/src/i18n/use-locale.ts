// The language that the pages are in at the moment.
import { useTranslation } from 'react-i18next';
import { chooseLanguage, type Language } from '../../../i18n/languages.ts';

export function useLocale(): Language {
  const { i18n } = useTranslation();
  return chooseLanguage([i18n.language]);
}
