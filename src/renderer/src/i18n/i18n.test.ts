// Texts with their values: a sentence for every error; plurals, time spans and figures in each language's grammar.
import i18next, { type i18n } from 'i18next';
import { beforeAll, describe, expect, it } from 'vitest';
import { ERRORS } from '../../../contract/errors.ts';
import { pages as en } from '../../../i18n/en/pages/index.ts';
import { LANGUAGES } from '../../../i18n/languages.ts';
import { loadPageTexts } from '../../../i18n/page-texts.ts';
import { pages as ru } from '../../../i18n/ru/pages/index.ts';
import { createFormat } from '../format/format.ts';

describe('errors', () => {
  it.each(LANGUAGES)(
    'have a sentence in $code for every code that the panel can answer with, and for no other',
    async ({ code }) => {
      const { errors } = await loadPageTexts(code);
      expect(Object.keys(errors.code).sort()).toEqual(Object.keys(ERRORS).sort());
    },
  );
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

  it('writes distances and terms in both languages', () => {
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
