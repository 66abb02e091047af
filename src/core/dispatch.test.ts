// Calls through the core over a real store: repeated, refused, rolled back, and run on the worker thread.
import { expect, it } from 'vitest';
import { createTestClock } from '../../tests/support/clock.ts';
import { ADMINISTRATOR_CALL, CLI_CALL, coreParts } from '../../tests/support/core.ts';
import { RESERVE, sampleTariff, sampleUser, tempStore } from '../../tests/support/temp-store.ts';
import type { CallOf } from '../contract/operation.ts';
import type { OPERATIONS } from '../contract/table.ts';
import { createHeavyEnv } from './create-core.ts';
import { beginHeavy, createDispatch, type Unfinished } from './dispatch.ts';
import type { CoreParts } from './kernel/core.ts';
import { createEnv } from './kernel/env.ts';
import { PanelError } from './kernel/panel-error.ts';
import type { Call, HandledId, Idempotency } from './ports/call.ts';
import type { HeavyOutcome, HeavyWriter } from './ports/heavy-writer.ts';

type Temp = Pick<ReturnType<typeof tempStore>, 'store' | 'db' | 'file'>;
type InputOf<Id extends HandledId> = CallOf<(typeof OPERATIONS)[Id]>;

const PASSWORD = 'correct horse battery';
const HOUR = 3_600_000;
const START = Date.UTC(2026, 10, 20);
/** Time that passes with each reading of the clock: a part of a bulk ends after its first hundred users. */
const SLOW_MS = 31;

const under = (key: string, fingerprint = 'body', scope = '1 POST /users'): Partial<Call> => ({
  idempotency: { scope, key, fingerprint } satisfies Idempotency,
});

/** The worker's side of heavy writes, on this thread. */
function heavyOn(temp: Temp) {
  const slow = createTestClock(START);
  const clock = { now: () => slow.advance(SLOW_MS) };
  const env = createHeavyEnv(coreParts(temp, { clock }));
  const unfinished: (() => HeavyOutcome | Unfinished)[] = [];
  const asked: { readonly input: unknown }[] = [];
  /** Outcomes that replace those of the next steps. */
  const failures: HeavyOutcome[] = [];
  const hooks = { between: () => {} };
  function step(work: () => HeavyOutcome | Unfinished): HeavyOutcome {
    const outcome = failures.shift() ?? work();
    if (outcome !== 'unfinished') return outcome;
    unfinished.push(work);
    return { unfinished: unfinished.length - 1 };
  }
  const heavy: HeavyWriter = {
    async run(id, input, call) {
      asked.push({ input });
      return step(beginHeavy(env, id, input as never, call));
    },
    async proceed(number) {
      hooks.between();
      const work = unfinished[number];
      if (!work) throw new Error('nothing is unfinished');
      return step(work);
    },
    enqueueDeliveries: async () => false,
    recordAttempts: async () => {},
  };
  return { heavy, env, asked, failures, hooks };
}

function open(temp: Temp, changes: Partial<CoreParts> = {}) {
  const clock = createTestClock(START);
  const tariff = temp.store.write(() => temp.store.tariffs.insert(sampleTariff()));
  const announced: number[] = [];
  const env = createEnv(coreParts(temp, { clock, ...changes }), () =>
    announced.push(temp.store.users.count({}, clock.now())),
  );
  const dispatch = createDispatch(env);
  const call = <Id extends HandledId>(id: Id, input: InputOf<Id>, by: Partial<Call> = {}) =>
    dispatch(id, input as never, { ...CLI_CALL, ...by });
  /** Returns the code of the refusal. */
  const refused = async <Id extends HandledId>(...args: Parameters<typeof call<Id>>): Promise<string> => {
    try {
      await call(...args);
    } catch (error) {
      if (error instanceof PanelError) return error.code;
      throw error;
    }
    return 'not refused';
  };
  const create = (name: string, by: Partial<Call> = {}) => call('createUser', { tariff_id: tariff, name }, by);
  const names = () => temp.store.users.rows([...temp.store.users.ids({}, clock.now())]).map(({ name }) => name);
  const audited = () => temp.store.audit.page({ limit: 50 });
  return { env, clock, tariff, call, refused, create, names, audited, announced };
}

/** Creates users that a bulk by filter matches. */
function crowd({ store }: Temp, size: number): readonly number[] {
  return store.write(() =>
    Array.from({ length: size }, () => store.users.insert(sampleUser({ tags: ['crowd'], tariffId: null }))),
  );
}
/** Defaults that the doors fill in. */
const WHOLE = { dry_run: false, atomic: false } as const;
const DISABLE = { ...WHOLE, action: 'disable', filter: { tag: 'crowd' } } as const;

