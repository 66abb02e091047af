// The client address of a request, with and without proxies.
import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createClientAddress } from './client-address.ts';

function from(peer: string, forwarded?: string): IncomingMessage {
  return { socket: { remoteAddress: peer }, headers: { 'x-forwarded-for': forwarded } } as unknown as IncomingMessage;
}

describe('createClientAddress', () => {
  it('is the peer, whatever it claims, where no proxy is trusted', () => {
    const getClientAddress = createClientAddress(() => []);
    expect(getClientAddress(from('192.0.2.1', '10.0.0.1'))).toBe('192.0.2.1');
    expect(getClientAddress(from('::ffff:192.0.2.1'))).toBe('192.0.2.1');
  });

  const proxies = ['127.0.0.1', '10.0.0.0/8', '2001:db8::/32', 'nonsense', '10.0.0.0/99'];
  const getClientAddress = createClientAddress(() => proxies);

  it.each([
    ['127.0.0.1', '198.51.100.7', '198.51.100.7'],
    ['::ffff:127.0.0.1', '198.51.100.7', '198.51.100.7'],
    ['127.0.0.1', '6.6.6.6, 198.51.100.7', '198.51.100.7'],
    ['127.0.0.1', '198.51.100.7, 10.1.2.3', '198.51.100.7'],
    ['127.0.0.1', '10.9.9.9, 10.1.2.3', '10.9.9.9'],
    ['127.0.0.1', '198.51.100.7, nonsense', '127.0.0.1'],
    ['127.0.0.1', '198.51.100.7, nonsense, 10.1.2.3', '10.1.2.3'],
    ['2001:db8::5', '2001:db9::1', '2001:db9::1'],
    ['127.0.0.1', '', '127.0.0.1'],
  ])('takes from the trusted %s with %j that it is %s', (peer, forwarded, client) => {
    expect(getClientAddress(from(peer, forwarded))).toBe(client);
  });

  it('believes no other peer', () => {
    expect(getClientAddress(from('192.0.2.1', '198.51.100.7'))).toBe('192.0.2.1');
    expect(getClientAddress(from('127.0.0.2', '198.51.100.7'))).toBe('127.0.0.2');
  });

  it('follows a change of the trusted proxies', () => {
    let trusted: readonly string[] = [];
    const changing = createClientAddress(() => trusted);
    expect(changing(from('127.0.0.1', '198.51.100.7'))).toBe('127.0.0.1');
    trusted = ['127.0.0.1'];
    expect(changing(from('127.0.0.1', '198.51.100.7'))).toBe('198.51.100.7');
    trusted = [];
    expect(changing(from('127.0.0.1', '198.51.100.7'))).toBe('127.0.0.1');
  });
});
