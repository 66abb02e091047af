// The version of the protocol in text.
import { expect, it } from 'vitest';
import { PROTOCOL, readVersion, writeVersion } from './node-protocol.ts';

it('is written as two numbers and read as the same', () => {
  expect(writeVersion({ major: 1, minor: 12 })).toBe('1.12');
  expect(readVersion(writeVersion(PROTOCOL))).toEqual(PROTOCOL);
  expect(readVersion('9999.0')).toEqual({ major: 9999, minor: 0 });
  for (const text of [undefined, '', '1', '1.', '.1', '1.2.3', 'x1.2', '1.2x', '1x2', '10000.1', '1.10000', '-1.2'])
    expect([text, readVersion(text)]).toEqual([text, null]);
});
