// The version of the protocol, and what an earlier one lacks.
import { expect, it } from 'vitest';
import { PROTOCOL, readVersion, updatesFor, writeVersion } from './node-protocol.ts';

it('is written as two numbers and read as the same', () => {
  expect(writeVersion({ major: 1, minor: 12 })).toBe('1.12');
  expect(readVersion(writeVersion(PROTOCOL))).toEqual(PROTOCOL);
  expect(readVersion('9999.0')).toEqual({ major: 9999, minor: 0 });
  expect(readVersion(undefined)).toEqual({ major: 1, minor: 0 });
  for (const text of ['', '1', '1.', '.1', '1.2.3', 'x1.2', '1.2x', '1x2', '10000.1', '1.10000', '-1.2'])
    expect([text, readVersion(text)]).toEqual([text, null]);
});

it('says for what a machine is to be updated', () => {
  expect(updatesFor('1.0')).toEqual(['ledger', 'lease', 'wireguard', 'difference', 'weight', 'certificate', 'engine']);
  expect(updatesFor('1.1')).toEqual(['lease', 'wireguard', 'difference', 'weight', 'certificate', 'engine']);
  expect(updatesFor('1.2')).toEqual(['wireguard', 'difference', 'weight', 'certificate', 'engine']);
  expect(updatesFor('1.3')).toEqual(['difference', 'weight', 'certificate', 'engine']);
  expect(updatesFor('1.4')).toEqual(['certificate', 'engine']);
  expect(updatesFor(writeVersion(PROTOCOL))).toEqual([]);
  // Another major version is refused as a whole.
  expect(updatesFor('0.9')).toEqual([]);
  expect(updatesFor('2.0')).toEqual([]);
  expect(updatesFor('nonsense')).toEqual([]);
  expect(updatesFor(null)).toEqual([]);
});
