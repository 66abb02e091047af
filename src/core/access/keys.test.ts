// API keys in the core: created once, stored as a hash, valid until revoked or expired, and their last use.
import { expect, it } from 'vitest';
import { createTestClock, createTestTimers } from '../../../tests/support/clock.ts';
import { ADMINISTRATOR_CALL, coreParts } from '../../../tests/support/core.ts';
import { tempStore } from '../../../tests/support/temp-store.ts';
import type { CallOf } from '../../contract/operation.ts';
import type { OPERATIONS } from '../../contract/table.ts';
import { formatKey, KEY_PATTERN } from '../../domain/key-format.ts';
import { createCore } from '../create-core.ts';
import { PanelError } from '../kernel/panel-error.ts';
import type { Call, HandledId } from '../ports/call.ts';

const DAY = 86_400_000;
const START = Date.UTC(2026, 10, 20);
const at = (ms: number) => new Date(ms).toISOString();
/** The machine's owner needs no proof of identity. */
const CALL: Call = { ...ADMINISTRATOR_CALL, actor: { kind: 'cli', id: null, name: 'command line', access: 'full' } };

function open(temp: ReturnType<typeof tempStore>) {
  const clock = createTestClock(START);
  const timers = createTestTimers();
  const core = createCore(coreParts(temp, { clock, timers }));
  const call = async <Id extends HandledId>(id: Id, input: CallOf<(typeof OPERATIONS)[Id]>) =>
    (await core.call(id, input as never, CALL)).body;
  const create = (input: CallOf<(typeof OPERATIONS)['createKey']>) => call('createKey', input);
  const list = async () => (await call('listKeys', {})).items;
  return { core, clock, timers, call, create, list };
}

it('is shown once, and known by its hash alone', async () => {
  using temp = tempStore();
  const { core, create, list } = open(temp);
  const { key, value } = await create({ name: 'bot', access: 'full', expires_in_days: null });
  const other = await create({ name: 'reader', access: 'read', expires_in_days: null });
  expect(value).toMatch(KEY_PATTERN);
  expect(other.value).not.toBe(value);
  expect(key).toEqual({
    id: 1,
    name: 'bot',
    access: 'full',
    prefix: value.slice(0, 8),
    state: 'active',
    created_at: at(START),
    expires_at: null,
    revoked_at: null,
    last_used_at: null,
    last_used_from: null,
  });
  expect(await list()).toContainEqual(key);
  expect(core.authenticateKey(value)).toEqual({ kind: 'key', id: 1, name: 'bot', access: 'full' });
  expect(core.authenticateKey(other.value)).toEqual({ kind: 'key', id: 2, name: 'reader', access: 'read' });
  expect(core.authenticateKey(formatKey('0'.repeat(36)))).toBeNull();
  expect(core.authenticateKey(`${value}x`)).toBeNull();
});

it('ends after its days, in that very millisecond', async () => {
  using temp = tempStore();
  const { core, clock, create, list } = open(temp);
  const { key, value } = await create({ name: 'bot', access: 'read', expires_in_days: 30 });
  expect(key.expires_at).toBe(at(START + 30 * DAY));
  clock.set(START + 30 * DAY - 1);
  expect(core.authenticateKey(value)?.id).toBe(key.id);
  expect(await list()).toMatchObject([{ state: 'active' }]);
  clock.advance(1);
  expect(core.authenticateKey(value)).toBeNull();
  expect(await list()).toMatchObject([{ state: 'expired' }]);
});

it('is revoked once, whatever its end, and alone', async () => {
  using temp = tempStore();
  const { core, clock, call, create, list } = open(temp);
  const { key, value } = await create({ name: 'bot', access: 'read', expires_in_days: 30 });
  const other = await create({ name: 'other', access: 'read', expires_in_days: null });
  clock.advance(1000);
  const revoked = { ...key, state: 'revoked', revoked_at: at(START + 1000) };
  expect(await call('revokeKey', { id: key.id })).toEqual(revoked);
  clock.advance(60 * DAY);
  expect(await call('revokeKey', { id: key.id })).toEqual(revoked);
  expect(await list()).toContainEqual(revoked);
  expect(core.authenticateKey(value)).toBeNull();
  expect(core.authenticateKey(other.value)?.id).toBe(other.key.id);
  await expect(call('revokeKey', { id: 99 })).rejects.toEqual(new PanelError('not_found'));
  const rows = await call('listAudit', { limit: 10 });
  expect(rows.items.map(({ action, target, detail }) => [action, target, detail])).toEqual([
    ['revokeKey', 'key:1', { name: 'bot' }],
    ['createKey', 'key:2', { name: 'other', access: 'read', expires_in_days: null }],
    ['createKey', 'key:1', { name: 'bot', access: 'read', expires_in_days: 30 }],
  ]);
});

