import { expect, it } from 'vitest';
import { cleanLinkPath, isGuessable, parseLinkPath } from './link-token.ts';

it.each([
  ['/abc', [{ token: 'abc', format: undefined }]],
  ['/abc/', [{ token: 'abc', format: undefined }]],
  ['/a%20b', [{ token: 'a b', format: undefined }]],
  [
    '/abc/clash-meta',
    [
      { token: 'abc/clash-meta', format: undefined },
      { token: 'abc', format: 'mihomo' },
    ],
  ],
  ['/ann/0123', [{ token: 'ann/0123', format: undefined }]],
  ['/ann/0123/sing-box', [{ token: 'ann/0123', format: 'sing-box' }]],
  ['/abc/info', [{ token: 'abc/info', format: undefined }]],
  ['/abc/toString', [{ token: 'abc/toString', format: undefined }]],
  ['/a/b/c/d', []],
  ['/', []],
  ['', []],
  ['//abc', []],
  ['/%zz', []],
  [`/${'a'.repeat(1001)}`, []],
])('reads the path %s', (path, candidates) => {
  expect(parseLinkPath(path)).toEqual(candidates);
});

it.each([
  ['/sub/', 'sub'],
  ['api/sub', 'api/sub'],
  ['/', ''],
  ['/s p/', null],
  ['/../', null],
  ['/a/b/c/d/', null],
])('cleans the path %s', (path, clean) => {
  expect(cleanLinkPath(path)).toBe(clean);
});

it('finds tokens that strangers can try', () => {
  expect([isGuessable('ann'), isGuessable('a'.repeat(13))]).toEqual([true, false]);
});
