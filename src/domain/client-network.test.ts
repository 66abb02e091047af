// Which addresses count as one, and what of them is shown.
import { describe, expect, it, test } from 'vitest';
import { clientNetwork, computeNetwork, computeWiderNetwork } from './client-network.ts';

it.each([
  ['203.0.113.7', '203.0.113.7', '203.0.*.*'],
  ['::ffff:203.0.113.7', '203.0.113.7', '203.0.*.*'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::', '2001:db8:*'],
  ['2001:0DB8:0001:2::9', '2001:db8:1:2::', '2001:db8:*'],
  ['fe80::1%eth0', 'fe80:0:0:0::', 'fe80:0:*'],
  ['::1', '0:0:0:0::', '0:0:*'],
  ['2001:db8::', '2001:db8:0:0::', '2001:db8:*'],
])('%s', (address, place, shortForm) => {
  expect(clientNetwork(address)).toEqual({ place, shortForm });
});

test('addresses of one IPv6 network are one place, those of two are not', () => {
  const place = (address: string) => clientNetwork(address)?.place;
  expect(place('2001:db8:1:2::a')).toBe(place('2001:db8:1:2:ffff::b'));
  expect(place('2001:db8:1:2::a')).not.toBe(place('2001:db8:1:3::a'));
});

it.each(['', 'host.example', '203.0.113', '203.0.113.256', '1:2:3', '1::2::3', '12345::', '1:2:3:4:5:6:7:8:9', ':::'])(
  'nothing: %j',
  (address) => expect(clientNetwork(address)).toBeNull(),
);

describe('computeNetwork', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
  ])('takes %s as %s', (address, network) => {
    expect(computeNetwork(address)).toBe(network);
  });
});

describe('computeWiderNetwork', () => {
  it.each([
    ['192.0.2.7', '192.0.2.0/24'],
    ['::ffff:192.0.2.255', '192.0.2.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ['2001:0DB8:0001:ffff::9', '2001:db8:1::/48'],
    ['::1', '0:0:0::/48'],
    ['', ''],
  ])('takes %s into %s', (address, network) => {
    expect(computeWiderNetwork(address)).toBe(network);
  });
});
