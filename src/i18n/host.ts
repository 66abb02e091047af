// Texts outside the pages: the desktop shell and the subscriptions. Every language is loaded at the start, so that a text is
// there without waiting.
import i18next, { type TFunction } from 'i18next';
import type { host } from './en/host/index.ts';
import { LANGUAGES, type Language } from './languages.ts';

type Namespace = keyof typeof host;

const resources: Record<string, Awaited<ReturnType<(typeof LANGUAGES)[number]['host']>>> = {};
for (const { code, host } of LANGUAGES) resources[code] = await host();

const i18n = i18next.createInstance();
await i18n.init({
  resources,
  fallbackLng: LANGUAGES[0].code,
  // Nothing here is HTML.
  interpolation: { escapeValue: false },
  showSupportNotice: false,
} as Parameters<typeof i18n.init>[0]);

export type DesktopTexts = TFunction<'desktop'>;

export function hostTexts<Name extends Namespace>(language: Language, namespace: Name): TFunction<Name> {
  return i18n.getFixedT(language, namespace);
}
