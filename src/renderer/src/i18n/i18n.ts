// The pages' languages: each is loaded when it is first spoken. English stands in for a text that a language lacks.
import i18next, { type i18n } from 'i18next';
import { initReactI18next } from 'react-i18next';
import type { Locale } from '../state/view.ts';

const loaders = {
  en: async () => (await import('../../../i18n/en/pages/index.ts')).en,
  ru: async () => (await import('../../../i18n/ru/pages/index.ts')).ru,
} as const;

export const LOCALES = ['en', 'ru'] as const satisfies readonly Locale[];
export const LOCALE_NAMES: Readonly<Record<Locale, string>> = { en: 'English', ru: 'Русский' };

/** The language a browser asks for, of those the pages speak. */
export function preferredLocale(languages: readonly string[]): Locale {
  const known = languages.map((language) => language.slice(0, 2).toLowerCase());
  return known.find((language) => language === 'ru' || language === 'en') === 'ru' ? 'ru' : 'en';
}

/** Starts in one language. */
export async function startI18n(locale: Locale): Promise<i18n> {
  await i18next.use(initReactI18next).init({
    lng: locale,
    resources: { [locale]: await loaders[locale]() },
    defaultNS: 'common',
    // React escapes; a name with an ampersand stays as it is.
    interpolation: { escapeValue: false },
    returnNull: false,
    react: { useSuspense: false },
    showSupportNotice: false,
  } as Parameters<typeof i18next.init>[0]);
  document.documentElement.lang = locale;
  return i18next;
}

/** Goes over to another language. */
export async function speak(locale: Locale): Promise<void> {
  for (const [namespace, texts] of Object.entries(await loaders[locale]())) {
    i18next.addResourceBundle(locale, namespace, texts);
  }
  await i18next.changeLanguage(locale);
  document.documentElement.lang = locale;
}
