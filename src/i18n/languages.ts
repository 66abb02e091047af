// The one list of languages. Types, schemas, switches, the store's rule, the texts that are loaded and the tests follow from it.
import type { host } from './en/host/index.ts';
import type { Translation } from './translation.ts';

interface LanguageEntry {
  /** ISO 639, as settings store it and the API names it. */
  readonly code: string;
  /** Its own name, for people who cannot read the present language. */
  readonly name: string;
  /** What it calls a language: the command palette finds its switch by this, whatever the present language is. */
  readonly word: string;
  /** The BCP 47 tag by which Intl formats dates and numbers. */
  readonly tag: string;
  /** Texts of everything else: the desktop shell and the subscriptions. */
  readonly host: () => Promise<Translation<typeof host>>;
}

/** The first is what a person gets whose language is not among them. */
export const LANGUAGES = [
  {
    code: 'en',
    name: 'English',
    word: 'language',
    tag: 'en-GB',
    host: async () => (await import('./en/host/index.ts')).host,
  },
  {
    code: 'ru',
    name: 'Русский',
    word: 'язык',
    tag: 'ru-RU',
    host: async () => (await import('./ru/host/index.ts')).host,
  },
] as const satisfies readonly [LanguageEntry, ...LanguageEntry[]];

export type Language = (typeof LANGUAGES)[number]['code'];

export const LANGUAGE_CODES: readonly Language[] = LANGUAGES.map(({ code }) => code);

export function isLanguage(value: unknown): value is Language {
  return LANGUAGES.some(({ code }) => code === value);
}

export function languageEntry(language: Language): (typeof LANGUAGES)[number] {
  return LANGUAGES.find(({ code }) => code === language) ?? LANGUAGES[0];
}

/** The first preference that is among the languages. Preferences are codes or tags such as `ru-RU`; null is none. */
export function chooseLanguage(preferences: readonly (string | null)[]): Language {
  return preferences.map((tag) => tag?.split('-')[0]?.toLowerCase()).find(isLanguage) ?? LANGUAGES[0].code;
}
