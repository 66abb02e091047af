// Plans over the wire: what may be written, what a patch leaves, and what holds them.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallOf } from '../../src/contract/operation.ts';
import { type createTariff, tariffCreate } from '../../src/contract/tariffs.ts';
import { type Fixtures, fill } from '../support/fixtures.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';

let panel: TestPanel;
let fixtures: Fixtures;
beforeAll(async () => {
  panel = await startPanel();
  fixtures = await fill(panel);
});
afterAll(() => panel.stop());

const missing = 4_000_000;

/** MergePatch of RFC 7396 section 2, as it stands there. */
function mergeByRfc(target: unknown, patch: unknown): Record<string, unknown> {
  const merged: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(isObject(patch) ? patch : {})) {
    if (value === null) delete merged[name];
    else merged[name] = isObject(value) ? mergeByRfc(merged[name], value) : value;
  }
  return merged;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

describe('plans', () => {
  it('are made with what is said and defaults for the rest, and read as they were answered', async () => {
    const answer = await panel.full.call('createTariff', { name: 'Plain' });
    const { id, created_at, updated_at, ...rest } = answer.body;
    expect(rest).toEqual({
      name: 'Plain',
      traffic_limit: null,
      duration: null,
      device_limit: null,
      concurrent_limit: null,
      reset_strategy: 'none',
      starts: 'on_creation',
      inbounds: null,
      price: null,
      archived: false,
      users: 0,
    });
    expect(created_at).toBe(updated_at);
    expect(answer.headers.location).toBe(`/${panel.secretPath}/api/v1/tariffs/${id}`);
    const read = await panel.read.call('getTariff', { id });
    expect(read.body).toEqual(answer.body);
    expect(read.headers.etag).toMatch(/^"[\w-]+"$/);
    const said = {
      name: 'All',
      traffic_limit: 2 ** 50,
      duration: { days: 3650 },
      device_limit: 100,
      concurrent_limit: 100,
      reset_strategy: 'week',
      starts: 'on_first_use',
      inbounds: [...fixtures.inboundIds],
      price: { amount: 0, currency: 'RUB' },
      archived: true,
    } satisfies CallOf<typeof createTariff>;
    expect((await panel.full.call('createTariff', said)).body).toMatchObject(said);
  });

  it('are changed by merge patch, also inside members that are objects', async () => {
    const { id } = await panel.act('createTariff', {
      name: 'P',
      duration: { months: 1 },
      price: { amount: 5, currency: 'EUR' },
    });
    const etag = String((await panel.read.call('getTariff', { id })).headers.etag);
    const patched = await panel.full.call(
      'updateTariff',
      { id, duration: { days: 7, months: null }, price: { amount: 6 } },
      { 'if-match': etag },
    );
    expect(patched.body).toMatchObject({ duration: { days: 7 }, price: { amount: 6, currency: 'EUR' }, name: 'P' });
    expect(patched.headers.etag).not.toBe(etag);
    const stale = await panel.full.call('updateTariff', { id, name: 'Q' }, { 'if-match': etag });
    expect(stale.problem.detail).toBe('precondition_failed');
    for (const [body, pointer] of [
      [{ duration: { days: 1, months: 1 } }, '#/duration'],
      [{ duration: { months: 1 } }, '#/duration'],
      [{ duration: { days: null } }, '#/duration'],
      [{ price: { amount: null } }, '#/price/amount'],
      [{ users: 3 }, '#/users'],
      [{ name: null }, '#/name'],
    ] as const) {
      const { problem } = await panel.full.call('updateTariff', { id, ...body } as never);
      expect([problem.detail, problem.errors?.map((error) => error.pointer)]).toEqual(['validation', [pointer]]);
    }
    const both = await panel.full.call('updateTariff', { id, duration: { months: 1 }, price: { currency: null } });
    expect(both.problem.errors).toEqual([
      { pointer: '#/duration', code: 'invalid', message: expect.stringContaining('exactly one of days and months') },
      { pointer: '#/price/currency', code: 'required', message: 'is required' },
    ]);
    expect((await panel.full.call('updateTariff', { id, duration: {}, price: {} })).body.updated_at).toBe(
      patched.body.updated_at,
    );
  });

  it('that wait for the first connection have a term to begin then', async () => {
    const waiting = { name: 'Waiting', starts: 'on_first_use' } as const;
    const without = { detail: 'validation', errors: [{ pointer: '#/duration', code: 'inconsistent' }] };
    expect((await panel.full.call('createTariff', waiting)).problem).toMatchObject(without);
    const { id } = (await panel.full.call('createTariff', { ...waiting, duration: { days: 3 } })).body;
    expect((await panel.full.call('updateTariff', { id, duration: null })).problem).toMatchObject(without);
    const endless = await panel.full.call('updateTariff', { id, duration: null, starts: 'on_creation' });
    expect(endless.body).toMatchObject({ duration: null, starts: 'on_creation' });
    expect((await panel.full.call('updateTariff', { id, starts: 'on_first_use' })).problem).toMatchObject(without);
  });

  it('are after a patch what RFC 7396 makes of them, or are refused and stay', async () => {
    const small = fc.integer({ min: 1, max: 3 });
    const unit = fc.constantFrom('days', 'months');
    const length = fc.option(fc.tuple(unit, small).map(([name, value]) => ({ [name]: value })));
    const cost = fc.option(fc.record({ amount: small, currency: fc.constantFrom('EUR', 'RUB') }));
    const partly = (members: Record<string, fc.Arbitrary<unknown>>) =>
      fc.option(fc.record(members, { requiredKeys: [] }));
    const patch = fc.record(
      {
        duration: partly({ days: fc.option(small), months: fc.option(small) }),
        price: partly({ amount: fc.option(small), currency: fc.option(fc.constantFrom('EUR', 'USD')) }),
      },
      { requiredKeys: [] },
    );
    let accepted = 0;
    const start = fc.record({ duration: length, price: cost });
    await fc.assert(
      fc.asyncProperty(start, patch, async (fields, change) => {
        const { id } = await panel.act('createTariff', { name: 'P', ...fields } as never);
        const wanted = { name: 'P', ...mergeByRfc(fields, change) };
        const isValid = tariffCreate.safeParse(wanted).success;
        const answer = await panel.full.call('updateTariff', { id, ...change } as never);
        expect(answer.status, answer.text).toBe(isValid ? 200 : 422);
        const { duration = null, price = null }: Record<string, unknown> = isValid ? wanted : fields;
        expect((await panel.read.call('getTariff', { id })).body).toMatchObject({ duration, price });
        accepted += Number(isValid);
      }),
      { numRuns: 150 },
    );
    expect(accepted).toBeGreaterThan(10);
  });

  it('in use stay, also for the users of an archived one; without users they go', async () => {
    const { id } = await panel.act('createTariff', { name: 'Used' });
    const user = await panel.act('createUser', { name: 'A', tariff_id: id });
    expect((await panel.read.call('getTariff', { id })).body.users).toBe(1);
    expect((await panel.full.call('deleteTariff', { id })).problem).toMatchObject({
      status: 409,
      detail: 'tariff_in_use',
      in_use: { users: { total: 1, first: [{ id: user.id, name: 'A' }] } },
    });
    for (let count = 0; count < 11; count++) await panel.act('createUser', { name: 'B', tariff_id: id });
    const { in_use } = (await panel.full.call('deleteTariff', { id })).problem;
    expect([in_use?.users?.total, in_use?.users?.first.length, in_use?.tariffs]).toEqual([12, 10, undefined]);
    await panel.act('bulkUsers', { action: 'delete', filter: { tariff_id: id, q: 'B' }, expect_matched: 11 });
    await panel.full.call('updateTariff', { id, archived: true });
    expect((await panel.full.call('deleteTariff', { id })).problem.detail).toBe('tariff_in_use');
    await panel.full.call('updateUser', { id: user.id, tariff_id: null });
    expect((await panel.full.call('deleteTariff', { id })).status).toBe(204);
    expect((await panel.read.call('getTariff', { id })).status).toBe(404);
    expect((await panel.full.call('createUser', { name: 'A', tariff_id: id })).problem.detail).toBe('tariff_not_found');
  });

  it('changed do not change their users', async () => {
    const { id } = await panel.act('createTariff', { name: 'T', traffic_limit: 10, device_limit: 1 });
    const user = await panel.act('createUser', { name: 'A', tariff_id: id });
    await panel.full.call('updateTariff', { id, traffic_limit: 20, device_limit: 2, name: 'Other' });
    expect((await panel.full.call('getUser', { id: user.id })).body).toEqual(user);
  });

  it('are listed by id, archived or not as asked', async () => {
    const all = (await panel.read.call('listTariffs', { limit: 500 })).body;
    expect(all.items.map(({ id }) => id)).toEqual(all.items.map(({ id }) => id).toSorted((a, b) => a - b));
    expect(all.total).toBe(all.items.length);
    for (const archived of [true, false]) {
      const some = (await panel.read.call('listTariffs', { archived, limit: 500 })).body;
      expect(some.items).toEqual(all.items.filter((tariff) => tariff.archived === archived));
      expect(some.total).toBe(some.items.length);
    }
    const page = await panel.read.call('listTariffs', { limit: 2, offset: 1 });
    expect(page.body.items).toEqual(all.items.slice(1, 3));
    expect(page.headers.link).toContain('rel="next"');
  });

  it('name connections that exist', async () => {
    const answer = await panel.full.call('createTariff', {
      name: 'X',
      inbounds: [missing, fixtures.inboundIds[0] ?? 0, missing + 1],
    });
    expect(answer.problem).toMatchObject({ status: 422, detail: 'inbound_not_found' });
    expect(answer.problem.errors?.map(({ pointer }) => pointer)).toEqual(['#/inbounds/0', '#/inbounds/2']);
  });
});
