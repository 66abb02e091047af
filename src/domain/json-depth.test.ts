// The depth of a JSON text: of values, not of what stands in texts.
import { expect, it } from 'vitest';
import { isNestedDeeper } from './json-depth.ts';

const isDeeper = (text: string, levels: number) => isNestedDeeper(Buffer.from(text), levels);

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
])('%s has %d levels', (text, levels) => {
  expect(isDeeper(text, levels)).toBe(false);
  if (levels > 0) expect(isDeeper(text, levels - 1)).toBe(true);
});
