// Links to records: which are followed, and how they reach the application on each system.
import { EventEmitter } from 'node:events';
import { expect, it, vi } from 'vitest';
import { findDeepLink, parseDeepLink, receiveDeepLinks } from './deep-link.ts';

it.each([
  ['gatehouse://user/7', '#/users/7'],
  ['gatehouse://user/7/', '#/users/7'],
  ['GATEHOUSE://User/7', '#/users/7'],
  ['gatehouse://plan/12', '#/plans/12'],
  ['gatehouse://connection/3', '#/connections/3'],
  ['gatehouse://node/999999999999999', '#/nodes/999999999999999'],
  ['gatehouse://user/7?window', '?record#/users/7'],
])('follows %s', (link, hash) => {
  expect(parseDeepLink(link)).toBe(hash);
});

it.each([
  '',
  'gatehouse:',
  'gatehouse://',
  'gatehouse://user',
  'gatehouse://user/',
  'gatehouse://user/0',
  'gatehouse://user/-1',
  'gatehouse://user/1e3',
  'gatehouse://user/7?act=delete',
  'gatehouse://user/7?window=1',
  'gatehouse://user/07?window',
  'gatehouse://plan/7?window',
  'gatehouse://user/7#/settings',
  'gatehouse://user/7/../../settings',
  'gatehouse://user/%37',
  'gatehouse://user/7\n',
  'gatehouse://admin@user/7',
  'gatehouse://settings/backups',
  'gatehouse://setup/here',
  'gatehouse://constructor/7',
  'gatehouse://user/1234567890123456',
  'https://user/7',
  ' gatehouse://user/7',
  '#/users/7',
  '--gatehouse://user/7',
])('does not follow %j', (link) => {
  expect(parseDeepLink(link)).toBeNull();
});

it('finds the link among the arguments, whatever a system puts before it', () => {
  expect(findDeepLink(['/opt/gatehouse', '--no-sandbox', 'gatehouse://node/4'])).toBe('#/nodes/4');
  expect(findDeepLink(['/opt/gatehouse', '--hidden'])).toBeNull();
});

it('gives the link that came before the application was ready, then each as it comes', () => {
  const app = new EventEmitter();
  const preventDefault = vi.fn();
  const links = receiveDeepLinks(app as never, ['gatehouse']);
  app.emit('open-url', { preventDefault }, 'gatehouse://user/7');
  const opened: (string | null)[] = [];
  expect(links.listen((hash) => opened.push(hash))).toBe('#/users/7');
  app.emit('open-url', { preventDefault }, 'gatehouse://plan/1');
  app.emit('second-instance', {}, ['gatehouse', 'gatehouse://node/2']);
  app.emit('second-instance', {}, ['gatehouse']);
  expect(opened).toEqual(['#/plans/1', '#/nodes/2', null]);
  expect(preventDefault).toHaveBeenCalledTimes(2);
});

it('gives the link that the process was started with', () => {
  const links = receiveDeepLinks(new EventEmitter() as never, ['gatehouse', 'gatehouse://user/9']);
  expect(links.listen(() => {})).toBe('#/users/9');
});
