// A bulk in parts: other writes come between, an interruption loses nothing and repeats nothing.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { BulkResult } from '../../src/contract/users/user-acts.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';
import { sampleUser } from '../support/temp-store.ts';

const USERS = 2500;
const DAY = 86_400_000;
const END = Date.parse('2090-01-01T00:00:00Z');

let panel: TestPanel;
/** Runs after the first part of a bulk, before the next one is asked for. */
let between: (() => unknown) | null = null;
/** How often the thread ends instead of continuing. */
let failures = 0;
let crowds = 0;

beforeAll(async () => {
  panel = await startPanel({
    wrapHeavy: (heavy) => ({
      ...heavy,
      async run(...request) {
        const outcome = await heavy.run(...request);
        between?.();
        between = null;
        return outcome;
      },
      async proceed(unfinished) {
        if (failures === 0) return heavy.proceed(unfinished);
        failures -= 1;
        throw new Error('the thread ended');
      },
    }),
  });
});
afterAll(() => panel.stop());
beforeEach(() => {
  between = null;
  failures = 0;
});

function crowd(): { ids: readonly number[]; tag: string } {
  crowds += 1;
  const tag = `crowd-${crowds}`;
  const { store } = panel;
  const ids = store.write(() =>
    Array.from({ length: USERS }, () =>
      store.users.insert(sampleUser({ tags: [tag], tariffId: null, inbounds: null, expiresAt: END, dueAt: END })),
    ),
  );
  return { ids, tag };
}

const send = (body: object, key: string) => panel.full.call('bulkUsers', body as never, { 'idempotency-key': key });
const usersActedOn = (after: number, type: 'user.extended' | 'user.deleted'): number[] =>
  panel.store.events.after(after, 100_000, [type]).map(({ data }) => Number(JSON.parse(data).user_id));

it.each([
  ['by ids', (ids: readonly number[], _tag: string) => ({ ids })],
  ['by a filter', (_ids: readonly number[], tag: string) => ({ filter: { tag } })],
])('%s, interrupted and repeated under its key, it acts on each user once', async (_name, choose) => {
  const { ids, tag } = crowd();
  const body = { action: 'extend', days: 1, ...choose(ids, tag) };
  const { latestId } = panel.store.events;
  const before = latestId();
  failures = 1;
  expect((await send(body, tag)).status).toBe(500);
  const first = usersActedOn(before, 'user.extended').length;
  expect(first).toBeGreaterThan(0);
  expect(first).toBeLessThan(USERS);
  const [noted] = panel.store.audit.page({ limit: 1 });
  expect(JSON.parse(noted?.detail ?? '')).toMatchObject({ affected: first });

  const other = await send({ ...body, days: 2 }, tag);
  expect(other.problem.detail).toBe('idempotency_mismatch');

  const answer = await send(body, tag);
  expect(answer.status, answer.text).toBe(200);
  const result: BulkResult = answer.body;
  expect(result).toMatchObject({ matched: USERS, affected: USERS });
  expect(result.results).toEqual(ids.map((id) => ({ id, outcome: 'changed' })));
  expect(usersActedOn(before, 'user.extended')).toEqual(ids);
  expect(panel.store.users.rows(ids).every(({ expiresAt }) => expiresAt === END + DAY)).toBe(true);
  const [row] = panel.store.audit.page({ limit: 1 });
  expect(row?.id).toBe(noted?.id);
  expect(JSON.parse(row?.detail ?? '')).toMatchObject({ matched: USERS, affected: USERS });

  const replay = await send(body, tag);
  expect(replay.headers['idempotency-replayed']).toBe('true');
  expect(replay.text).toBe(answer.text);
});

it('lets a write that waits come before its next part', async () => {
  const { tag } = crowd();
  let made: Promise<unknown> | null = null;
  between = () => {
    made = panel.act('updateSettings', { panel_title: 'Meanwhile' });
  };
  const before = panel.store.audit.page({ limit: 1 })[0]?.id ?? 0;
  const lastEvent = panel.store.events.latestId();
  const { body } = await send({ action: 'disable', filter: { tag } }, tag);
  expect(body.affected).toBe(USERS);
  await made;
  const types = panel.store.events.after(lastEvent, 100_000, null).map(({ type }) => type);
  expect(types).toHaveLength(USERS + 1);
  expect(types.slice(1, -1)).toContain('settings.changed');
  expect(panel.store.audit.page({ limit: 10 }).filter(({ id }) => id > before)).toHaveLength(2);
});

it('leaves out a user who does not match any more when their part comes', async () => {
  const { ids, tag } = crowd();
  const last = ids.at(-1) ?? 0;
  between = () => void panel.act('updateUser', { id: last, tags: ['paid'] });
  const { body } = await send({ action: 'delete', filter: { tag }, expect_matched: USERS }, tag);
  expect(body).toMatchObject({ matched: USERS - 1, affected: USERS - 1 });
  expect(panel.store.users.get(last)?.tags).toEqual(['paid']);
});

it('atomic is one part, whose dry run estimates how long writes wait', async () => {
  const { tag } = crowd();
  const body = { action: 'disable', filter: { tag }, atomic: true };
  const dry = await send({ ...body, dry_run: true }, `${tag} dry`);
  expect(dry.body.writes_wait_ms).toBeGreaterThan(0);
  let parts = 0;
  between = () => {
    parts = panel.store.users.count({ tag, states: ['disabled'] }, panel.clock.now());
  };
  const done = await send(body, tag);
  expect(done.body).not.toHaveProperty('writes_wait_ms');
  expect(parts).toBe(USERS);
});
