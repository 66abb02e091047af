// Names and addresses follow the listening address and the settings.
import { expect, test } from 'vitest';
import type { Timers } from '../core/ports/ports.ts';
import type { SettingValues } from '../core/ports/settings.ts';
import { certificateHosts, createPublicOrigin } from './public-origin.ts';

function createTestOrigin(options: { publicUrl?: string; plainHttp?: boolean }, set: Partial<SettingValues>) {
  const timers: Timers = { every: () => () => {}, after: () => () => {}, soon: (work) => work() };
  let known = { host: '127.0.0.1', port: 8443, publicAddress: null, publicUrl: null, hostNames: [], ...set };
  const publicOrigin = createPublicOrigin(
    { folder: '/nowhere', ...options },
    () => known as unknown as SettingValues,
    timers,
  );
  const change = (values: Partial<SettingValues>) => {
    known = { ...known, ...values } as typeof known;
  };
  return { publicOrigin, change };
}

test('the origin is what is really listened on', () => {
  const { publicOrigin } = createTestOrigin({}, {});
  expect(publicOrigin.origin()).toBe('https://127.0.0.1:8443');
  publicOrigin.listensOn({ host: '127.0.0.1', port: 40_123 });
  expect(publicOrigin.origin()).toBe('https://127.0.0.1:40123');
});

test('behind a proxy it is what the proxy is reached by', () => {
  const { publicOrigin } = createTestOrigin({ plainHttp: true, publicUrl: 'https://panel.example.org/' }, {});
  expect(publicOrigin.origin()).toBe('https://panel.example.org');
  expect(createTestOrigin({ plainHttp: true }, {}).publicOrigin.origin()).toBe('http://127.0.0.1:8443');
});

test('names are the machine’s, the public ones and those added, in lower case, and follow the settings at once', () => {
  const { publicOrigin, change } = createTestOrigin(
    {},
    { publicUrl: 'https://Links.example.org:8444', hostNames: ['Panel.LAN'] },
  );
  expect([...publicOrigin.names()]).toEqual(expect.arrayContaining(['localhost', 'links.example.org', 'panel.lan']));
  expect(publicOrigin.names()).toBe(publicOrigin.names());
  change({ hostNames: [], publicAddress: 'new.example.org' });
  expect(publicOrigin.names().has('panel.lan')).toBe(false);
  expect(publicOrigin.names().has('new.example.org')).toBe(true);
  expect(publicOrigin.origin()).toBe('https://new.example.org:8443');
});

test('the certificate names what is listened on or set, neither the machine nor its other networks', () => {
  const none = { publicAddress: null, publicUrl: null, hostNames: [] };
  const hosts = (listensOn: readonly string[], set: object = {}) =>
    [...certificateHosts(listensOn, { ...none, ...set }, () => '192.168.1.20')].sort();
  const loopback = ['127.0.0.1', '::1', 'localhost'];
  expect(hosts(['127.0.0.1'])).toEqual(loopback);
  expect(hosts(['203.0.113.9'])).toEqual(['203.0.113.9']);
  expect(hosts(['0.0.0.0'])).toEqual(['127.0.0.1', '192.168.1.20', '::1', 'localhost']);
  expect(hosts(['::'], { publicAddress: 'panel.example.org' })).toEqual([...loopback, 'panel.example.org']);
  expect(hosts(['203.0.113.9', '10.0.0.5'], { publicUrl: 'https://Links.example.org', hostNames: ['a.lan'] })).toEqual([
    '10.0.0.5',
    '203.0.113.9',
    'a.lan',
    'links.example.org',
  ]);
});
