// Addresses: literal or name, private or public, at the very ends of each range.
import { expect, it } from 'vitest';
import { isIpLiteral, isLoopbackHost, isPrivateHost } from './host.ts';

it('tells IP literals from names', () => {
  for (const address of ['203.0.113.7', '1.2.3.4', '::1', '2001:db8::7', 'fe80::1%eth0']) {
    expect([address, isIpLiteral(address)]).toEqual([address, true]);
  }
  for (const address of ['example.com', '1.2.3', '1.2.3.4.5', 'a1.2.3.4', '1.2.3.4a', '1234.1.1.1', '']) {
    expect([address, isIpLiteral(address)]).toEqual([address, false]);
  }
});

it.each([
  '0.0.0.0',
  '10.0.0.1',
  '10.255.255.255',
  '127.0.0.1',
  '192.168.0.1',
  '169.254.1.1',
  '172.16.0.1',
  '172.19.9.9',
  '172.20.0.1',
  '172.29.0.1',
  '172.30.0.1',
  '172.31.255.255',
  '100.64.0.1',
  '100.69.0.1',
  '100.70.0.1',
  '100.99.0.1',
  '100.100.0.1',
  '100.119.0.1',
  '100.120.0.1',
  '100.127.255.255',
  '::1',
  '[::1]',
  'fc00::1',
  'FD12:3456::1',
  '[fd00::1]',
  'fe80::1',
  'fe8f::1',
  'feb0::1',
  'febf::1',
  'localhost',
  'a.localhost',
  'nas.local',
  'NAS.LAN',
  'db.internal',
  'router.home.arpa',
  'lan',
])('%s is of a private network', (address) => {
  expect(isPrivateHost(address)).toBe(true);
});

it.each([
  '1.1.1.1',
  '11.0.0.1',
  '110.0.0.1',
  '128.0.0.1',
  '192.167.0.1',
  '192.169.0.1',
  '169.253.1.1',
  '172.15.0.1',
  '172.32.0.1',
  '172.160.0.1',
  '100.63.0.1',
  '100.128.0.1',
  '100.6.0.1',
  '100.130.0.1',
  '1.10.0.1',
  '2001:db8::1',
  '::2',
  '::1:2',
  'fb00::1',
  'fe00::1',
  'fec0::1',
  'fd0::1',
  '1fd0::1',
  'afc00::1',
  'x:fe80::1',
  'example.com',
  'localhost.example.com',
  'mylocal',
  'notlan',
  'local.example',
  'xhome.arpa',
  'homexarpa',
  '',
])('%s is not', (address) => {
  expect(isPrivateHost(address)).toBe(false);
});

it('knows what leads to the machine itself', () => {
  for (const address of [
    '127.0.0.1',
    '127.9.9.9',
    '0.0.0.0',
    '::1',
    '::',
    '[::1]',
    '[::]',
    'localhost',
    'LOCALHOST',
    'a.b.localhost',
  ]) {
    expect([address, isLoopbackHost(address)]).toEqual([address, true]);
  }
  for (const address of [
    '10.127.0.1',
    '1270.0.0.1',
    '0.0.0.0.example',
    '0x0.0.0',
    '::2',
    '::11',
    '1::1',
    'localhost.example',
    'mylocalhost',
    '.localhost',
  ]) {
    expect([address, isLoopbackHost(address)]).toEqual([address, false]);
  }
});
