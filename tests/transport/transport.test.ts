// The same contract for both transports: what the pages rely on, over HTTP and over IPC.
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PanelTransport } from '../../src/bridge/panel-transport.ts';
import { createClient, PanelCallError } from '../../src/contract/client.ts';
import { ADMIN, openHttpFixture, openIpcFixture, type TransportFixture } from './fixtures.ts';

const catchFailure = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (failure: unknown) => failure,
  );

async function until(passes: () => boolean): Promise<void> {
  for (let round = 0; !passes(); round++) {
    if (round > 3000) throw new Error(`did not happen: ${passes}`);
    await pause(10);
  }
}

function startWatch(transport: PanelTransport) {
  const log: string[] = [];
  const end = transport.watch({
    onEvent: ({ type, data }) => log.push(`${type} ${'name' in data ? data.name : ''}`),
    onGap: () => log.push('gap'),
    onLive: (isLive) => log.push(isLive ? 'live' : 'not live'),
    onSignedOut: () => log.push('signed out'),
  });
  return { log, end, has: (...entries: string[]) => until(() => entries.every((entry) => log.includes(entry))) };
}

describe.each([
  ['over HTTP', openHttpFixture],
  ['over IPC', openIpcFixture],
])('a transport %s', (_name, open) => {
  let fixture: TransportFixture;
  let transport: PanelTransport;
  beforeEach(async () => {
    fixture = await open();
    transport = fixture.transport;
  });
  afterEach(() => fixture[Symbol.asyncDispose]());

  const signIn = () => transport.call('signIn', ADMIN);
  const addPlan = (name: string) => fixture.act('createTariff', { name, duration: { months: 1 } });

  describe('carries calls', () => {
    it('and reads who is signed in, before and after', async () => {
      await expect(transport.call('panelState', {})).resolves.toMatchObject({ set_up: true, signed_in: null });
      await expect(signIn()).resolves.toEqual({ name: ADMIN.name });
      await expect(transport.call('panelState', undefined)).resolves.toMatchObject({ signed_in: { name: ADMIN.name } });
      expect(new Set(fixture.reach)).toEqual(new Set(['reached']));
    });

    it('returns undefined if there is no body', async () => {
      await signIn();
      await expect(transport.call('signOut', {})).resolves.toBeUndefined();
      await expect(catchFailure(transport.call('listUsers', {}))).resolves.toMatchObject({ code: 'signed_out' });
    });

    it('leaves out what is undefined', async () => {
      await signIn();
      const { items } = await createClient(transport).listUsers({ q: undefined } as never);
      expect(items).toEqual([]);
    });

    it('returns documents as the operation types them', async () => {
      await signIn();
      await expect(createClient(transport).getOpenApi()).resolves.toMatchObject({ openapi: '3.1.1' });
    });

    it('and tries the API with a key, through the checks of the API', async () => {
      await signIn();
      const { value } = await createClient(transport).createKey({
        name: 'bot',
        access: 'read',
        expires_in_days: null,
        password: ADMIN.password,
      });
      const tried = await createClient(transport).tryApi({ path: '/users', key: value });
      expect([tried.status, JSON.parse(tried.body)]).toMatchObject([200, { items: [] }]);
      const refused = await createClient(transport).tryApi({ path: '/users', key: 'pnl_wrong' });
      expect(refused.status).toBe(401);
    });
  });

  describe('rejects with the problem of the panel', () => {
    it('with the code, the fields and a request id', async () => {
      await signIn();
      const failure = await catchFailure(transport.call('createUser', { name: '', tariff_id: 1 }));
      expect(failure).toBeInstanceOf(PanelCallError);
      const { code, errors, problem } = failure as PanelCallError;
      expect([code, problem.status]).toEqual(['validation', 422]);
      expect(errors).toContainEqual(expect.objectContaining({ pointer: '#/name' }));
      expect(problem.instance).toMatch(/^urn:panel:request:[0-9a-f]{32}$/);
      expect(fixture.reach.at(-1)).toBe('reached');
    });

    it.each([
      ['an operation without a session', 'listUsers', {}, 'signed_out'],
      ['a wrong password', 'signIn', { ...ADMIN, password: 'wrong' }, 'sign_in_failed'],
      ['an administrator that exists', 'setUp', { token: 'here', ...ADMIN }, /already_set_up/],
    ] as const)('%s', async (_what, id, input, code) => {
      const failure = await catchFailure(transport.call(id, input));
      expect((failure as PanelCallError).code).toMatch(code);
    });

    it('without a session it does not reveal which operations exist', async () => {
      await expect(catchFailure(transport.call('noSuchThing' as never, {}))).resolves.toMatchObject({
        code: 'signed_out',
      });
      await signIn();
      await expect(catchFailure(transport.call('noSuchThing' as never, {}))).resolves.toMatchObject({
        code: 'not_found',
      });
    });
  });

  it('passes the entity tag and refuses to overwrite a concurrent change', async () => {
    await signIn();
    const client = createClient(transport);
    const { id } = (await addPlan('Monthly')) as { id: number };
    const user = await client.createUser({ name: 'Anna', tariff_id: id });
    const tags: string[] = [];
    await client.getUser({ id: user.id }, { onEtag: (tag) => tags.push(tag) });
    const [ifMatch = ''] = tags;
    await client.updateUser({ id: user.id, name: 'Anna S.' }, { ifMatch, onEtag: (tag) => tags.push(tag) });
    expect(tags).toHaveLength(2);
    expect(tags[1]).not.toBe(ifMatch);
    await expect(catchFailure(client.updateUser({ id: user.id, name: 'Ann' }, { ifMatch }))).resolves.toMatchObject({
      code: 'precondition_failed',
    });
  });

  it('aborts a call with the reason of its signal', async () => {
    const controller = new AbortController();
    const call = catchFailure(transport.call('panelState', {}, { signal: controller.signal }));
    controller.abort('enough');
    await expect(call).resolves.toBe('enough');
    await expect(catchFailure(transport.call('panelState', {}, { signal: controller.signal }))).resolves.toBe('enough');
    expect(fixture.reach).not.toContain('lost');
  });

  it('reports that the panel is unreachable, and that it is back', async () => {
    fixture.disconnect();
    await expect(catchFailure(transport.call('panelState', {}))).resolves.toMatchObject({ code: 'unavailable' });
    expect(fixture.reach).toEqual(['lost']);
    fixture.reconnect();
    await transport.call('panelState', {});
    expect(fixture.reach).toEqual(['lost', 'reached']);
  });

  describe('watches', () => {
    it('and emits concurrent changes, in order', async () => {
      await signIn();
      const watch = startWatch(transport);
      await watch.has('live');
      for (const name of ['one', 'two', 'three']) await addPlan(name);
      await watch.has('tariff.created three');
      watch.end();
      expect(watch.log).toEqual(['live', ...['one', 'two', 'three'].map((name) => `tariff.created ${name}`)]);
    });

    it('continues after the last event in a later watch', async () => {
      await signIn();
      const first = startWatch(transport);
      await first.has('live');
      await addPlan('seen');
      await first.has('tariff.created seen');
      first.end();
      await addPlan('missed');
      const second = startWatch(transport);
      await second.has('tariff.created missed');
      second.end();
      expect(second.log).toEqual(['live', 'tariff.created missed']);
    });

    it('reconnects by itself after a lost connection, with the missed events', async () => {
      await signIn();
      const watch = startWatch(transport);
      await watch.has('live');
      fixture.disconnect();
      await watch.has('not live');
      await addPlan('meanwhile');
      fixture.reconnect();
      await watch.has('tariff.created meanwhile');
      watch.end();
      expect(watch.log).toEqual(['live', 'not live', 'live', 'tariff.created meanwhile']);
      expect(fixture.reach.at(-1)).toBe('reached');
    });

    it('reports missed events that the panel does not have', async () => {
      await signIn();
      const watch = startWatch(transport);
      await watch.has('live');
      for (const name of ['one', 'two', 'three']) await addPlan(name);
      await watch.has('tariff.created three');
      watch.end();
      await fixture.replacePanel();
      const next = startWatch(transport);
      await next.has('gap');
      await addPlan('after');
      await next.has('tariff.created after');
      next.end();
      expect(next.log).toEqual(['live', 'gap', 'tariff.created after']);
    });

    it('emits nothing after its end', async () => {
      await signIn();
      const ended = startWatch(transport);
      await ended.has('live');
      ended.end();
      const other = startWatch(transport);
      await addPlan('later');
      await other.has('tariff.created later');
      other.end();
      expect(ended.log).toEqual(['live']);
    });

    it('reports that no user is signed in, and ends', async () => {
      const watch = startWatch(transport);
      await watch.has('signed out');
      await signIn();
      await addPlan('after the end');
      const next = startWatch(transport);
      await next.has('live');
      next.end();
      expect(watch.log).toEqual(['not live', 'signed out']);
    });

    it('reports that the session has ended', async () => {
      await signIn();
      const watch = startWatch(transport);
      await watch.has('live');
      await fixture.endSessions();
      await watch.has('signed out');
      // Over HTTP the broken stream is noticed first, then what it means.
      expect([...new Set(watch.log)]).toEqual(['live', 'not live', 'signed out']);
    });
  });
});
