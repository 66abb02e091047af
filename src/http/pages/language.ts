// Which language a page speaks: the browser's if we have it, else the panel's.

import type { SettingValues } from '../../core/ports/settings.ts';
import { LANGUAGE_CODES } from '../../i18n/languages.ts';
import { en, type Words } from './i18n/en.ts';
import { ru } from './i18n/ru.ts';

export type Language = SettingValues['language'];

export const WORDS: Readonly<Record<Language, Words>> = { en, ru };

/** The best of what Accept-Language names; the first of equals; `fallback` where it names none of ours. */
export function chooseLanguage(accept: string | undefined, fallback: Language): Language {
  let best: Language | null = null;
  let bestQuality = 0;
  for (const part of (accept ?? '').slice(0, 512).split(',')) {
    const [tag = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    const quality = weight === undefined ? 1 : Number(weight.slice(2));
    const language = LANGUAGE_CODES.find((known) => known === tag.split('-')[0]);
    if (language !== undefined && quality > bestQuality) {
      best = language;
      bestQuality = quality;
    }
  }
  return best ?? fallback;
}
