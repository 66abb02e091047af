import { describe, expect, expectTypeOf, it } from 'vitest';
import { createClient, hasProblemCode, isProblem, PanelCallError, type Transport, toPanelCallError } from './client.ts';
import { buildProblem } from './errors.ts';
import { OPERATIONS } from './table.ts';
import { type UserWithLink, userExample } from './users/users.ts';

function recording(reply: unknown) {
  const calls: unknown[] = [];
  const transport: Transport = {
    call: async (id, input, options) => {
      calls.push(options === undefined ? [id, input] : [id, input, options]);
      return reply;
    },
  };
  return { calls, client: createClient(transport) };
}

async function catchFailure(reason: unknown): Promise<unknown> {
  const client = createClient({ call: () => Promise.reject(reason) });
  return client.getUser({ id: 7 }).catch((error: unknown) => error);
}

describe('the client', () => {
  it('has a method for each operation of both doors and nothing else', () => {
    const { client } = recording(undefined);
    expect(Object.keys(client)).toEqual(Object.keys(OPERATIONS));
    for (const [name, operation] of Object.entries(OPERATIONS)) expect(operation.id).toBe(name);
  });

  it('carries the flat input and gives the reply', async () => {
    const { client, calls } = recording(userExample);
    const user = await client.extendUser({ id: 7, months: 1 });
    expectTypeOf(user).toEqualTypeOf<UserWithLink>();
    expect(user).toBe(userExample);
    await client.getOverview();
    await client.listUsers();
    expect(calls).toEqual([
      ['extendUser', { id: 7, months: 1 }],
      ['getOverview', {}],
      ['listUsers', {}],
    ]);
  });

  it('carries the condition of a call', async () => {
    const { client, calls } = recording(userExample);
    await client.updateUser({ id: 7, note: 'x' }, { ifMatch: '"7-1"' });
    expect(calls).toEqual([['updateUser', { id: 7, note: 'x' }, { ifMatch: '"7-1"' }]]);
  });

  it('tells a call that was given up from one that failed', async () => {
    const controller = new AbortController();
    const client = createClient({ call: (_id, _input, options) => Promise.reject(options?.signal?.reason) });
    controller.abort('enough');
    await expect(client.listUsers({}, { signal: controller.signal })).rejects.toBe('enough');
  });

  it('takes what the operation takes, before defaults', () => {
    const { client } = recording(undefined);
    expectTypeOf(client.getUser).parameter(0).toEqualTypeOf<{ id: number }>();
    expectTypeOf(client.getUserTraffic)
      .parameter(0)
      .toExtend<{ id: number; range?: '24h' | '7d' | '30d' | undefined }>();
    expectTypeOf(client.deleteUser).returns.resolves.toEqualTypeOf<undefined>();
    expectTypeOf(client.createKey).parameter(0).toHaveProperty('password');
  });

  it('rejects with the problem that the panel answered with', async () => {
    const problem = buildProblem('validation', 'r1', [
      { parameter: 'limit', code: 'too_big', message: 'must be at most 500' },
    ]);
    for (const reason of [problem, new PanelCallError(problem)]) {
      const failure = await catchFailure(reason);
      expect(failure).toBeInstanceOf(PanelCallError);
      expect(failure).toMatchObject({ code: 'validation', problem, errors: problem.errors });
      expect(hasProblemCode(failure, 'validation')).toBe(true);
      expect(hasProblemCode(failure, 'not_found')).toBe(false);
    }
  });

  it('says when to try again', () => {
    const problem = buildProblem('rate_limited', 'r1');
    expect(new PanelCallError(problem, { retryAfter: 5 }).retryAfter).toBe(5);
    expect(new PanelCallError(problem).retryAfter).toBeNull();
  });

  it('says that the panel was not reached where there is no problem', async () => {
    const cause = new TypeError('fetch failed');
    const failure = await catchFailure(cause);
    expect(failure).toMatchObject({ code: 'unavailable', cause, errors: [] });
  });
});

describe('isProblem', () => {
  it('tells problem documents from other values', () => {
    expect(isProblem(buildProblem('not_found', 'r1'))).toBe(true);
    expect(isProblem({ ...buildProblem('not_found', 'r1'), detail: 'a_later_code' })).toBe(true);
    expect(isProblem({ title: 'x', status: 404 })).toBe(false);
    expect(isProblem(null)).toBe(false);
    expect(isProblem('not_found')).toBe(false);
  });

  it('keeps an error as it is', () => {
    const error = new PanelCallError(buildProblem('not_found', 'r1'));
    expect(toPanelCallError(error)).toBe(error);
    expect(error.message).toBe('not_found: There is no such resource');
  });
});
