// Which options are refused, and which apply to a run.
import { describe, expect, test } from 'vitest';
import { buildOverrides, checkOptions, checkPlainHttp } from './config.ts';

const folder = '/nowhere';

describe('checkOptions', () => {
  test.each([
    {},
    { host: '0.0.0.0', port: 0 },
    { host: '::1', port: 65_535 },
    { host: 'localhost' },
    { publicUrl: 'https://panel.example.org' },
    { publicUrl: 'https://panel.example.org:8443/' },
  ])('takes %j', (options) => expect(() => checkOptions({ folder, ...options })).not.toThrow());

  test.each([
    [{ host: 'here and there' }, 'not an address to listen on'],
    [{ host: '' }, 'not an address to listen on'],
    [{ port: 65_536 }, 'not a port'],
    [{ port: 1.5 }, 'not a port'],
    [{ publicUrl: 'panel.example.org' }, 'not a public address'],
    [{ publicUrl: 'https://panel.example.org/path' }, 'not a public address'],
    [{ publicUrl: 'ftp://panel.example.org' }, 'not a public address'],
  ])('refuses %j', (options, message) => expect(() => checkOptions({ folder, ...options })).toThrow(message));
});

describe('checkPlainHttp', () => {
  test('is for this machine alone', () => {
    expect(() => checkPlainHttp(true, '127.0.0.1')).not.toThrow();
    expect(() => checkPlainHttp(true, '::1')).not.toThrow();
    expect(() => checkPlainHttp(true, '0.0.0.0')).toThrow('--http is for a reverse proxy on this machine');
    expect(() => checkPlainHttp(true, '192.168.1.20')).toThrow('needs --host 127.0.0.1');
    expect(() => checkPlainHttp(false, '0.0.0.0')).not.toThrow();
  });
});

describe('buildOverrides', () => {
  test('has only what was asked for', () => {
    expect(buildOverrides({ folder, port: 1, host: '::1' })).toEqual({});
    expect(
      buildOverrides({ folder, rateLimit: 0, trustedProxies: ['10.0.0.0/8'], publicUrl: 'https://a.example/' }),
    ).toEqual({
      rateLimit: 0,
      trustedProxies: ['10.0.0.0/8'],
      publicUrl: 'https://a.example',
    });
  });
});
