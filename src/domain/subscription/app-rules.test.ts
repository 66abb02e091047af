// Holds which rule applies to a request, and that no pattern costs more than a search for its parts.
import { fc, test } from '@fast-check/vitest';
import { describe, expect, it, vi } from 'vitest';
import { PLAIN_RULE } from '../../../tests/support/plain-rule.ts';
import { compilePattern, findRule } from './app-rules.ts';

describe('compilePattern', () => {
  it.each<[pattern: string, value: string, matches: boolean]>([
    ['Happ/*', 'happ/3.21.1', true],
    ['Happ/*', 'Happ', false],
    ['Happ', 'Happ/3', false],
    ['*sing-box*', 'SFA/1.14 (sing-box 1.14)', true],
    ['*android', 'v2raytun/android', true],
    ['*android', 'v2raytun/android 2', false],
    ['*', '', true],
    ['**', 'x', true],
    ['a*a', 'a', false],
    ['a*b*b', 'axb', false],
    ['a*b*b', 'axbxb', true],
    ['.*', 'x', false],
    ['(a+)+$', 'aaaa', false],
    ['Стриж*', 'СТРИЖ/1', true],
  ])('%s and %s: %s', (pattern, value, matches) => {
    expect(compilePattern(pattern)(value)).toBe(matches);
  });

  // A regular expression of the same meaning, which the panel does not use: it could take for ever.
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 });
  test.prop([letters, fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 12 })])(
    'matches what the expression would',
    (pattern, value) => {
      const expression = new RegExp(`^${pattern.replaceAll('*', '[^]*')}$`);
      expect(compilePattern(pattern)(value)).toBe(expression.test(value));
    },
  );

  it('searches each part once, whatever the value is', () => {
    const pattern = '*a'.repeat(50);
    using searches = vi.spyOn(String.prototype, 'indexOf');
    expect(compilePattern(pattern)(`${'a'.repeat(499)}b`)).toBe(false);
    expect(searches.mock.calls.length).toBeLessThanOrEqual(50);
  });
});

describe('findRule', () => {
  const find = (rules: readonly Partial<typeof PLAIN_RULE>[], request: Parameters<typeof findRule>[1]) =>
    findRule(
      rules.map((rule, index) => ({ ...PLAIN_RULE, ...rule, id: index + 1 })),
      request,
    )?.id;

  it('is the first enabled one that matches', () => {
    const rules = [{ enabled: false }, { apps: ['SFA/*'] }, { apps: ['v2rayNG/*', 'Happ/*'] }, { apps: ['Happ/*'] }];
    expect(find(rules, { userAgent: 'Happ/3' })).toBe(3);
    expect(find(rules, { userAgent: 'curl/8' })).toBeUndefined();
    expect(find([...rules, {}], { userAgent: 'curl/8' })).toBe(5);
  });

  it('needs the header where apps are named, and none where they are not', () => {
    expect(find([{ apps: ['*'] }], {})).toBeUndefined();
    expect(find([{ apps: ['*'] }], { userAgent: '' })).toBe(1);
    expect(find([{}], {})).toBe(1);
  });

  it('needs each header that it requires', () => {
    const rules = [
      {
        requires: [
          { name: 'x-device-os', pattern: 'ios*' },
          { name: 'x-hwid', pattern: '*' },
        ],
      },
    ];
    const allHeaders = { 'x-device-os': 'iOS', 'x-hwid': 'A' };
    expect(find(rules, { allHeaders })).toBe(1);
    expect(find(rules, { allHeaders: { 'x-device-os': 'iOS' } })).toBeUndefined();
    expect(find(rules, { allHeaders: { ...allHeaders, 'x-device-os': 'Android' } })).toBeUndefined();
    expect(find(rules, { allHeaders: { ...allHeaders, 'x-device-os': ['Android', 'iOS 18'] } })).toBe(1);
    expect(find(rules, {})).toBeUndefined();
  });
});
