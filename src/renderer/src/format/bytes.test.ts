// Amounts of traffic in words: three figures, the right unit at every edge, in both languages.
import { describe, expect, it } from 'vitest';
import { createBytesFormat, NO_BREAK_SPACE, powerOf, unitSize } from './bytes.ts';

const words = (text: string) => text.replaceAll(NO_BREAK_SPACE, ' ');
const decimal = (bytes: number) => words(createBytesFormat('en', 'decimal')(bytes));
const binary = (bytes: number) => words(createBytesFormat('en', 'binary')(bytes));

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
  ])('tells %i bytes as %s', (bytes, text) => {
    expect(decimal(bytes)).toBe(text);
  });

  it('never says a thousand of a unit', () => {
    // Each would be "1,000 …" if it were rounded after its unit was chosen.
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

  it('speaks Russian with its comma and units', () => {
    expect(words(createBytesFormat('ru', 'decimal')(1_400_000_000))).toBe('1,4 ГБ');
    expect(words(createBytesFormat('ru', 'binary')(1536))).toBe('1,5 КиБ');
  });

  it('keeps figure and unit on one line', () => {
    expect(createBytesFormat('en', 'decimal')(5e9)).toBe(`5${NO_BREAK_SPACE}GB`);
  });

  it('tells two amounts in one unit, so that they compare', () => {
    const power = powerOf(50e9, 'decimal');
    expect(words(createBytesFormat('en', 'decimal')(400e6, power))).toBe('0.4 GB');
    expect(unitSize(power, 'decimal')).toBe(1e9);
  });
});
