// The texts of the pages by language. Apart from the list of languages, so that they are in no bundle but that of the pages.
import type { guides } from './en/guides.ts';
import type { pages } from './en/pages/index.ts';
import type { Language } from './languages.ts';
import type { Translation } from './translation.ts';

const LOADERS: { readonly [Each in Language]: () => Promise<Translation<typeof pages>> } = {
  en: async () => (await import('./en/pages/index.ts')).pages,
  ru: async () => (await import('./ru/pages/index.ts')).pages,
};

/** A browser loads those of one language. */
export function loadPageTexts(language: Language): Promise<Translation<typeof pages>> {
  return LOADERS[language]();
}

const GUIDE_LOADERS: { readonly [Each in Language]: () => Promise<Translation<typeof guides>> } = {
  en: async () => (await import('./en/guides.ts')).guides,
  ru: async () => (await import('./ru/guides.ts')).guides,
};

export type Guide = keyof typeof guides;

/** Guides are long: a browser loads them where one is read. */
export function loadGuides(language: Language): Promise<Translation<typeof guides>> {
  return GUIDE_LOADERS[language]();
}
