// The filter of users, wherever it is taken: a condition with a value that nobody has matches nobody, and one that a program left empty matches nobody either.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import type { Operation } from '../../src/contract/operation.ts';
import { OPERATIONS, type OperationId } from '../../src/contract/table.ts';
import { type UserFilter, userFilter } from '../../src/contract/users/users.ts';
import { PanelError } from '../../src/core/kernel/panel-error.ts';
import { BOT_TOKEN, type FakeBotApi, openBotApi } from '../support/bot-api.ts';
import { createTestClock } from '../support/clock.ts';
import { PASSWORD, startPanel, type TestPanel } from '../support/panel.ts';

const USERS = 5;
const ABSENT = 999_999;
const PAST = '2020-01-01T00:00:00Z';
const FUTURE = '2090-01-01T00:00:00Z';

let api: FakeBotApi;
let panel: TestPanel;
beforeAll(async () => {
  api = await openBotApi();
  panel = await startPanel({ clock: createTestClock(Date.parse('2026-11-20T10:00:00Z')) });
  const { act } = panel;
  await act('saveBot', { token: BOT_TOKEN, api_root: api.root, allow_private: true, password: PASSWORD });
  const { id: tariffId } = await act('createTariff', { name: 'Month', duration: { months: 1 } });
  for (let number = 1; number <= USERS; number += 1)
    await act('createUser', { name: `User ${number}`, tariff_id: tariffId, telegram_id: 1000 + number, tags: ['all'] });
});
afterAll(async () => {
  await panel.stop();
  await api[Symbol.asyncDispose]();
});

/** For each condition on users a value that nobody has. */
const NOBODY: { readonly [Member in keyof UserFilter]-?: NonNullable<UserFilter[Member]> } = {
  state: 'disabled',
  ids: [ABSENT],
  external_id: 'absent',
  telegram_id: ABSENT,
  metadata: { absent: 'absent' },
  q: 'no such text',
  tariff_id: ABSENT,
  tag: 'absent',
  contact: 'absent',
  online: true,
  connected: true,
  traffic_low: true,
  node_id: ABSENT,
  expires_before: PAST,
  expires_after: FUTURE,
  updated_since: FUTURE,
};

let keys = 0;
const newBroadcast = (start: boolean) => ({
  key: `broadcast-${++keys}`,
  texts: [{ language: 'en' as const, text: 'Hello' }],
  start,
});

/** How many users each operation that takes a filter of users takes with it. */
const MATCHED: { readonly [Id in OperationId]?: (filter: UserFilter & { readonly all?: true }) => Promise<number> } = {
  bulkUsers: async (filter) => {
    const answer = await panel.full.call('bulkUsers', { action: 'delete', filter, dry_run: true });
    if (answer.status !== 200) throw new PanelError(answer.problem.detail);
    return answer.body.matched;
  },
  previewBulk: async (filter) =>
    (await panel.act('previewBulk', { action: 'delete', filter, dry_run: true })).previewed,
  bulkBatch: async (filter) => {
    const batch = String(++keys).padStart(32, '0');
    const { results, left } = await panel.act('bulkBatch', { batch, bulk: { action: 'enable', filter }, after: 0 });
    return results.length + left;
  },
  previewBroadcast: async (filter) => (await panel.act('previewBroadcast', { filter })).matched,
  createBroadcast: async (filter) => (await panel.act('createBroadcast', { ...newBroadcast(true), filter })).total,
  changeBroadcast: async (filter) => {
    const { id } = await panel.act('createBroadcast', { ...newBroadcast(false), filter: { all: true } });
    return (await panel.act('changeBroadcast', { id, act: 'start', filter })).total;
  },
};

const MEMBERS = Object.keys(userFilter.shape).filter((member) => member !== 'all') as (keyof UserFilter)[];

function listInputs(operation: Operation): readonly (z.core.$ZodType | null)[] {
  return operation.door === 'api' ? [operation.params, operation.query, operation.body] : [operation.input];
}

/** Whether the filter of users is part of a schema. */
function hasUserFilter(schema: z.core.$ZodType | null): boolean {
  if (schema === null) return false;
  const { def } = schema._zod;
  if ('innerType' in def) return hasUserFilter(def.innerType as z.core.$ZodType);
  if (!('shape' in def)) return false;
  return def.shape === userFilter.def.shape || Object.values(def.shape as z.core.$ZodShape).some(hasUserFilter);
}

describe('a condition on users', () => {
  it('is taken by the operations that are tried here, each of which otherwise takes everybody', async () => {
    const takers = Object.values<Operation>(OPERATIONS).filter((one) => listInputs(one).some(hasUserFilter));
    expect(Object.keys(MATCHED).sort()).toEqual(takers.map(({ id }) => id).sort());
    for (const [id, matched] of Object.entries(MATCHED)) expect(await matched({ all: true }), id).toBe(USERS);
  });

  it.each(MEMBERS)('%s, with a value that nobody has, matches nobody, alone and beside others', async (member) => {
    expect(NOBODY).toHaveProperty(member);
    const filter = { [member]: NOBODY[member] };
    for (const each of [filter, { tag: 'all', ...filter }]) {
      const { body } = await panel.full.call('listUsers', each);
      expect(body.total).toBe(0);
      expect(body.items).toEqual([]);
      for (const [id, matched] of Object.entries(MATCHED)) expect(await matched(each), id).toBe(0);
    }
  });
});

describe('a variable that a program left empty', () => {
  const EMPTY: readonly unknown[] = ['', [], {}, null, undefined];

  /** 0 also where it is refused. */
  async function matchedBy(count: () => Promise<number>): Promise<number> {
    return count().catch((error: unknown) => {
      expect(error).toMatchObject({ code: 'validation' });
      return 0;
    });
  }

  const filters = EMPTY.flatMap((empty) => [empty, ...MEMBERS.map((member) => ({ [member]: empty })), { all: empty }]);

  it('is refused in every filter, or matches nobody', async () => {
    for (const [id, matched] of Object.entries(MATCHED)) {
      for (const filter of filters) {
        const count = await matchedBy(() => matched(filter as UserFilter));
        expect(count, `${id} with ${JSON.stringify(filter)}`).toBe(0);
      }
    }
  });

  it('is refused in place of ids and of a filter', async () => {
    const targets = [
      {},
      ...EMPTY.flatMap((empty) => [{ ids: empty }, { filter: empty }, { ids: empty, filter: empty }]),
    ];
    for (const target of targets) {
      for (const action of [{ action: 'delete', expect_matched: USERS }, { action: 'disable' }]) {
        const { problem } = await panel.full.call('bulkUsers', { ...action, ...target } as never);
        expect(problem, JSON.stringify(target)).toMatchObject({ status: 422, detail: 'validation' });
      }
    }
    const { body } = await panel.full.call('listUsers', { state: 'active' });
    expect(body.total).toBe(USERS);
  });
});
