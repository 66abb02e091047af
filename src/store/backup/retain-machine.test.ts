// After a restore every engine is restarted, and traffic that an engine counted for another panel's users is not counted.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sampleInbound } from '../../../tests/support/subscription-samples.ts';
import { sampleNode, sampleUser, tempFolder } from '../../../tests/support/temp-store.ts';
import type { AuditRow } from '../../core/ports/audit.ts';
import { MAX_EPOCH } from '../../domain/nodes/panel-claim.ts';
import { openStore } from '../index.ts';
import { loadMigrations } from '../migrate.ts';
import { rebuildDatabase } from './rebuild.ts';
import { retainMachine } from './retain-machine.ts';

const BULK: Omit<AuditRow, 'id'> = {
  at: 1,
  actorKind: 'administrator',
  actorId: 1,
  actorName: 'admin',
  action: 'bulkUsers',
  outcome: 'done',
  target: null,
  detail: '{"action":"disable"}',
  address: null,
  requestId: 'r',
};

it.each([
  ['of this panel', 'own', { boot: 'a', position: null, cautiousUntil: 0 }, [[1, { up: 3, down: 4 }]]],
  ['of another panel', 'other', { boot: null, position: null, cautiousUntil: 0 }, []],
])('%s', (_what, instanceId, sync, counters) => {
  const isOwn = instanceId === 'own';
  using folder = tempFolder();
  const [backup, present, target] = ['backup', 'present', 'target'].map((name) => join(folder.path, name));
  if (!backup || !present || !target) throw new Error('no path');
  const source = openStore(backup);
  const nodeId = source.nodes.insert(sampleNode());
  source.users.insert(sampleUser());
  source.settings.set({ instanceId });
  source.sync.begin(nodeId, { boot: 'a', position: 1, cautiousUntil: 1 });
  source.audit.appendUsers(source.audit.append(BULK), [{ id: 1, name: null }]);
  source.sync.saveUserCounters(nodeId, 'a', [{ userId: 1, up: 3, down: 4 }]);
  source.close();
  const current = openStore(present);
  current.settings.set({ instanceId: 'own' });
  for (let count = 0; count < 5; count += 1) current.users.insert(sampleUser());
  current.audit.appendUsers(current.audit.append(BULK), [{ id: 2, name: null }]);
  current.close();
  rebuildDatabase(backup, target, loadMigrations().length);
  retainMachine(target, { present, sessionId: null, sealed: [], leftOut: [], publicUrl: null, doubt: null });
  const restored = openStore(target);
  try {
    expect(restored.sync.get(nodeId)).toEqual(sync);
    expect([...restored.sync.userCounters(nodeId, 'a', [1])]).toEqual(counters);
    const entries = restored.audit
      .page({ limit: 9 })
      .map(({ id }) => restored.audit.users(id, 0, 9).map((user) => user.id));
    expect(entries).toEqual(isOwn ? [[2]] : [[], [1]]);
    expect(restored.sync.changes(0, 10)).toEqual([]);
    expect(restored.sync.latest()).toBe(5);
  } finally {
    restored.close();
  }
});

