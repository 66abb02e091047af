// Who is offered newer versions: only an installed application that was told where they are, and then in its menu.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { hostTexts } from '../i18n/host.ts';
import { menuTemplate } from './menu.ts';
import { findUpdater } from './updater.ts';
import type { Updater } from './updates.ts';

let resources: string;
beforeEach(() => {
  resources = mkdtempSync(join(tmpdir(), 'gatehouse-updater-'));
});
afterEach(() => rmSync(resources, { recursive: true }));

const updater = {} as Updater;
const load = async () => updater;
const loadNothing = () => Promise.reject(new Error('loaded'));
const publish = () => writeFileSync(join(resources, 'app-update.yml'), 'provider: generic\nurl: https://example.com\n');

it('is the installed application that has a feed', async () => {
  publish();
  await expect(findUpdater(true, resources, load)).resolves.toBe(updater);
});

it('is neither one without a feed nor a checkout, which load nothing of it', async () => {
  await expect(findUpdater(true, resources, loadNothing)).resolves.toBeNull();
  publish();
  await expect(findUpdater(false, resources, loadNothing)).resolves.toBeNull();
});

it.each(['linux', 'darwin', 'win32'] as const)('has an entry in the menu of %s where it is there', (platform) => {
  const english = hostTexts('en', 'desktop');
  const acts = { go() {}, openDataFolder() {}, about() {}, closeWindow() {}, quit() {} };
  const checkForUpdates = () => {};
  const entries = (given: (() => void) | null) =>
    menuTemplate(english, { ...acts, checkForUpdates: given }, platform)
      .flatMap(({ submenu }) => (Array.isArray(submenu) ? submenu : []))
      .filter(({ label }) => label === english('checkForUpdates'));
  expect(entries(null)).toEqual([]);
  expect(entries(checkForUpdates).map(({ click }) => click)).toEqual([checkForUpdates]);
});
