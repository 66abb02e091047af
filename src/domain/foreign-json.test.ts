// Counting of values in JSON that may arrive in pieces; characters within strings do not count.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createJsonMeter, type JsonBounds, JsonRefusal, parseForeignJson } from './foreign-json.ts';

const WIDE: JsonBounds = { bytes: 2 ** 30, values: 2 ** 30, depth: 2 ** 30 };

function refusal(text: string, bounds: Partial<JsonBounds>): string | null {
  try {
    createJsonMeter({ ...WIDE, ...bounds }).add(Buffer.from(text));
    return null;
  } catch (error) {
    return error instanceof JsonRefusal ? error.reason : 'other';
  }
}

it.each([
  ['1', 0],
  ['[]', 1],
  ['{"a":[{"b":[]}]}', 4],
  // One after the other is not one in the other.
  ['[[],[],[],{},{}]', 2],
  ['["[[[[{{{{"]', 1],
  ['{"a\\"[[[":"\\\\","b":"\\\\\\"[["}', 1],
  ['["\\\\",[]]', 2],
  ['[[[[', 4],
])('%s has %d levels', (text, depth) => {
  expect(refusal(text, { depth })).toBeNull();
  if (depth > 0) expect(refusal(text, { depth: depth - 1 })).toBe('depth');
});

function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, one) => sum + countValues(one), 1);
}

it('counts no fewer values than a text has, and no more than twice as many, however it is cut', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 7 }), (value, size) => {
      const bytes = Buffer.from(JSON.stringify(value));
      const meter = createJsonMeter(WIDE);
      for (let at = 0; at < bytes.length; at += size) meter.add(bytes.subarray(at, at + size));
      const values = countValues(value);
      expect(meter.values()).toBeGreaterThanOrEqual(values);
      expect(meter.values()).toBeLessThanOrEqual(2 * values);
      expect(meter.bytes()).toBe(bytes.length);
      expect(parseForeignJson(bytes, WIDE)).toEqual(JSON.parse(bytes.toString()));
    }),
  );
});

it('refuses what is too long, has too many values or is no JSON, and repeats nothing of it', () => {
  expect(refusal('[1,2,3]', { values: 4 })).toBeNull();
  expect(refusal('[1,2,3]', { values: 3 })).toBe('values');
  expect(refusal('[1,2,3]', { bytes: 6 })).toBe('bytes');
  for (const text of ['', 'secret', '["secret"', '[1]secret']) {
    expect(() => parseForeignJson(text, WIDE)).toThrow(new JsonRefusal('syntax', 'not JSON'));
  }
});
