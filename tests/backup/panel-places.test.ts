// Places of backups in the panel: added and tested at real servers, used by their schedules, and failing without holding up anything.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { openBackupPlaces } from '../../src/adapters/places/place-thread.ts';
import type { Event } from '../../src/contract/event-types.ts';
import { MAX_CHAT_BACKUP } from '../../src/core/backups/chat-backups.ts';
import { pairAdmin } from '../support/bot-admin.ts';
import { createTestClock, createTestTimers } from '../support/clock.ts';
import { requirePrograms } from '../support/engines.ts';
import { type Machine, PASSPHRASE, restoreConfirmed, startMachine } from './machine.ts';
import { openSftpServer, openStorage, SSHD } from './place-servers.ts';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 10, 20, 12);

let parent = '';
let folder = '';
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'gatehouse-panel-places-'));
  folder = join(parent, 'disk');
  mkdirSync(folder);
  return () => rmSync(parent, { recursive: true, force: true });
});

async function startTimed(place?: string) {
  const clock = createTestClock(START);
  const timers = createTestTimers();
  const machine = await startMachine({ clock, timers, ...(place !== undefined && { place }) });
  const list = async () => (await machine.act('listBackupPlaces', {})).items;
  return {
    ...machine,
    machine,
    clock,
    list,
    /** Adds a folder; `more` in the place of its usual values. */
    addFolder: (name: string, more: Partial<Parameters<typeof addInput>[1]> = {}) =>
      machine.act('createBackupPlace', addInput(name, more)),
    /** The next event of that type. */
    next: (type: Event['type']) =>
      new Promise<Event>((resolve) => {
        const stop = machine.core.subscribe((event) => {
          if (event.type !== type) return;
          stop();
          resolve(event);
        });
      }),
    /** Lets the hours pass; what is due begins. */
    async pass(hours: number) {
      clock.advance(hours * HOUR);
      timers.tick();
      // The look at what is due has had its turn.
      await new Promise((resolve) => setImmediate(resolve));
    },
    idle: () => expect.poll(async () => (await list()).some(({ running }) => running), { timeout: 20_000 }).toBe(false),
    async [Symbol.asyncDispose]() {
      await machine[Symbol.asyncDispose]();
    },
  };
}

function addInput(
  name: string,
  more: {
    readonly passphrase?: string | null;
    readonly every_hours?: number | null;
    readonly keep?: number;
    readonly path?: string;
  } = {},
) {
  const { path = folder, passphrase = PASSPHRASE, ...rest } = more;
  return { kind: 'folder' as const, name, fields: { path }, passphrase, ...rest };
}

const storedAt = (path: string) => readdirSync(path).filter((name) => name.endsWith('.gatehouse-backup'));

const hasSshd = existsSync(SSHD);
const KINDS = [
  { kind: 'S3', open: openStorage, isThere: true, secret: 'secret_access_key' },
  { kind: 'SFTP', open: openSftpServer, isThere: hasSshd, secret: 'private_key' },
] as const;

