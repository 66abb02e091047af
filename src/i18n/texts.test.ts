// Every language has the same texts as English: the same keys, the plural forms of its own grammar, the same values in each sentence.
import { describe, expect, it } from 'vitest';
import { withoutYearMark } from './dates.ts';
import { hostTexts } from './host.ts';
import { chooseLanguage, LANGUAGES } from './languages.ts';
import { loadPageTexts } from './page-texts.ts';

type Tree = { readonly [key: string]: string | Tree };

const SUFFIX = /_(zero|one|two|few|many|other)$/;
// Names and formats that are the same in every language.
const NAMES =
  /\b(API|IP|TOML|YAML|JSON|CSV|PEM|SNI|ALPN|VLESS|VMess|Trojan|Shadowsocks|gRPC|WebSocket|REALITY|ACME|Let’s Encrypt|TLS|TCP|XHTTP|MTU|WireGuard|HTTPUpgrade|UUID|curl|OpenAPI|Telegram|Stars|Crypto Pay|Stripe|Heleket|shopId|Merchant ID|Prometheus|Xray|sing-box|Mihomo|Clash)\b/gi;

/** Every text by its whole key; the plural forms of a key stand together. */
function listTexts(tree: Tree, path = ''): Map<string, Map<string, string>> {
  const all = new Map<string, Map<string, string>>();
  for (const [key, value] of Object.entries(tree)) {
    if (typeof value !== 'string') {
      for (const entry of listTexts(value, `${path}${key}.`)) all.set(...entry);
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

const getScript = (tag: string) => new Intl.Locale(tag).maximize().script;
const listPlaceholders = (text = '') =>
  [...new Set([...text.matchAll(/\{\{\s*(\w+)/g)].map((match) => match[1]))].sort();
const listTags = (text = '') => [...text.matchAll(/<\/?\w+>/g)].map(String).sort();
const mainForm = (forms: ReadonlyMap<string, string> | undefined) => forms?.get('other') ?? forms?.get('');

const loaded = await Promise.all(
  LANGUAGES.map(async ({ code, tag, host }) => ({
    code,
    tag,
    texts: listTexts({ pages: await loadPageTexts(code), host: await host() }),
  })),
);
const english = loaded[0]?.texts ?? new Map<string, Map<string, string>>();

describe.each(loaded)('$code', ({ tag, texts }) => {
  it('has a tag that Intl knows and a code that is the tag’s language', () => {
    expect(Intl.NumberFormat.supportedLocalesOf(tag)).toEqual([tag]);
    expect(LANGUAGES.find((language) => language.tag === tag)?.code).toBe(new Intl.Locale(tag).language);
  });

  it('has the keys of English', () => {
    expect([...texts.keys()].sort()).toEqual([...english.keys()].sort());
  });

  it('has the plural forms of its own grammar wherever English counts', () => {
    const { pluralCategories } = new Intl.PluralRules(tag).resolvedOptions();
    for (const [key, forms] of english) {
      // A sentence of its own for nothing, which every language then has.
      const zero = forms.has('zero') ? ['zero'] : [];
      const expected = forms.has('') ? [''] : [...new Set([...pluralCategories, ...zero])].sort();
      expect([...(texts.get(key)?.keys() ?? [])].sort(), key).toEqual(expected);
    }
  });

  it('puts the same values into every sentence', () => {
    for (const [key, forms] of english) {
      for (const [form, text] of texts.get(key) ?? []) {
        if (form !== 'zero')
          expect(listPlaceholders(text), `${key} ${form}`).toEqual(listPlaceholders(mainForm(forms)));
      }
    }
  });

  it('keeps the marks around words', () => {
    for (const [key, forms] of english) {
      for (const text of texts.get(key)?.values() ?? []) expect(listTags(text), key).toEqual(listTags(mainForm(forms)));
    }
  });

  it('groups the digits of what it counts', () => {
    for (const [key, forms] of texts) {
      // Spans are short by their units; a count that is typed is typed as it is shown.
      if (!key.startsWith('pages.') || key.startsWith('pages.common.') || key.endsWith('.typeCount')) continue;
      for (const text of forms.values()) expect(text, key).not.toContain('{{count}}');
    }
  });

  it('leaves nothing empty and nothing shouted', () => {
    for (const [key, forms] of texts) {
      for (const text of forms.values()) {
        expect(text.trim(), key).not.toBe('');
        expect(text, key).not.toMatch(/!|\bOops\b|Упс/);
      }
    }
  });

  it('leaves nothing in English, where its script shows it', () => {
    if (getScript(tag) === getScript('en')) return;
    const same = [...english].filter(([key, forms]) => {
      const text = forms.get('') ?? '';
      const words = text.replaceAll(/\{\{.*?\}\}|<.*?>/g, '').replaceAll(NAMES, '');
      return /[a-z]{3}/i.test(words) && texts.get(key)?.get('') === text;
    });
    expect(same.map(([key]) => key)).toEqual([]);
  });
});

describe('chooseLanguage', () => {
  it('takes the first preference that is there', () => {
    expect(chooseLanguage(['ru-RU', 'en'])).toBe('ru');
    expect(chooseLanguage(['en-US', 'ru'])).toBe('en');
    expect(chooseLanguage([null, 'tlh', 'ru'])).toBe('ru');
    expect(chooseLanguage(['tlh'])).toBe('en');
    expect(chooseLanguage([])).toBe('en');
  });
});

describe('hostTexts', () => {
  it('gives the texts of a language with their values, which are never read as texts themselves', () => {
    expect(hostTexts('ru', 'desktop')('quit')).toBe('Завершить Gatehouse');
    expect(hostTexts('en', 'desktop')('nodeDown', { name: '<b> {{x}} $t(quit)' })).toBe(
      'Node <b> {{x}} $t(quit) does not answer',
    );
  });
});

describe('withoutYearMark', () => {
  it.each([
    ['14 марта 2027\u00a0г.', '14 марта 2027'],
    ['14 мар. 2027\u202fг., 02:30', '14 мар. 2027, 02:30'],
    ['14 березня 2027 р. о 02:30', '14 березня 2027 о 02:30'],
    ['14 Mar 2027, 02:30', '14 Mar 2027, 02:30'],
  ])('of %s leaves %s', (date, rest) => {
    expect(withoutYearMark(date)).toBe(rest);
  });
});