it('leads the keys of a payment provider, and of the bot, to no address that is unknown here, where a backup may have been changed', () => {
  using folder = tempFolder();
  const [backup, present, target] = ['backup', 'present', 'target'].map((name) => join(folder.path, name));
  if (!backup || !present || !target) throw new Error('no path');
  const add = (file: string, apiRoot: string | null, allowPrivate: boolean) => {
    const store = openStore(file);
    store.settings.set({ instanceId: 'own' });
    store.providers.insert({
      kind: 'stars',
      name: 'Bot',
      isTest: false,
      account: '@bot',
      fields: {},
      apiRoot,
      allowPrivate,
      enabled: true,
      hookToken: null,
      okAt: null,
      error: null,
      missing: [],
      codes: [],
      refusedCurrencies: [],
      errorAt: null,
      createdAt: 1,
      updatedAt: 1,
    });
    store.close();
  };
  add(present, 'https://own.example', false);
  add(backup, null, false);
  add(backup, 'https://own.example', false);
  add(backup, 'https://own.example', true);
  add(backup, 'https://other.example', false);
  const store = openStore(backup);
  store.bot.save({
    botId: 7,
    username: 'bot',
    name: 'Bot',
    apiRoot: 'https://other.example',
    allowPrivate: false,
    proxy: 'socks5://other.example:1080',
    appPath: 'a'.repeat(32),
    enabled: true,
    error: null,
    errorAt: null,
    updatedAt: 1,
  });
  store.bot.enqueue({ chatId: 1, dedupeKey: null, method: 'sendMessage', payload: { text: 'Old' }, priority: 2 }, 1);
  store.close();
  rebuildDatabase(backup, target, loadMigrations().length);
  const doubt = { at: 2, acceptsKeys: true };
  retainMachine(target, { present, sessionId: null, sealed: [], leftOut: [], publicUrl: null, doubt });
  const restored = openStore(target);
  const found = restored.providers.all().map(({ apiRoot, allowPrivate, enabled }) => [apiRoot, allowPrivate, enabled]);
  const bot = restored.bot.get();
  const waiting = restored.bot.countMessages();
  restored.close();
  expect(bot).toMatchObject({ enabled: false, apiRoot: null, proxy: null });
  expect(waiting).toBe(0);
  expect(found).toEqual([
    [null, false, true],
    ['https://own.example', false, true],
    [null, false, false],
    [null, false, false],
  ]);
});

it.each([
  ['of a panel that is in use', true, null, [2]],
  ['that may have been changed', true, { at: 2, acceptsKeys: true }, [2]],
  ['that may have been changed, on a new panel', false, { at: 2, acceptsKeys: true }, []],
  ['on a new panel', false, null, [1, 2]],
])(
  'brings back no account of the administrator that was removed, and no link and message of before: a backup %s',
  (_what, isInUse, doubt, admins) => {
    using folder = tempFolder();
    const [backup, present, target] = ['backup', 'present', 'target'].map((name) => join(folder.path, name));
    if (!backup || !present || !target) throw new Error('no path');
    const current = openStore(present);
    current.settings.set({ instanceId: 'own' });
    if (isInUse) {
      current.administrator.save({ name: 'admin', passwordHash: 'x', createdAt: 1, passwordChangedAt: 1 });
      current.bot.saveAdmin({ telegramId: 2, name: 'Anna', pairedAt: 1, provenAt: null });
    }
    current.close();
    const source = openStore(backup);
    source.settings.set({ instanceId: 'own' });
    const userId = source.users.insert(sampleUser());
    // One was removed since the backup was made, the other is still paired.
    for (const telegramId of [1, 2]) source.bot.saveAdmin({ telegramId, name: 'Old', pairedAt: 1, provenAt: null });
    const invitations = [
      { tokenHash: 'a'.repeat(64), purpose: 'admin', userId: null },
      { tokenHash: 'b'.repeat(64), purpose: 'record', userId },
      { tokenHash: 'c'.repeat(64), purpose: 'page', userId },
    ] as const;
    for (const one of invitations) source.bot.invite({ ...one, expiresAt: 8_000_000_000_000 });
    const begun = { botId: 7, texts: [], filter: { all: true }, total: 2, sent: 1, blocked: 0, failed: 0 } as const;
    const place = { lastUserId: userId, untilUserId: 9, createdAt: 5, endedAt: null };
    const id = source.broadcasts.insert({ key: 'broadcast-1', ...begun, ...place, state: 'running' });
    source.broadcasts.savePerson({ broadcastId: id, userId, state: 'queued', error: null, at: 5 });
    source.close();
    rebuildDatabase(backup, target, loadMigrations().length);
    retainMachine(target, { present, sessionId: null, sealed: [], leftOut: [], publicUrl: null, doubt });
    const restored = openStore(target);
    try {
      expect(restored.bot.admins().map(({ telegramId }) => telegramId)).toEqual(admins);
      if (isInUse) expect(restored.bot.admin(2)).toMatchObject({ name: 'Anna' });
      for (const { tokenHash } of invitations) expect(restored.bot.invitation(tokenHash)).toBeUndefined();
      expect(restored.broadcasts.get(id)).toMatchObject({ state: 'stopped', sent: 1, failed: 1 });
      expect(restored.broadcasts.active()).toBeUndefined();
    } finally {
      restored.close();
    }
  },
);