describe.each(KINDS)('$kind', ({ open, isThere, secret }) => {
  beforeAll(async () => {
    await requirePrograms('places of backups', ['versitygw']);
  });

  test.runIf(isThere)('is tested, gets backups that another machine restores, and shows no credentials', async () => {
    await using server = await open([]);
    await server.start();
    await using panel = await startTimed();
    const input = { ...server.input, name: 'Elsewhere', allow_private: true, passphrase: PASSPHRASE };
    const place = await panel.act('createBackupPlace', input);
    expect(place).toMatchObject({ encrypted: true, every_hours: 24, keep: 14, last_at: null, error: null });
    expect(place.secrets).toContain(secret);
    // The test has left nothing behind.
    expect(await panel.act('listPlacedBackups', { id: place.id })).toEqual({ items: [] });
    const stored = panel.next('backup.stored');
    expect(await panel.act('backUpToPlace', { id: place.id })).toMatchObject({ running: true });
    expect(await stored).toMatchObject({ data: { place: 'Elsewhere' } });
    await panel.idle();
    const { items } = await panel.act('listPlacedBackups', { id: place.id });
    expect(items).toMatchObject([{ own: true, size_bytes: expect.any(Number) }]);
    expect(readdirSync(panel.backups.folder)).toEqual([]);
    expect(await panel.list()).toMatchObject([{ last_at: new Date(START).toISOString(), error: null }]);
    const target = join(parent, 'fetched');
    const opened = panel.core.local.openPlace('Elsewhere');
    await opened.download(items[0]?.name ?? '', target);
    opened.close();
    await using other = await startMachine({ isSetUp: false });
    expect((await restoreConfirmed(other, target, PASSPHRASE)).restored).toMatchObject({ origin: 'passphrase' });
    // The place and its credentials are in it: a restored panel goes on.
    expect((await other.act('testBackupPlace', { id: place.id })).error).toBeNull();
    const all = JSON.stringify([
      place,
      await panel.list(),
      panel.log.lines,
      await panel.act('listAudit', { limit: 100 }),
    ]);
    for (const hidden of [PASSPHRASE, input.fields[secret]?.slice(0, 40)]) expect(all).not.toContain(hidden);
  });

  test.runIf(isThere)(
    'whose credentials are wrong is not added, and a changed one keeps those that are not named',
    async () => {
      await using server = await open([]);
      await server.start();
      await using panel = await startTimed();
      const input = { ...server.input, name: 'Elsewhere', allow_private: true, passphrase: PASSPHRASE };
      const wrong = {
        ...input.fields,
        [secret]:
          secret === 'private_key'
            ? '-----BEGIN OPENSSH PRIVATE KEY-----\nAA==\n-----END OPENSSH PRIVATE KEY-----'
            : 'wrong',
      };
      await expect(panel.act('createBackupPlace', { ...input, fields: wrong })).rejects.toMatchObject({
        code: 'place_failed',
        errors: [{ code: 'keys_refused' }],
      });
      await expect(panel.act('createBackupPlace', { ...input, allow_private: false })).rejects.toBeDefined();
      expect(await panel.list()).toEqual([]);
      const { id } = await panel.act('createBackupPlace', input);
      const { host_key: _, endpoint: _e, ...rest } = input.fields;
      const moved = await panel.act('changeBackupPlace', {
        id,
        name: 'Moved',
        fields: { ...rest, [secret]: input.fields[secret] ?? '' },
        keep: 3,
      });
      expect(moved).toMatchObject({ name: 'Moved', keep: 3 });
      expect(await panel.act('changeBackupPlace', { id, fields: {} })).toMatchObject({ secrets: moved.secrets });
      await expect(panel.act('changeBackupPlace', { id, fields: wrong })).rejects.toMatchObject({
        code: 'place_failed',
      });
      await server.kill();
      // One that cannot be reached can still get another schedule.
      expect(await panel.act('changeBackupPlace', { id, every_hours: null })).toMatchObject({ every_hours: null });
      await expect(panel.act('testBackupPlace', { id })).rejects.toMatchObject({ code: 'place_failed' });
      expect(await panel.list()).toMatchObject([{ error: 'connection' }]);
      await panel.act('deleteBackupPlace', { id });
      expect(panel.store.sealed.all().filter(({ place }) => place.startsWith('backup-place:'))).toEqual([]);
    },
  );
});

test.runIf(hasSshd)('an SFTP server whose key is not known is refused with the key that it shows', async () => {
  await using server = await openSftpServer([]);
  await server.start();
  await using panel = await startTimed();
  const { host_key: _, ...fields } = server.input.fields;
  const input = { ...server.input, fields, name: 'NAS', allow_private: true, passphrase: PASSPHRASE };
  await expect(panel.act('createBackupPlace', input)).rejects.toMatchObject({
    errors: [{ code: 'host_key', message: server.hostKey }],
  });
});

