// Starts and switches the language of the pages. The texts of each language are a chunk of their own, loaded when they are first used.
import i18next, { type i18n } from 'i18next';
import { initReactI18next } from 'react-i18next';
import type { Language } from '../../../i18n/languages.ts';
import { loadPageTexts } from '../../../i18n/page-texts.ts';
import { showHidden } from '../format/show-hidden.ts';

/** Starts in one language. */
export async function startI18n(language: Language): Promise<i18n> {
  await i18next.use(initReactI18next).init({
    lng: language,
    resources: { [language]: await loadPageTexts(language) },
    defaultNS: 'common',
    // React escapes texts; invisible characters of names inside texts are made visible.
    interpolation: { escapeValue: true, escape: showHidden },
    returnNull: false,
    react: { useSuspense: false },
    showSupportNotice: false,
  } as Parameters<typeof i18next.init>[0]);
  document.documentElement.lang = language;
  return i18next;
}

/** Loads the texts of another language and switches to it. */
export async function switchLanguage(language: Language): Promise<void> {
  for (const [namespace, texts] of Object.entries(await loadPageTexts(language))) {
    i18next.addResourceBundle(language, namespace, texts);
  }
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
}