it('answers with the status of the table, and a read at once', async () => {
  using temp = tempStore();
  const { create, call, announced } = open(temp);
  const made = await create('Anna');
  expect(made).toMatchObject({ status: 201, body: { name: 'Anna' }, location: `/users/${made.body.id}` });
  expect(made).not.toHaveProperty('raw');
  expect(made).not.toHaveProperty('replayed');
  const read = call('getUser', { id: made.body.id });
  expect(read).toMatchObject({ status: 200, body: { name: 'Anna' } });
  expect(call('listUsers', { limit: 1, offset: 0, sort: 'id' })).toMatchObject({ status: 200, body: { total: 1 } });
  // After the commit.
  expect(announced).toEqual([1]);
});

it('repeats the reply of an Idempotency-Key, byte for byte, for 24 hours', async () => {
  using temp = tempStore();
  const { create, names, clock } = open(temp);
  const first = await create('Anna', under('k'));
  expect(first.raw).toBe(JSON.stringify(first.body));
  expect(first).not.toHaveProperty('replayed');
  clock.advance(24 * HOUR);
  const again = await create('Boris', under('k'));
  expect(again).toEqual({
    status: 201,
    body: first.body,
    raw: first.raw,
    location: first.location,
    replayed: true,
  });
  expect(names()).toEqual(['Anna']);
  expect((await create('Vera', under('other'))).body.name).toBe('Vera');
  expect((await create('Gleb', under('k', 'body', '2 POST /users'))).body.name).toBe('Gleb');
  clock.advance(1);
  const later = await create('Dora', under('k'));
  expect(later).toMatchObject({ status: 201, body: { name: 'Dora' } });
  expect(later).not.toHaveProperty('replayed');
});

it('repeats a reply that has neither a body nor a location', async () => {
  using temp = tempStore();
  const { create, call, audited } = open(temp);
  const { id } = (await create('Anna')).body;
  const first = await call('deleteUser', { id }, under('k'));
  expect(first).toEqual({ status: 204, body: undefined });
  const before = audited().length;
  expect(await call('deleteUser', { id }, under('k'))).toEqual({ status: 204, body: undefined, replayed: true });
  expect(audited()).toHaveLength(before);
});

it('refuses another body under the same key, and does nothing', async () => {
  using temp = tempStore();
  const { create, refused, names, tariff } = open(temp);
  await create('Anna', under('k'));
  const other = await refused('createUser', { tariff_id: tariff, name: 'Boris' }, under('k', 'another body'));
  expect(other).toBe('idempotency_mismatch');
  expect(names()).toEqual(['Anna']);
});

it('stores nothing of a dry run: the same key then does it', async () => {
  using temp = tempStore();
  const { call, create } = open(temp);
  const { id } = (await create('Anna')).body;
  const extend = (dry_run: boolean) =>
    call('bulkUsers', { ...WHOLE, action: 'extend', days: 3, ids: [id], dry_run }, under('k'));
  expect((await extend(true)).body).toMatchObject({ dry_run: true, affected: 1 });
  const done = await extend(false);
  expect(done).not.toHaveProperty('replayed');
  expect(done.body).toMatchObject({ dry_run: false, affected: 1 });
});

it('lets one call at a time run under a key', async () => {
  using temp = tempStore();
  const { create, refused, names, tariff } = open(temp);
  const anna = { tariff_id: tariff, name: 'Anna' };
  const first = create('Anna', under('k'));
  expect(await refused('createUser', anna, under('k'))).toBe('idempotency_in_flight');
  // Calls with other keys, other scopes or without a key do not wait.
  await Promise.all([
    first,
    create('Boris', under('other')),
    create('Vera', under('k', 'body', '2 POST /users')),
    create('Gleb'),
    create('Dora'),
  ]);
  expect((await create('Anna', under('k'))).replayed).toBe(true);
  expect(names().sort()).toEqual(['Anna', 'Boris', 'Dora', 'Gleb', 'Vera']);

  // A failed call releases the key too.
  const wrong = { tariff_id: 999, name: 'Eva' };
  for (const _ of [1, 2]) expect(await refused('createUser', wrong, under('fails'))).toBe('tariff_not_found');
});

it('commits what a refusal wrote, and undoes what a failure wrote', async () => {
  using temp = tempStore();
  const { call, refused, audited, clock } = open(temp);
  const { store } = temp;
  expect(await refused('signIn', { name: 'admin', password: 'wrong' })).toBe('sign_in_failed');
  expect(audited()).toMatchObject([{ action: 'signIn', outcome: 'refused' }]);

  const ids = [...crowd(temp, 2), 999];
  const events = store.events.latestId();
  const bulk = { ...WHOLE, action: 'disable', ids, atomic: true } as const;
  const failure = await Promise.resolve(call('bulkUsers', bulk, under('k'))).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'bulk_failed', errors: [{ pointer: '#/ids/2' }] });
  expect(store.users.count({ states: ['disabled'] }, clock.now())).toBe(0);
  expect(store.events.latestId()).toBe(events);
  expect(audited()).toHaveLength(1);
  // The failure is not stored under the key either.
  expect((await call('bulkUsers', { ...bulk, ids: ids.slice(0, 2) }, under('k'))).body.affected).toBe(2);
});