test('each place has its schedule and its retention, and the local backups stay as they are', async () => {
  await using panel = await startTimed();
  const { act, addFolder, next, pass } = panel;
  await act('scheduleBackups', { every_hours: null, keep: 7 });
  const second = join(parent, 'second');
  mkdirSync(second);
  await addFolder('Often', { every_hours: 6, keep: 2 });
  await addFolder('Seldom', { every_hours: 24, path: second });
  await addFolder('By hand', { every_hours: null, path: second });
  for (let round = 0; round < 4; round += 1) {
    const stored = next('backup.stored');
    await pass(round === 0 ? 0 : 6);
    await stored;
    await panel.idle();
  }
  expect([storedAt(folder).length, storedAt(second).length]).toEqual([2, 1]);
  expect(await panel.list()).toMatchObject([
    { last_at: new Date(START + 18 * HOUR).toISOString() },
    { last_at: new Date(START).toISOString() },
    { last_at: null },
  ]);
  expect(readdirSync(panel.backups.folder)).toEqual([]);
  expect(await act('listBackupPlaces', {})).toMatchObject({ left_at: new Date(START + 18 * HOUR).toISOString() });
});

test('a place that fails is told once, is tried again soon, and holds up no other one', async () => {
  await using panel = await startTimed();
  const { addFolder, next, pass } = panel;
  const gone = join(parent, 'gone');
  mkdirSync(gone);
  await addFolder('Gone', { path: gone });
  await addFolder('Here');
  rmSync(gone, { recursive: true });
  const { queued } = pairAdmin(panel.store);
  const [failed, stored] = [next('backup.failed'), next('backup.stored')];
  await pass(0);
  expect(await failed).toMatchObject({ data: { reason: 'place_not_found', place: 'Gone' } });
  expect(await stored).toMatchObject({ data: { place: 'Here' } });
  await panel.idle();
  expect(await panel.list()).toMatchObject([{ error: 'place_not_found', last_at: null }, { error: null }]);
  expect(queued(panel.clock.now())).toEqual([expect.stringContaining('Gone (place_not_found)')]);
  await pass(0.3);
  await panel.idle();
  expect(await panel.list()).toMatchObject([{ error_at: new Date(START + 0.3 * HOUR).toISOString() }, {}]);
  expect(queued(panel.clock.now())).toEqual([]);
  mkdirSync(gone);
  const again = next('backup.stored');
  await pass(0.3);
  await again;
  await panel.idle();
  expect(await panel.list()).toMatchObject([{ error: null }, { error: null }]);
  expect(storedAt(folder)).toHaveLength(1);
});

test('nothing is stored in clear where the passphrase is missing', async () => {
  await using panel = await startTimed();
  const { id } = await panel.addFolder('Disk');
  panel.store.write(() => panel.store.sealed.remove(`backup-place:${id}:passphrase`));
  const failed = panel.next('backup.failed');
  await panel.pass(0);
  expect(await failed).toMatchObject({ data: { reason: 'no_secrets' } });
  await panel.idle();
  expect(storedAt(folder)).toEqual([]);
  expect(await panel.act('changeBackupPlace', { id, passphrase: null })).toMatchObject({
    encrypted: false,
    error: null,
  });
  const stored = panel.next('backup.stored');
  await panel.pass(0);
  await stored;
  await panel.idle();
  const { id: _, ...verdict } = {
    id,
    ...(await panel.core.local.checkBackup(join(folder, storedAt(folder)[0] ?? ''), null)),
  };
  expect(verdict).toMatchObject({ problem: null, origin: 'made_here', secrets: 'none' });
});

test('names are unique, fields are those of the kind, and no place is inside the data folder', async () => {
  await using panel = await startTimed();
  await panel.addFolder('Disk');
  const refused = (input: object, error: object) =>
    expect(panel.act('createBackupPlace', { ...addInput('Other'), ...input } as never)).rejects.toMatchObject(error);
  await refused({ name: 'Disk' }, { code: 'validation', errors: [{ pointer: '#/name', code: 'taken' }] });
  await refused({ fields: {} }, { code: 'validation', errors: [{ pointer: '#/fields/path', code: 'required' }] });
  await refused(
    { fields: { path: folder, bucket: 'a' } },
    { errors: [{ pointer: '#/fields/bucket', code: 'unknown' }] },
  );
  await refused({ fields: { path: panel.backups.folder } }, { errors: [{ code: 'place_refused' }] });
  await refused(
    { kind: 'chat', fields: {}, passphrase: null },
    { errors: [{ pointer: '#/passphrase', code: 'required' }] },
  );
  await refused({ kind: 'chat', fields: {} }, { code: 'bot_off' });
  const sftp = { kind: 'sftp', fields: { host: '127.0.0.1', user: 'u' } };
  await refused(sftp, { errors: [{ pointer: '#/fields/sftp_password', code: 'required' }] });
  const s3 = {
    kind: 's3',
    fields: { endpoint: 'http://s3.example.com', bucket: 'backups', access_key_id: 'a', secret_access_key: 'b' },
  };
  await refused(s3, { errors: [{ pointer: '#/fields/endpoint', code: 'https_required' }] });
});

