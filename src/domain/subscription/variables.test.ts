import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expandVariables, hasVariables, UNLIMITED, VARIABLES, type Variable } from './variables.ts';

const VALUES: Partial<Record<Variable, string>> = {
  USERNAME: 'anna',
  DAYS_LEFT: '12',
  STATUS: 'ACTIVE',
  TRAFFIC_LEFT: UNLIMITED,
  EXPIRE_DATE: '',
};
const values = (variable: Variable) => VALUES[variable] ?? '';
const expand = (text: string) => expandVariables(text, values);

describe('Variables', () => {
  it.each([
    ['{{USERNAME}}', 'anna'],
    ['{USERNAME}', 'anna'],
    ['🚀 DE ({USERNAME}) [{{DAYS_LEFT}}d]', '🚀 DE (anna) [12d]'],
    ['{{STATUS:ACTIVE=✅|EXPIRED=❌}} DE', '✅ DE'],
    ['DE {{STATUS:EXPIRED=pay|ACTIVE=a=b}}', 'DE a=b'],
  ])('of %s are filled in', (text, expected) => {
    expect(expand(text)).toBe(expected);
    expect(hasVariables(text)).toBe(true);
  });

  it.each(['', 'DE 1', '{', '}}{{', '{{UNKNOWN}}', '{username}', '{{ USERNAME }}', '{{CONSTRUCTOR}}', '{"a":1}'])(
    'are not in %j, which stays as it is',
    (text) => {
      expect(expand(text)).toBe(text);
      expect(hasVariables(text)).toBe(false);
    },
  );

  it('that are unlimited or empty omit the segment that has no others', () => {
    expect(expand('DE | {{TRAFFIC_LEFT}}')).toBe('DE');
    expect(expand('DE | {{TRAFFIC_LEFT}} | {{DAYS_LEFT}} d')).toBe('DE | 12 d');
    expect(expand('{{EXPIRE_DATE}} | DE')).toBe('DE');
    expect(expand('DE | {{DAYS_LEFT}} d, {{TRAFFIC_LEFT}}')).toBe('DE | 12 d, ∞');
    expect(expand('DE | {{STATUS:EXPIRED=ended}}')).toBe('DE');
  });

  it('keep separators where nothing is omitted', () => {
    expect(expand(' a|b | {USERNAME} ')).toBe(' a|b | anna ');
  });

  it('have the names of Marzban and 3x-ui too', () => {
    const named = (variable: Variable) => variable;
    expect(expandVariables('{DATA_USAGE} {DATA_LEFT} {DATA_LIMIT} {{TRAFFIC_TOTAL}} {{HOST}}', named)).toBe(
      'TRAFFIC_USED TRAFFIC_LEFT TOTAL_TRAFFIC TOTAL_TRAFFIC SERVER_IP',
    );
    for (const variable of VARIABLES) expect(expandVariables(`{{${variable}}}`, named)).toBe(variable);
  });

  it('in a value are not filled in', () => {
    expect(expandVariables('{{USERNAME}}', () => '{{ID}}')).toBe('{{ID}}');
  });

  it('are filled in any text without an exception, and leave texts without braces alone', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(typeof expand(text)).toBe('string');
        if (!text.includes('{')) expect(expand(text)).toBe(text);
      }),
    );
  });
});