it('asks for the proof where one is needed, and hands on neither password nor code', async () => {
  using temp = tempStore();
  const { heavy, asked } = heavyOn(temp);
  const { refused, call, audited } = open(temp, { heavy });
  const { actor } = ADMINISTRATOR_CALL;
  const key = { name: 'bot', access: 'full', expires_in_days: null } as const;
  expect(await refused('createKey', key, { actor })).toBe('proof_required');
  expect(await refused('updateSettings', { rate_limit: 100 }, { actor })).toBe('proof_required');
  expect(await refused('bulkUsers', DISABLE, { actor })).toBe('proof_required');
  expect((await call('updateSettings', { language: 'ru' }, { actor })).body.language).toBe('ru');
  expect((await call('updateSettings', { rate_limit: 100, code: '123456' })).body.rate_limit).toBe(100);
  await call('updateSettings', { time_zone: 'Europe/Berlin', password: PASSWORD, code: '123456' }, { actor });
  expect(asked).toEqual([{ input: { time_zone: 'Europe/Berlin' } }]);
  expect(JSON.stringify(audited())).not.toMatch(/123456|horse/);
});

it('does a long write on the thread, in parts, and takes up what it did', async () => {
  using temp = tempStore();
  const { heavy, hooks, asked } = heavyOn(temp);
  const ids = crowd(temp, 250);
  const { call, create, clock, announced, audited, env } = open(temp, { heavy });
  let made: unknown = null;
  hooks.between = () => {
    made ??= create('Anna');
  };
  const done = await call('bulkUsers', DISABLE, under('k'));
  await made;
  expect(done.status).toBe(200);
  expect(done.body).toMatchObject({ matched: 250, affected: 250 });
  expect(JSON.parse(done.raw ?? '')).toEqual(done.body);
  expect(temp.store.users.count({ states: ['disabled'] }, clock.now())).toBe(ids.length);
  expect(asked).toHaveLength(1);
  // Each part and the end, and the user who was created between two parts.
  expect(announced.length).toBeGreaterThanOrEqual(4);
  expect(audited()).toMatchObject([{ action: 'createUser' }, { action: 'bulkUsers' }]);
  expect(await call('bulkUsers', DISABLE, under('k'))).toMatchObject({ raw: done.raw, replayed: true });

  // A write of one part; its settings are read afterwards.
  expect(env.settings().timeZone).toBe('UTC');
  const saved = await call('updateSettings', { time_zone: 'Europe/Berlin' });
  expect(saved).toMatchObject({ status: 200, body: { time_zone: 'Europe/Berlin' } });
  expect(env.settings().timeZone).toBe('Europe/Berlin');
});

it('names a batch in the audit log as the bulk that it is', async () => {
  using temp = tempStore();
  const { heavy } = heavyOn(temp);
  crowd(temp, 2);
  const { call, audited } = open(temp, { heavy });
  await call('bulkBatch', { batch: 'a'.repeat(32), bulk: DISABLE, after: 0 });
  expect(audited()[0]?.action).toBe('bulkUsers');
});

it('goes on where an interrupted call under the same key has stopped', async () => {
  using temp = tempStore();
  const { heavy, hooks } = heavyOn(temp);
  const ids = crowd(temp, 250);
  const { call, refused, clock, env } = open(temp, { heavy });
  const disabled = () => temp.store.users.count({ states: ['disabled'] }, clock.now());
  hooks.between = () => {
    throw new Error('the thread ended');
  };
  await expect(call('bulkUsers', DISABLE, under('k'))).rejects.toThrow('the thread ended');
  expect(disabled()).toBe(100);
  hooks.between = () => {};
  expect(await refused('bulkUsers', DISABLE, under('k', 'another body'))).toBe('idempotency_mismatch');
  expect(disabled()).toBe(100);

  // A stopping panel ends it after the present part; the next panel continues.
  env.tasks.beginStop();
  expect(await refused('bulkUsers', DISABLE, under('k'))).toBe('unavailable');
  expect(disabled()).toBe(200);
  const { body } = await open(temp, { heavy }).call('bulkUsers', DISABLE, under('k'));
  expect(body).toMatchObject({ matched: ids.length, affected: ids.length });
  expect(body.results).toEqual(ids.map((id) => ({ id, outcome: 'changed' })));
});