describe('the chat', () => {
  test('gets each backup by a passphrase alone, and a message as a test', async () => {
    await using panel = await startTimed();
    const { queued } = pairAdmin(panel.store);
    const place = await panel.act('createBackupPlace', { kind: 'chat', name: 'Chat', passphrase: PASSPHRASE });
    await expect(
      panel.act('createBackupPlace', { kind: 'chat', name: 'Second', passphrase: PASSPHRASE }),
    ).rejects.toMatchObject({ errors: [{ pointer: '#/kind', code: 'taken' }] });
    await panel.act('scheduleBackups', { every_hours: null, keep: 7 });
    await panel.act('testBackupPlace', { id: place.id });
    expect(queued(panel.clock.now())).toEqual([expect.stringContaining('A test from the panel')]);
    const stored = panel.next('backup.stored');
    await panel.pass(0);
    await stored;
    await panel.idle();
    const [file] = readdirSync(panel.backups.folder);
    const message = panel.store.bot.nextMessage({ now: panel.clock.now(), most: 3, ids: [], chats: [], methods: [] });
    expect(message).toMatchObject({ method: 'sendDocument', payload: { document: { backup: file } } });
    expect((await panel.core.bot.encryptedBackup(file ?? ''))?.length).toBeGreaterThan(0);
    expect(JSON.stringify([message, panel.log.lines])).not.toContain(PASSPHRASE);
    // Only the newest one stays on the disk.
    const next = panel.next('backup.stored');
    await panel.pass(24);
    await next;
    await panel.idle();
    expect(readdirSync(panel.backups.folder)).toHaveLength(1);
    // The chat's own button uses the same passphrase.
    const call = {
      actor: { kind: 'cli', id: null, name: 'cli', access: 'full' },
      requestId: 'test',
      address: null,
    } as const;
    const { body: sent } = await panel.core.call('sendBackup', {}, call);
    expect((await panel.core.local.checkBackup(join(panel.backups.folder, sent.name), PASSPHRASE)).problem).toBeNull();
    await expect(panel.act('listPlacedBackups', { id: place.id })).rejects.toMatchObject({ code: 'validation' });
  });

  test('does not get one that Telegram does not take, which is said at the place, once', async () => {
    await using panel = await startTimed();
    const { queued } = pairAdmin(panel.store);
    await panel.act('createBackupPlace', { kind: 'chat', name: 'Chat', passphrase: PASSPHRASE });
    const create = panel.backups.create;
    vi.spyOn(panel.backups, 'create').mockImplementation(async (...args) => ({
      ...(await create(...args)),
      sizeBytes: MAX_CHAT_BACKUP + 1,
    }));
    const failed = panel.next('backup.failed');
    await panel.pass(0);
    expect(await failed).toMatchObject({ data: { reason: 'chat_too_large', place: 'Chat' } });
    await panel.idle();
    expect(await panel.list()).toMatchObject([{ error: 'chat_too_large' }]);
    expect(queued(panel.clock.now())).toEqual([expect.stringContaining('50 MB')]);
    expect(readdirSync(panel.backups.folder)).toEqual([]);
    await panel.pass(1);
    await panel.idle();
    expect(queued(panel.clock.now())).toEqual([]);
  });
});

