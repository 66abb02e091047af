// Addresses inside the tunnel: each user another one, within the pool, and none beyond it.
import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import {
  DEFAULT_POOL,
  lastUserInPool,
  nodeTunnelAddress,
  readPool,
  userTunnelAddress,
  wireguardKey,
} from './wireguard.ts';

describe('a pool', () => {
  it.each([DEFAULT_POOL, '10.0.0.0/8', '172.16.0.0/12', '192.168.255.0/24', '100.64.0.0/10'])('may be %s', (pool) => {
    expect(readPool(pool)).not.toBeNull();
  });

  it.each([
    '10.0.0.0/7',
    '10.8.0.0/25',
    '10.8.0.1/24',
    '11.0.0.0/8',
    '172.0.0.0/8',
    '172.32.0.0/16',
    '192.168.0.0/15',
    '10.256.0.0/16',
    '10.8.256.0/24',
    '10.8.0.0/33',
    '10.8.0.0/244',
    '10.8.0.0/24 ',
    '1.10.8.0.0/24',
    '10.8.0.0',
    'fd00::/64',
    '',
  ])('may not be %s', (pool) => {
    expect(readPool(pool)).toBeNull();
    expect(nodeTunnelAddress(pool)).toBeNull();
    expect(userTunnelAddress(pool, 1)).toBeNull();
    expect(lastUserInPool(pool)).toBe(0);
  });

  it('has its network and its size', () => {
    expect(readPool('10.8.0.0/24')).toEqual({ base: 0x0a_08_00_00, size: 256 });
    expect(readPool('172.16.0.0/12')).toEqual({ base: 0xac_10_00_00, size: 2 ** 20 });
  });
});

describe('addresses', () => {
  it('begin behind that of the node and end before the last of the network', () => {
    expect(nodeTunnelAddress('10.8.0.0/24')).toBe('10.8.0.1');
    expect(userTunnelAddress('10.8.0.0/24', 1)).toBe('10.8.0.2');
    expect(lastUserInPool('10.8.0.0/24')).toBe(253);
    expect(userTunnelAddress('10.8.0.0/24', 253)).toBe('10.8.0.254');
    expect(userTunnelAddress('10.8.0.0/24', 254)).toBeNull();
    expect(userTunnelAddress(DEFAULT_POOL, 255)).toBe('10.64.1.0');
    expect(lastUserInPool(DEFAULT_POOL)).toBe(4_194_301);
    expect(userTunnelAddress(DEFAULT_POOL, 4_194_301)).toBe('10.127.255.254');
    expect(userTunnelAddress(null, 1)).toBeNull();
    expect(nodeTunnelAddress(null)).toBeNull();
    expect(userTunnelAddress(DEFAULT_POOL, 0)).toBeNull();
  });

  const id = fc.integer({ min: 1, max: lastUserInPool(DEFAULT_POOL) });
  property.prop([id, id])('of two users are two', (one, other) => {
    const [first, second] = [one, other].map((userId) => userTunnelAddress(DEFAULT_POOL, userId));
    expect(first === second).toBe(one === other);
    expect(first).not.toBe(nodeTunnelAddress(DEFAULT_POOL));
  });
});

it('writes a key in base64 with padding, whichever way it is given', () => {
  const key = '+/cdefghijklmnopqrstuvwxyz0123456789ABCDEFG=';
  expect(wireguardKey('-_cdefghijklmnopqrstuvwxyz0123456789ABCDEFG')).toBe(key);
  expect(wireguardKey(key)).toBe(key);
});