it('begins from the start without a key, and 24 hours later', async () => {
  using temp = tempStore();
  const { heavy, env: worker } = heavyOn(temp);
  crowd(temp, 150);
  const { clock } = open(temp, { heavy });
  const disabled = () => temp.store.users.count({ states: ['disabled'] }, clock.now());
  const step = (by: Partial<Call>) => beginHeavy(worker, 'bulkUsers', DISABLE as never, { ...CLI_CALL, ...by })();
  expect(step({})).toBe('unfinished');
  expect(temp.db.prepare('SELECT count(*) AS n FROM idempotency_parts').get()).toEqual({ n: 0 });
  expect(step(under('k'))).toBe('unfinished');
  expect(temp.db.prepare('SELECT count(*) AS n FROM idempotency_parts').get()).toEqual({ n: 1 });
  expect(disabled()).toBe(100);
  temp.db.prepare('UPDATE idempotency_parts SET at = at - ?').run(25 * HOUR);
  // Completed parts are recognized.
  expect(step(under('k'))).toBe('unfinished');
  expect(disabled()).toBe(100);
});

it('passes a refusal of the thread on, with what is wrong and when to come again', async () => {
  using temp = tempStore();
  const { heavy, failures } = heavyOn(temp);
  const { call } = open(temp, { heavy });
  const failure = (input: InputOf<'bulkUsers'>) =>
    Promise.resolve(call('bulkUsers', input)).catch((error: unknown) => error);
  const ids = [...crowd(temp, 120), 999];
  const atomic = await failure({ ...WHOLE, action: 'disable', ids, atomic: true });
  expect(atomic).toBeInstanceOf(PanelError);
  expect(atomic).toMatchObject({ code: 'bulk_failed', errors: [{ pointer: '#/ids/120', code: 'not_found' }] });
  expect(atomic).toMatchObject({ retryAfter: undefined });
  failures.push({ code: 'unavailable', retryAfter: 7 });
  expect(await failure(DISABLE)).toMatchObject({ code: 'unavailable', retryAfter: 7, errors: undefined });
});

it('has the thread refuse what it cannot do, and pass on what is no refusal', () => {
  using temp = tempStore();
  const { env } = heavyOn(temp);
  const begin = (id: HandledId, input: object) => beginHeavy(env, id, input as never, ADMINISTRATOR_CALL);
  expect(() => begin('signIn', {})).toThrow('signIn cannot run on the worker thread');
  expect(() => begin('listUsers', {})).toThrow('listUsers cannot run on the worker thread');
  expect(begin('updateSettings', { time_zone: 'Nowhere/At all' })()).toEqual({
    code: 'validation',
    errors: [expect.objectContaining({ pointer: '#/time_zone' })],
  });
  expect(begin('signOut', {})()).toEqual({ reply: { status: 204, sessionToken: null } });
  const [id] = crowd(temp, 1);
  temp.db.exec('DROP TABLE audit_users');
  expect(() => begin('bulkUsers', { ...WHOLE, action: 'disable', ids: [id] })()).toThrow('audit_users');
});

it('refuses what is new while the disk is full, but repeats replies and does what is essential', async () => {
  using temp = tempStore({ reserve: RESERVE });
  const { store } = temp;
  const { heavy, failures } = heavyOn(temp);
  crowd(temp, 3);
  const { call, create, refused, names, tariff } = open(temp, { heavy });
  const anna = await create('Anna', under('k'));
  const bulk = await call('bulkUsers', DISABLE, under('bulk'));

  // The thread's own connection meets the full disk first.
  expect(store.diskSpace.isFull()).toBe(false);
  failures.push({ code: 'storage_full' });
  expect(await call('bulkUsers', DISABLE, under('bulk'))).toMatchObject({ raw: bulk.raw, replayed: true });
  expect(store.diskSpace.isFull()).toBe(true);

  expect(await refused('createUser', { tariff_id: tariff, name: 'Boris' }, under('new'))).toBe('storage_full');
  expect(await refused('createUser', { tariff_id: tariff, name: 'Boris' })).toBe('storage_full');
  expect(await refused('bulkUsers', DISABLE)).toBe('storage_full');
  expect(await create('Anna', under('k'))).toMatchObject({ raw: anna.raw, replayed: true });
  const other = await refused('createUser', { tariff_id: tariff, name: 'Boris' }, under('k', 'another body'));
  expect(other).toBe('idempotency_mismatch');
  expect(names()).not.toContain('Boris');
  expect((await call('signOut', {})).status).toBe(204);
  expect((await call('listUsers', { limit: 1, offset: 0, sort: 'id' })).body.total).toBe(4);
});