test('two days without a backup elsewhere are told once, until one has left', async () => {
  await using panel = await startTimed();
  await panel.act('scheduleBackups', { every_hours: null, keep: 7 });
  const { queued } = pairAdmin(panel.store);
  await panel.pass(47);
  expect(queued(panel.clock.now())).toEqual([]);
  const late = panel.next('backup.late');
  await panel.pass(2);
  expect(await late).toMatchObject({ data: { left_at: null } });
  expect(queued(panel.clock.now())).toEqual([expect.stringContaining('No backup has ever left')]);
  const { id } = await panel.addFolder('Disk', { every_hours: null });
  const stored = panel.next('backup.stored');
  await panel.act('backUpToPlace', { id });
  await stored;
  await panel.idle();
  const again = panel.next('backup.late');
  await panel.pass(49);
  expect(await again).toMatchObject({ data: { left_at: new Date(START + 49 * HOUR).toISOString() } });
  expect(queued(panel.clock.now())).toEqual([expect.stringContaining('No backup has left')]);
});

test('what a crash has left of a backup for a place is deleted at the next start', async () => {
  const place = mkdtempSync(join(parent, 'machine-'));
  await using first = await startMachine({ place });
  await first.backups.create('outgoing', null);
  await first.backups.create('chat', PASSPHRASE);
  expect(readdirSync(first.backups.folder)).toHaveLength(2);
  await first.close();
  await using second = await startMachine({ place });
  expect((await second.act('listBackups', {})).items.map(({ kind }) => kind)).toEqual(['chat']);
  await second.close();
});

test('a disk that does not answer is given up in time', async () => {
  const places = openBackupPlaces(parent, 1);
  const place = places.open({
    kind: 'sftp',
    host: '192.0.2.1',
    port: 22,
    user: 'u',
    path: '',
    hostKey: null,
    allowPrivate: false,
    password: 'x',
    privateKey: null,
  });
  await expect(place.list()).rejects.toMatchObject({ code: 'place_failed', errors: [{ code: 'timeout' }] });
  place.close();
});

describe('after a restore', () => {
  async function makeBackup(
    panel: Machine & { readonly addFolder: (name: string, more?: object) => Promise<{ readonly id: number }> },
  ) {
    await panel.addFolder('Disk');
    return join(panel.backups.folder, (await panel.backups.create('manual', null)).name);
  }

  test('of unknown origin a place that is not known here is named, and gets neither schedule nor credentials', async () => {
    await using theirs = await startTimed();
    const file = await makeBackup(theirs);
    await using panel = await startTimed();
    const own = join(parent, 'own');
    mkdirSync(own);
    const { id } = await panel.addFolder('Own', { path: own });
    const verdict = await panel.core.local.checkBackup(file, null);
    expect(verdict.differences?.values).toContainEqual({
      kind: 'backup_places.fields',
      count: 1,
      items: [{ record: 'Disk', here: JSON.stringify({ path: own }), there: JSON.stringify({ path: folder }) }],
    });
    await restoreConfirmed(panel.machine, file);
    expect(await panel.list()).toMatchObject([{ id, name: 'Disk', every_hours: null, encrypted: true }]);
    // The passphrase that was here is not used there.
    expect(panel.store.sealed.all().filter(({ place }) => place.startsWith('backup-place:'))).toEqual([]);
    await panel.pass(48);
    await panel.idle();
    expect(storedAt(folder)).toEqual([]);
  });

  test('of an own backup it goes on as it was', async () => {
    await using panel = await startTimed();
    const file = await makeBackup(panel);
    await restoreConfirmed(panel.machine, file);
    expect(await panel.list()).toMatchObject([{ name: 'Disk', every_hours: 24 }]);
    const stored = panel.next('backup.stored');
    await panel.pass(1);
    await stored;
    await panel.idle();
    expect(storedAt(folder)).toHaveLength(1);
  });
});

test('a folder is not a place for what the panel did not store', async () => {
  await using panel = await startTimed();
  writeFileSync(join(folder, 'notes.txt'), 'notes');
  const { id } = await panel.addFolder('Disk', { keep: 1 });
  await panel.act('backUpToPlace', { id });
  await panel.idle();
  expect(readFileSync(join(folder, 'notes.txt'), 'utf8')).toBe('notes');
  expect((await panel.act('listPlacedBackups', { id })).items).toHaveLength(1);
});
