import { expect, it } from 'vitest';
import { coversName, isPublicName } from './public-name.ts';

it.each([
  ['panel.example.org', true],
  ['Panel.Example.ORG', true],
  ['xn--80ak6aa92e.xn--p1ai', true],
  ['a.co', true],
  ['203.0.113.7', false],
  ['[2001:db8::1]', false],
  ['localhost', false],
  ['panel', false],
  ['panel.local', false],
  ['panel.lan', false],
  ['router.home.arpa', false],
  ['panel.internal', false],
  ['panel.example', false],
  ['-a.org', false],
  ['a..org', false],
  ['panel.org.', false],
])('%s can be known outside: %s', (name, isPublic) => {
  expect(isPublicName(name)).toBe(isPublic);
});

it.each([
  [['panel.org'], 'panel.org', true],
  [['PANEL.org'], 'panel.ORG', true],
  [['*.panel.org'], 'sub.panel.org', true],
  [['*.panel.org'], 'panel.org', false],
  [['*.panel.org'], 'a.sub.panel.org', false],
  [['other.org'], 'panel.org', false],
  [[], 'panel.org', false],
])('a certificate of %j is one of %s: %s', (names, host, covers) => {
  expect(coversName(names, host)).toBe(covers);
});
