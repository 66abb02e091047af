// What the shell itself says: menus, tray, dialogs, notifications. The pages have their own texts.
import { english, type Words } from '../i18n/en/host/desktop.ts';
import { russian } from '../i18n/ru/host/desktop.ts';

export type { Words };

type Language = 'en' | 'ru';

const BY_LANGUAGE: Readonly<Record<Language, Words>> = { en: english, ru: russian };

/** The words of the first language that is spoken here, as in `ru-RU`; English where none is. */
export function wordsIn(languages: readonly (string | null)[]): Words {
  const spoken = languages
    .map((language) => language?.slice(0, 2).toLowerCase())
    .find((language): language is Language => language === 'en' || language === 'ru');
  return BY_LANGUAGE[spoken ?? 'en'];
}

/** Puts values in the places of a text: `{port}`. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
