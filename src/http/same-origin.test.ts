// Holds who may act with the administrator's cookie: the panel's own pages and nobody else.
import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { isOwnRead, isOwnRequest } from './same-origin.ts';

function requestOf(headers: Record<string, string>, encrypted = true): IncomingMessage {
  return { headers: { host: '192.168.1.10:8443', ...headers }, socket: { encrypted } } as unknown as IncomingMessage;
}

describe('isOwnRequest', () => {
  it.each<[string, Record<string, string>, boolean]>([
    ['from the own page', { 'sec-fetch-site': 'same-origin' }, true],
    ['from the address bar', { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }, true],
    ['from nowhere, by a script', { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'cors' }, false],
    ['from another port of this machine', { 'sec-fetch-site': 'same-site' }, false],
    ['from another site', { 'sec-fetch-site': 'cross-site' }, false],
    [
      'from another site that names our Origin',
      { 'sec-fetch-site': 'cross-site', origin: 'https://192.168.1.10:8443' },
      false,
    ],
    ['of an old browser, own Origin', { origin: 'https://192.168.1.10:8443' }, true],
    ['of an old browser, another port', { origin: 'https://192.168.1.10:3000' }, false],
    ['of an old browser, plain HTTP', { origin: 'http://192.168.1.10:8443' }, false],
    ['of an old browser, a longer name', { origin: 'https://192.168.1.10:8443.evil.example' }, false],
    ['of an old browser, two Origins', { origin: 'https://192.168.1.10:8443, https://evil.example' }, false],
    ['of an old browser, Origin null', { origin: 'null' }, false],
    ['that says nothing', {}, false],
  ])('judges one %s', (_, headers, isOwn) => {
    expect(isOwnRequest(requestOf(headers))).toBe(isOwn);
  });

  it('takes both schemes where a reverse proxy may have taken the encryption off', () => {
    for (const scheme of ['http', 'https']) {
      expect(isOwnRequest(requestOf({ origin: `${scheme}://192.168.1.10:8443` }, false))).toBe(true);
    }
  });
});

describe('isOwnRead', () => {
  it('lets programs read that send neither header, and no foreign page', () => {
    expect(isOwnRead(requestOf({}))).toBe(true);
    expect(isOwnRead(requestOf({ 'sec-fetch-site': 'same-origin' }))).toBe(true);
    expect(isOwnRead(requestOf({ 'sec-fetch-site': 'same-site' }))).toBe(false);
    expect(isOwnRead(requestOf({ origin: 'https://evil.example' }))).toBe(false);
  });
});
