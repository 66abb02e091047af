// What a backup of unknown origin would bring: values that the panel already has are not listed.
import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { sampleNode, sampleUser, tempFolder } from '../../../tests/support/temp-store.ts';
import type { BackupDifferenceKind } from '../../contract/backups.ts';
import type { BackupDifferences } from '../../core/ports/backups.ts';
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
      // A revoked key gives no access, so it is not listed.
      if (isOther) store.keys.insert({ ...one, name: 'old', revokedAt: 1 }, 'c'.repeat(64));
      store.webhooks.insert({ ...WEBHOOK, url: isOther ? 'https://evil.example/in' : 'https://b.example/in' });
      store.webhooks.insert({ ...WEBHOOK, url: 'https://a.example/in' });
      store.settings.set({
        language: 'en',
        panelTitle: isOther ? 'Theirs' : 'Ours',
        // The machine keeps its own values of these, so they are not listed.
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

describe('values that lead elsewhere, identify, cost or let in', () => {
  function openBoth(folder: string, change: (backup: Database.Database) => void) {
    const [backup, present] = [join(folder, 'backup'), join(folder, 'present')];
    const store = openStore(present);
    store.write(() => {
      store.nodes.insert(sampleNode({ name: 'Berlin', address: 'berlin.example.org' }));
      for (let count = 0; count < 250; count += 1) store.users.insert(sampleUser());
    });
    store.close();
    copyFileSync(present, backup);
    const db = new Database(backup);
    change(db);
    db.close();
    return { backup, present };
  }
  const find = ({ values }: BackupDifferences, kind: BackupDifferenceKind) => values.find((one) => one.kind === kind);

  it('are named with the old and the new one, counted all, the first 100 named', () => {
    using folder = tempFolder();
    const { backup, present } = openBoth(folder.path, (db) =>
      db.exec(
        `UPDATE nodes SET address = 'evil.example';
         UPDATE users SET telegram_id = 1000 + id;
         UPDATE users SET token = 'planted-by-the-attacker-' || id WHERE id <= 7`,
      ),
    );
    const found = compareDatabases(backup, present, null);
    expect(found.values.map(({ kind, count, items }) => [kind, count, items.length])).toEqual([
      ['nodes.address', 1, 1],
      ['users.telegram_id', 250, 100],
      ['users.token', 7, 7],
    ]);
    expect(find(found, 'nodes.address')?.items).toEqual([
      { record: 'Berlin', here: 'berlin.example.org', there: 'evil.example' },
    ]);
    // Even the administrator's page shows only the beginning of a secret.
    expect(find(found, 'users.token')?.items[0]?.there).toBe('plan…');
    expect(compareDatabases(present, present, null).values).toEqual([]);
  });

  it('are all named where there is nothing to compare with', () => {
    using folder = tempFolder();
    const { backup } = openBoth(folder.path, () => {});
    const { values, keys, settings } = compareDatabases(backup, null, 'https://evil.example');
    expect(keys).toEqual({ count: 0, items: [] });
    expect(settings).toContainEqual({ name: 'publicUrl', here: null, there: '"https://evil.example"' });
    expect(values.map(({ kind, count }) => [kind, count])).toEqual([
      ['nodes.address', 1],
      ['user_credentials.value', 1000],
      ['users.token', 250],
    ]);
    expect(values[0]?.items[0]?.here).toBeNull();
  });

  it('write nothing into a terminal, and are cut', () => {
    using folder = tempFolder();
    const { backup, present } = openBoth(folder.path, (db) =>
      db.prepare('UPDATE nodes SET name = ?, address = ?').run('\u001b[2J\u202egnp', 'a'.repeat(253)),
    );
    expect(find(compareDatabases(backup, present, null), 'nodes.address')?.items).toEqual([
      { record: '\ufffd[2J\ufffdgnp', here: 'berlin.example.org', there: 'a'.repeat(253) },
    ]);
  });
});
