// Both languages say the same things: the same keys, the plural forms of each grammar, the same figures in each sentence.
import i18next, { type i18n } from 'i18next';
import { beforeAll, describe, expect, it } from 'vitest';
import { ERRORS } from '../../../contract/errors.ts';
import { en } from '../../../i18n/en/pages/index.ts';
import { ru } from '../../../i18n/ru/pages/index.ts';
import { createFormat } from '../format/format.ts';
import { preferredLocale } from './i18n.ts';

type Tree = { readonly [key: string]: string | Tree };

const PLURALS = { en: ['one', 'other'], ru: ['few', 'many', 'one', 'other'] } as const;
const SUFFIX = /_(zero|one|two|few|many|other)$/;

/** Every text by its whole key; `texts` of all plural forms of a key stand together. */
function textsOf(tree: Tree, path = ''): Map<string, Map<string, string>> {
  const all = new Map<string, Map<string, string>>();
  for (const [key, value] of Object.entries(tree)) {
    if (typeof value !== 'string') {
      for (const entry of textsOf(value, `${path}${key}.`)) all.set(...entry);
      continue;
    }
    // A key such as `too_many` is no plural: nothing stands beside it.
    const isPlural = SUFFIX.test(key) && `${key.replace(SUFFIX, '')}_other` in tree;
    const stem = path + (isPlural ? key.replace(SUFFIX, '') : key);
    const form = (isPlural && SUFFIX.exec(key)?.[1]) || '';
    all.set(stem, (all.get(stem) ?? new Map()).set(form, value));
  }
  return all;
}

const figuresOf = (text: string) => [...new Set([...text.matchAll(/\{\{\s*(\w+)/g)].map((match) => match[1]))].sort();
const english = textsOf(en);
const russian = textsOf(ru);

describe('the languages', () => {
  it('have the same keys', () => {
    expect([...russian.keys()].sort()).toEqual([...english.keys()].sort());
  });

  it('have the plural forms of their own grammar wherever the other counts', () => {
    for (const [key, forms] of english) {
      const counts = !forms.has('');
      // A sentence of its own for nothing, which both languages then have.
      const zero = forms.has('zero') ? ['zero'] : [];
      expect([...forms.keys()].sort(), `en ${key}`).toEqual(counts ? [...PLURALS.en, ...zero] : ['']);
      expect([...(russian.get(key)?.keys() ?? [])].sort(), `ru ${key}`).toEqual(
        counts ? [...PLURALS.ru, ...zero] : [''],
      );
    }
  });

  it('tell the same figures in every sentence', () => {
    for (const [key, forms] of english) {
      const expected = figuresOf(forms.get('other') ?? forms.get('') ?? '');
      for (const [form, text] of russian.get(key) ?? []) {
        if (form !== 'zero') expect(figuresOf(text), `${key} ${form}`).toEqual(expected);
      }
    }
  });

  it('keep the same marks around words', () => {
    const marks = (text = '') => [...text.matchAll(/<\/?\w+>/g)].map(String).sort();
    for (const [key, forms] of english) {
      const text = forms.get('other') ?? forms.get('');
      for (const other of russian.get(key)?.values() ?? []) expect(marks(other), key).toEqual(marks(text));
    }
  });

  it('leave nothing empty, nothing untranslated and nothing shouted', () => {
    for (const [language, texts] of [
      ['en', english],
      ['ru', russian],
    ] as const) {
      for (const [key, forms] of texts) {
        for (const text of forms.values()) {
          expect(text.trim(), `${language} ${key}`).not.toBe('');
          expect(text, `${language} ${key}`).not.toMatch(/!|\bOops\b|Упс/);
        }
      }
    }
    const same = [...english].filter(([key, forms]) => {
      const text = forms.get('') ?? '';
      return /[a-z]{3}/i.test(text.replaceAll(/\{\{.*?\}\}|<.*?>/g, '')) && russian.get(key)?.get('') === text;
    });
    // Names and formats that are the same in every language.
    const allowed =
      /\b(API|IP|TOML|YAML|JSON|CSV|PEM|SNI|ALPN|VLESS|VMess|Trojan|Shadowsocks|gRPC|WebSocket|REALITY|TLS|TCP|XHTTP|HTTPUpgrade|UUID|curl|OpenAPI|Telegram|Prometheus|Xray|sing-box|Mihomo)\b/gi;
    const untranslated = same.filter(([, forms]) => /[a-z]{3}/i.test((forms.get('') ?? '').replaceAll(allowed, '')));
    expect(untranslated.map(([key]) => key)).toEqual([]);
  });
});

describe('errors', () => {
  it('are told for every code that the panel can answer with, and for no other', () => {
    const codes = Object.keys(ERRORS).sort();
    expect(Object.keys(en.errors.code).sort()).toEqual(codes);
    expect(Object.keys(ru.errors.code).sort()).toEqual(codes);
  });
});

describe('counting', () => {
  let i18n: i18n;
  beforeAll(async () => {
    i18n = i18next.createInstance();
    await i18n.init({ lng: 'ru', resources: { en, ru }, defaultNS: 'common', interpolation: { escapeValue: false } });
  });

  it.each([
    [1, '1 день'],
    [2, '2 дня'],
    [5, '5 дней'],
    [11, '11 дней'],
    [21, '21 день'],
    [104, '104 дня'],
    [111, '111 дней'],
  ])('of %i days in Russian says %s', (count, text) => {
    expect(i18n.t('term.days', { count })).toBe(text);
  });

  it('tells distances and terms in both languages', () => {
    const now = Date.parse('2026-11-20T10:00:00Z');
    const russian = createFormat(i18n.getFixedT('ru', 'common'), 'ru', 'decimal', 'UTC');
    const english = createFormat(i18n.getFixedT('en', 'common'), 'en', 'decimal', 'UTC');
    const at = (hours: number) => now + hours * 3_600_000;
    expect(russian.relative(at(2), now)).toBe('через 2 ч');
    expect(russian.relative(at(-24 * 3), now)).toBe('3 дня назад');
    expect(russian.relative(at(24 * 365 * 5), now)).toBe('через 4 года');
    expect(english.relative(at(2), now)).toBe('in 2 h');
    expect(english.relative(now, now)).toBe('now');
    expect(english.relative('2026-11-19T10:00:00.000Z', now)).toBe('24 h ago');
    expect(russian.term({ months: 1, days: 3 })).toBe('1 месяц 3 дня');
    expect(english.term({ days: 0 })).toBe('0 days');
    expect(english.uptime(12 * 86_400 + 4 * 3600)).toBe('12\u00a0d 4\u00a0h');
    expect(english.exactBytes(1_400_000_000)).toBe('1,400,000,000 bytes');
  });

  it('groups digits where a sentence asks for it', () => {
    expect(i18n.getFixedT('en', 'frame')('selection.all', { count: 4312 })).toBe('Select all 4,312 that match');
  });
});

describe('preferredLocale', () => {
  it('takes the first language that the pages speak', () => {
    expect(preferredLocale(['ru-RU', 'en'])).toBe('ru');
    expect(preferredLocale(['en-US', 'ru'])).toBe('en');
    expect(preferredLocale(['de', 'ru'])).toBe('ru');
    expect(preferredLocale(['de'])).toBe('en');
    expect(preferredLocale([])).toBe('en');
  });
});
