// Holds what the pages are written with: the words of both languages, the choice between them, and markup that no text becomes.
import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { html } from './html.ts';
import { chooseLanguage, WORDS } from './language.ts';

describe('words', () => {
  it('are there in every language, each in its own', () => {
    expect(Object.keys(WORDS.ru)).toEqual(Object.keys(WORDS.en));
    const same = ['api'];
    for (const [name, word] of Object.entries(WORDS.en)) {
      const other = WORDS.ru[name as keyof typeof WORDS.ru];
      expect(typeof other, name).toBe(typeof word);
      if (typeof word === 'string' && !same.includes(name)) expect(other, name).not.toBe(word);
      else if (typeof word === 'function') expect(other).toHaveLength(word.length);
    }
    const russian = Object.values(WORDS.ru).filter((word) => typeof word === 'string');
    for (const word of russian) if (word !== 'API' && word !== 'ru-RU') expect(word).toMatch(/[а-яё]/i);
  });

  it.each([
    [undefined, 'en'],
    ['ru', 'ru'],
    ['en-US,ru;q=0.9', 'en'],
    ['de, ru;q=0.5, en;q=0.4', 'ru'],
    ['ru;q=0, en;q=0.1', 'en'],
    ['*', 'en'],
    ['rue', 'en'],
    [';;;q=,', 'en'],
  ])('for Accept-Language %s', (accept, language) => {
    expect(chooseLanguage(accept, 'en')).toBe(language);
  });
});

describe('html', () => {
  test.prop([fc.string({ unit: 'binary' })])('lets no text out of its place', (text) => {
    const { markup } = html`<a title="${text}">${[text, null, false, html`<b>`]}</a>`;
    expect(markup.replace(/<a title="[^"<>]*">[^"<>]*<b><\/a>/s, '')).toBe('');
    expect(markup).not.toMatch(/&(?!amp;|lt;|gt;|quot;|#39;)/);
  });
});
