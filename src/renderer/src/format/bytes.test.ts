// Amounts of traffic: three figures and the right unit at every boundary, in both languages.
import i18next from 'i18next';
import { beforeAll, describe, expect, it } from 'vitest';
import { pages as en } from '../../../i18n/en/pages/index.ts';
import type { Language } from '../../../i18n/languages.ts';
import { pages as ru } from '../../../i18n/ru/pages/index.ts';
import type { Units } from '../state/view.ts';
import { computePower, createBytesFormat, getSeparators, NO_BREAK_SPACE, unitSize } from './bytes.ts';

const i18n = i18next.createInstance();
beforeAll(() => i18n.init({ lng: 'en', resources: { en, ru }, defaultNS: 'common' }));

const formatIn = (language: Language, units: Units) =>
  createBytesFormat(i18n.getFixedT(language, 'common'), language, units);
const words = (text: string) => text.replaceAll(NO_BREAK_SPACE, ' ');
const decimal = (bytes: number) => words(formatIn('en', 'decimal')(bytes));
const binary = (bytes: number) => words(formatIn('en', 'binary')(bytes));

describe('createBytesFormat', () => {
  it.each([
    [0, '0 B'],
    [1, '1 B'],
    [999, '999 B'],
    [1000, '1 kB'],
    [1_400_000_000, '1.4 GB'],
    [12_345_678, '12.3 MB'],
    [123_456_789, '123 MB'],
    [2 ** 50, '1.13 PB'],
    [Number.MAX_SAFE_INTEGER, '9.01 PB'],
  ])('writes %i bytes as %s', (bytes, text) => {
    expect(decimal(bytes)).toBe(text);
  });

  it('never writes a thousand of a unit', () => {
    // Each would become "1,000 …" if it were rounded after choosing the unit.
    expect(decimal(999_999)).toBe('1 MB');
    expect(decimal(999_600_000)).toBe('1 GB');
    expect(binary(1023.9 * 1024 ** 2)).toBe('1 GiB');
    expect(binary(1000 * 1024 ** 2)).toBe('1,000 MiB');
  });

  it('counts in powers of 1024 where asked', () => {
    expect(binary(1024)).toBe('1 KiB');
    expect(binary(50 * 1024 ** 3)).toBe('50 GiB');
    expect(binary(50_000_000_000)).toBe('46.6 GiB');
  });

  it('uses the comma and units of Russian', () => {
    expect(words(formatIn('ru', 'decimal')(1_400_000_000))).toBe('1,4 ГБ');
    expect(words(formatIn('ru', 'binary')(1536))).toBe('1,5 КиБ');
  });

  it('keeps figure and unit on one line', () => {
    expect(formatIn('en', 'decimal')(5e9)).toBe(`5${NO_BREAK_SPACE}GB`);
  });

  it('writes two amounts in one unit, so that they compare', () => {
    const power = computePower(50e9, 'decimal');
    expect(words(formatIn('en', 'decimal')(400e6, power))).toBe('0.4 GB');
    expect(unitSize(power, 'decimal')).toBe(1e9);
  });
});

describe('getSeparators', () => {
  it('are those of the language, with a space that one can type', () => {
    expect(getSeparators('en')).toEqual({ thousand: ',', decimal: '.' });
    expect(getSeparators('ru')).toEqual({ thousand: ' ', decimal: ',' });
  });
});
