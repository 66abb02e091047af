// What a backup that may have been changed would bring: what is here already is not named.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempFolder } from '../../../tests/support/temp-store.ts';
import { openStore } from '../index.ts';
import { compareDatabases } from './compare.ts';

const KEY = {
  createdAt: 0,
  expiresAt: null,
  revokedAt: null,
  unconfirmed: 0,
  lastUsedAt: null,
  lastUsedFrom: null,
} as const;
const WEBHOOK = {
  description: '',
  types: null,
  enabled: true,
  disabledReason: null,
  allowPrivate: false,
  position: 0,
  previousSecretEndsAt: null,
  deliveredAt: null,
  failingSince: null,
  createdAt: 0,
  updatedAt: 0,
} as const;

const webhook = (here: string, there: string) => ({
  kind: 'webhooks.url',
  count: 1,
  items: [{ record: '1', here, there }],
});

it('names keys, settings and receivers that are not the same here', () => {
  using folder = tempFolder();
  const [backup, present] = [join(folder.path, 'backup'), join(folder.path, 'present')];
  for (const [file, isOther] of [
    [backup, true],
    [present, false],
  ] as const) {
    const store = openStore(file);
    store.write(() => {
      store.keys.insert({ ...KEY, name: 'bot', access: 'read', prefix: 'pnl_aaaa' }, 'a'.repeat(64));
      const one = { ...KEY, name: 'planted', access: 'full', prefix: 'pnl_bbbb' } as const;
      if (isOther) store.keys.insert(one, 'b'.repeat(64));
      // A revoked key gives no access.
      if (isOther) store.keys.insert({ ...one, name: 'old', revokedAt: 1 }, 'c'.repeat(64));
      store.webhooks.insert({ ...WEBHOOK, url: isOther ? 'https://evil.example/in' : 'https://b.example/in' });
      store.webhooks.insert({ ...WEBHOOK, url: 'https://a.example/in' });
      store.settings.set({
        language: 'en',
        panelTitle: isOther ? 'Theirs' : 'Ours',
        // The machine keeps its own: these are not restored, and so not named.
        port: isOther ? 1 : 2,
        secretPath: (isOther ? 'a' : 'b').repeat(32),
        enginePath: isOther ? '/tmp/evil' : null,
      });
      if (isOther) store.settings.set({ supportUrl: 'https://evil.example/' });
    });
    store.close();
  }
  expect(compareDatabases(backup, present, null)).toEqual({
    keys: { count: 1, items: [{ name: 'planted', access: 'full', prefix: 'pnl_bbbb' }] },
    settings: [
      { name: 'panelTitle', here: '"Ours"', there: '"Theirs"' },
      { name: 'supportUrl', here: null, there: '"https://evil.example/"' },
    ],
    values: [webhook('https://b.example/in', 'https://evil.example/in')],
  });
  expect(compareDatabases(present, backup, null)).toEqual({
    keys: { count: 0, items: [] },
    settings: [
      { name: 'panelTitle', here: '"Theirs"', there: '"Ours"' },
      { name: 'supportUrl', here: '"https://evil.example/"', there: null },
    ],
    values: [webhook('https://evil.example/in', 'https://b.example/in')],
  });
});

it('names settings in the order of their names, and not when the last backup was made', () => {
  using folder = tempFolder();
  const [backup, present] = [join(folder.path, 'backup'), join(folder.path, 'present')];
  for (const file of [backup, present]) {
    const store = openStore(file);
    store.write(() => {
      const isBackup = file === backup;
      store.settings.set({ backupLast: { at: isBackup ? 1 : 2, error: null } });
      store.settings.set(isBackup ? { supportUrl: 'https://s.example/' } : { language: 'ru', timeZone: 'UTC' });
    });
    store.close();
  }
  const open = () => (process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0);
  const before = open();
  expect(compareDatabases(backup, present, null).settings.map(({ name }) => name)).toEqual([
    'language',
    'supportUrl',
    'timeZone',
  ]);
  expect(open(), 'both are closed').toBe(before);
});