describe('of another panel', () => {
  const restoreFrom = (prepare: (backup: ReturnType<typeof openStore>) => void) => {
    const folder = tempFolder();
    const [backup, present, target] = ['backup', 'present', 'target'].map((name) => join(folder.path, name));
    if (!backup || !present || !target) throw new Error('no path');
    const source = openStore(backup);
    source.settings.set({ instanceId: 'other' });
    prepare(source);
    source.close();
    openStore(present).close();
    rebuildDatabase(backup, target, loadMigrations().length);
    retainMachine(target, { present, sessionId: null, sealed: [], leftOut: [], publicUrl: null, doubt: null });
    const restored = openStore(target);
    return {
      restored,
      [Symbol.dispose]() {
        restored.close();
        folder[Symbol.dispose]();
      },
    };
  };

  it('leaves a gap for ids that it may have given since, also where it had given none', () => {
    using after = restoreFrom((backup) => {
      for (let count = 0; count < 3; count += 1) backup.users.insert(sampleUser());
    });
    expect(after.restored.users.insert(sampleUser())).toBe(1_000_004);
    expect(after.restored.nodes.insert(sampleNode())).toBe(1_000_001);
  });

  it('leaves half of the smallest pool of WireGuard to users to come', () => {
    using after = restoreFrom((backup) => {
      const nodeId = backup.nodes.insert(sampleNode());
      for (const addressPool of ['10.0.0.0/24', '10.64.0.0/10']) {
        const { id: _id, ...row } = sampleInbound({ nodeId, addressPool, tag: addressPool, port: addressPool.length });
        backup.inbounds.insert(row);
      }
      for (let count = 0; count < 3; count += 1) backup.users.insert(sampleUser());
    });
    expect(after.restored.users.insert(sampleUser())).toBe(3 + (253 - 3) / 2 + 1);
  });

  it.each([
    [1, 2],
    [7, 8],
    [MAX_EPOCH, MAX_EPOCH],
  ])('begins the epoch after %i', (epoch, next) => {
    using after = restoreFrom((backup) => backup.settings.set({ epoch }));
    expect(after.restored.settings.get().epoch).toBe(next);
  });
});

it.each([
  ['its own data', 3, 3, 5],
  ['its own data, which went on elsewhere', 4, 5, 1_000_001],
])('a panel that restores %s', (_what, epoch, restoredEpoch, lastUser) => {
  using folder = tempFolder();
  const [backup, present, target] = ['backup', 'present', 'target'].map((name) => join(folder.path, name));
  if (!backup || !present || !target) throw new Error('no path');
  const source = openStore(backup);
  source.settings.set({ instanceId: 'own', epoch });
  source.close();
  const current = openStore(present);
  current.settings.set({ instanceId: 'own', epoch: 3 });
  for (let count = 0; count < 4; count += 1) current.users.insert(sampleUser());
  current.close();
  rebuildDatabase(backup, target, loadMigrations().length);
  retainMachine(target, { present, sessionId: null, sealed: [], leftOut: [], publicUrl: null, doubt: null });
  const restored = openStore(target);
  expect(restored.settings.get().epoch).toBe(restoredEpoch);
  expect(restored.users.insert(sampleUser())).toBe(lastUser > 5 ? lastUser + 4 : lastUser);
  restored.close();
});
