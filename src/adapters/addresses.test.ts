// Which of several addresses is the LAN's, and which names a certificate can contain.
import type { NetworkInterfaceInfo } from 'node:os';
import { describe, expect, test } from 'vitest';
import { isDnsName, lanAddress, lanAddresses, machineNames } from './addresses.ts';

function at(address: string, internal = false): NetworkInterfaceInfo {
  const common = { address, netmask: '', mac: '', internal, cidr: null };
  return address.includes(':') ? { ...common, family: 'IPv6', scopeid: 0 } : { ...common, family: 'IPv4' };
}

const machine = {
  lo: [at('127.0.0.1', true), at('::1', true)],
  docker0: [at('172.17.0.1')],
  wlan0: [at('fe80::1'), at('2001:db8::7'), at('192.168.1.20')],
  eth9: [at('169.254.3.4')],
};

describe('lanAddress', () => {
  test('prefers a private IPv4 address of a real interface', () => expect(lanAddress(machine)).toBe('192.168.1.20'));
  test('takes a public one before a container bridge', () =>
    expect(lanAddress({ docker0: [at('172.17.0.1')], eth0: [at('203.0.113.9')] })).toBe('203.0.113.9'));
  test('takes IPv6 where there is nothing else', () =>
    expect(lanAddress({ eth0: [at('2001:db8::7')] })).toBe('2001:db8::7'));
  test('is null without a network', () => expect(lanAddress({ lo: machine.lo, eth9: machine.eth9 })).toBeNull());
});

test('lanAddresses are those of real interfaces', () =>
  expect(lanAddresses({ ...machine, eth1: [at('203.0.113.9')] })).toEqual(['192.168.1.20', '203.0.113.9']));

describe('machineNames', () => {
  test('has the short, the full and the multicast name', () =>
    expect(machineNames('Tower.example.org')).toEqual(['localhost', 'tower.example.org', 'tower', 'tower.local']));
  test('leaves out what no certificate can hold', () => expect(machineNames('my_pc')).toEqual(['localhost']));
  test('does not say localhost twice', () =>
    expect(machineNames('localhost')).toEqual(['localhost', 'localhost.local']));
});

test.each([
  ['a', true],
  ['panel.example.org', true],
  ['-a', false],
  ['a..b', false],
  ['', false],
  ['a b', false],
  [`${'a'.repeat(64)}.org`, false],
])('isDnsName(%j) is %j', (name, expected) => expect(isDnsName(name)).toBe(expected));