it('is noted as used at most once a minute, with the last address, also when the panel stops', async () => {
  using temp = tempStore();
  const { core, clock, timers, create, list } = open(temp);
  const { key } = await create({ name: 'bot', access: 'read', expires_in_days: null });
  const used = async () => {
    const [row] = await list();
    return [row?.last_used_at, row?.last_used_from];
  };
  const flush = async () => {
    timers.tick();
    await create({ name: 'written behind it', access: 'read', expires_in_days: null });
  };
  const usedFirst = async () => (await list()).find(({ id }) => id === key.id)?.last_used_at;
  core.start();
  core.recordKeyUse(key.id, '192.0.2.1');
  core.recordKeyUse(key.id, '192.0.2.2');
  expect(await used()).toEqual([null, null]);
  await flush();
  const noted = (await list()).find(({ id }) => id === key.id);
  expect([noted?.last_used_at, noted?.last_used_from]).toEqual([at(START), '192.0.2.2']);
  clock.advance(59_999);
  core.recordKeyUse(key.id, '192.0.2.3');
  await flush();
  expect(await usedFirst()).toBe(at(START));
  clock.advance(1);
  core.recordKeyUse(key.id, '192.0.2.3');
  await flush();
  expect(await usedFirst()).toBe(at(START + 60_000));
  clock.set(START - DAY);
  core.recordKeyUse(key.id, '192.0.2.4');
  await core.stop();
  expect(temp.store.keys.get(key.id)?.lastUsedAt).toBe(START - DAY);
});

it('of a backup that may have been changed is revoked until it is confirmed, which is no way back for others', async () => {
  using temp = tempStore();
  const { core, call, create, list } = open(temp);
  const { key, value } = await create({ name: 'bot', access: 'full', expires_in_days: 30 });
  const other = await create({ name: 'other', access: 'read', expires_in_days: null });
  await call('revokeKey', { id: other.key.id });
  temp.store.keys.revoke(key.id, START);
  temp.db.exec(`UPDATE api_keys SET unconfirmed = 1 WHERE id = ${key.id}`);
  expect(await list()).toMatchObject([{ state: 'revoked' }, { state: 'unconfirmed', revoked_at: at(START) }]);

  expect(await call('confirmKey', { id: key.id })).toEqual({ ...key, state: 'active', revoked_at: null });
  expect(core.authenticateKey(value)).toMatchObject({ id: key.id, access: 'full' });
  expect(await call('confirmKey', { id: other.key.id })).toMatchObject({ state: 'revoked' });
  expect(core.authenticateKey(other.value)).toBeNull();
  await expect(call('confirmKey', { id: 99 })).rejects.toEqual(new PanelError('not_found'));
  const rows = await call('listAudit', { limit: 10 });
  expect(rows.items.filter(({ action }) => action === 'confirmKey')).toMatchObject([
    { target: 'key:1', detail: { name: 'bot', access: 'full' } },
  ]);
});

it('that waits to be confirmed is revoked for good by its own revocation, and by that of all', async () => {
  using temp = tempStore();
  const { core, call, create, list } = open(temp);
  const keys = [await create({ name: 'a', access: 'read', expires_in_days: null })];
  keys.push(await create({ name: 'b', access: 'read', expires_in_days: null }));
  for (const { key } of keys) temp.store.keys.revoke(key.id, START);
  temp.db.exec('UPDATE api_keys SET unconfirmed = 1');
  expect(await call('revokeKey', { id: 1 })).toMatchObject({ state: 'revoked', revoked_at: at(START) });
  expect(await call('confirmKey', { id: 1 })).toMatchObject({ state: 'revoked' });
  temp.store.keys.revokeAll(START + 1);
  expect(await call('confirmKey', { id: 2 })).toMatchObject({ state: 'revoked', revoked_at: at(START) });
  expect(keys.map(({ value }) => core.authenticateKey(value))).toEqual([null, null]);
  expect((await list()).map(({ state }) => state)).toEqual(['revoked', 'revoked']);
});
