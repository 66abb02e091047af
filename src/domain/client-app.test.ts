// The name of an app, from its User-Agent and headers.
import { expect, it } from 'vitest';
import { clientApp, findClientCore } from './client-app.ts';

it.each([
  ['Happ/3.1', 'Happ/3.1'],
  ['v2rayNG/1.8.5 (Android 14)', 'v2rayNG/1.8.5'],
  ['sing-box 1.9', 'sing-box'],
  ['ClashX.Pro+', 'ClashX.Pro+'],
  ['Hiddify/2.0.5+beta-1', 'Hiddify/2.0.5+beta-1'],
  ['a', 'a'],
  ['Happ/', 'Happ'],
  ['Happ/@', 'Happ'],
  [`${'x'.repeat(41)}/1`, 'x'.repeat(40)],
  [`Happ/${'1'.repeat(21)}`, `Happ/${'1'.repeat(20)}`],
  ['1Happ/3', null],
  [' Happ', null],
  ['<script>', null],
  ['', null],
  [undefined, null],
])('%s is %s', (userAgent, app) => {
  expect(clientApp(userAgent)).toBe(app);
});

it.each([
  ['Happ/3.1', 'xray'],
  ['v2rayNG/1.9.5', 'xray'],
  ['v2RayTun/5.24', 'xray'],
  ['HiddifyNext/2.5.7', 'sing-box'],
  ['SFA/1.14.1', 'sing-box'],
  ['sing-box', 'sing-box'],
  ['NekoBox/Android', 'sing-box'],
  ['ClashMetaForAndroid/2.11', 'mihomo'],
  ['clash-verge/v2.3.0', 'mihomo'],
  ['FlClash/v0.8', 'mihomo'],
  ['Shadowrocket/2070', null],
  [null, null],
])('%j is built on %j', (app, core) => {
  expect(findClientCore(app)).toBe(core);
});
