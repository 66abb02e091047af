// The origin of base_url, and which hosts only this machine can reach.
import { describe, expect, test } from 'vitest';
import { isLoopback } from './config.ts';
import { buildOrigin, isEverywhere } from './public-origin.ts';

const at = (host: string, more = {}) =>
  buildOrigin({ scheme: 'https', host, port: 8443, publicAddress: null, ...more }, () => '192.168.1.20');

describe('buildOrigin', () => {
  test.each([
    ['127.0.0.1', {}, 'https://127.0.0.1:8443'],
    ['0.0.0.0', {}, 'https://192.168.1.20:8443'],
    ['::', {}, 'https://192.168.1.20:8443'],
    ['10.0.0.5', {}, 'https://10.0.0.5:8443'],
    ['2001:db8::7', {}, 'https://[2001:db8::7]:8443'],
    ['0.0.0.0', { publicAddress: 'panel.example.org' }, 'https://panel.example.org:8443'],
    ['0.0.0.0', { publicAddress: 'panel.example.org', port: 443 }, 'https://panel.example.org'],
    ['127.0.0.1', { scheme: 'http', port: 443 }, 'http://127.0.0.1:443'],
  ])('%s with %j: %s', (host, more, expected) => expect(at(host, more)).toBe(expected));

  test('without a network it is the machine itself', () =>
    expect(buildOrigin({ scheme: 'https', host: '0.0.0.0', port: 1, publicAddress: null }, () => null)).toBe(
      'https://127.0.0.1:1',
    ));
});

test.each(['127.0.0.1', '127.8.8.8', '::1', '0:0:0:0:0:0:0:1', 'localhost'])('%s is loopback', (host) =>
  expect(isLoopback(host)).toBe(true),
);
test.each(['0.0.0.0', '::', '192.168.1.1', 'example.org', '127.example.org', '2001:db8::1'])(
  '%s is not loopback',
  (host) => expect(isLoopback(host)).toBe(false),
);
test('all addresses are 0.0.0.0 and any form of ::', () => {
  expect(['0.0.0.0', '::', '0::0'].every(isEverywhere)).toBe(true);
  expect(['127.0.0.1', '::1', 'localhost'].some(isEverywhere)).toBe(false);
});
