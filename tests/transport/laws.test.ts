// One law for both transports: what the pages build on holds over HTTP and over IPC alike.
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PanelTransport } from '../../src/bridge/panel-transport.ts';
import { createClient, PanelCallError } from '../../src/contract/client.ts';
import { ADMIN, type OpenTransport, openHttpTransport, openIpcTransport } from './transports.ts';

const failureOf = (call: Promise<unknown>) =>
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

function listening(transport: PanelTransport) {
  const log: string[] = [];
  const end = transport.watch({
    onEvent: ({ type, data }) => log.push(`${type} ${data.name}`),
    onGap: () => log.push('gap'),
    onLive: (isLive) => log.push(isLive ? 'live' : 'not live'),
    onSignedOut: () => log.push('signed out'),
  });
  return { log, end, has: (...entries: string[]) => until(() => entries.every((entry) => log.includes(entry))) };
}

describe.each([
  ['over HTTP', openHttpTransport],
  ['over IPC', openIpcTransport],
])('a transport %s', (_name, open) => {
  let opened: OpenTransport;
  let transport: PanelTransport;
  beforeEach(async () => {
    opened = await open();
    transport = opened.transport;
  });
  afterEach(() => opened[Symbol.asyncDispose]());

  const signIn = () => transport.call('signIn', ADMIN);
  const addPlan = (name: string) => opened.act('createTariff', { name, duration: { months: 1 } });

  describe('carries calls', () => {
    it('and tells who is signed in, before and after', async () => {
      await expect(transport.call('panelState', {})).resolves.toMatchObject({ set_up: true, signed_in: null });
      await expect(signIn()).resolves.toEqual({ name: ADMIN.name });
      await expect(transport.call('panelState', undefined)).resolves.toMatchObject({ signed_in: { name: ADMIN.name } });
      expect(new Set(opened.reach)).toEqual(new Set(['reached']));
    });

    it('gives undefined where there is no body', async () => {
      await signIn();
      await expect(transport.call('signOut', {})).resolves.toBeUndefined();
      await expect(failureOf(transport.call('listUsers', {}))).resolves.toMatchObject({ code: 'signed_out' });
    });

    it('leaves out what is undefined', async () => {
      await signIn();
      const { items } = await createClient(transport).listUsers({ q: undefined } as never);
      expect(items).toEqual([]);
    });

    it('gives documents as the operation types them', async () => {
      await signIn();
      await expect(createClient(transport).getOpenApi()).resolves.toMatchObject({ openapi: '3.1.1' });
    });

    it('and tries the API with a key, through the very checks of the API', async () => {
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

  describe('fails as the panel says', () => {
    it('with the code, the fields and a request id', async () => {
      await signIn();
      const failure = await failureOf(transport.call('createUser', { name: '', tariff_id: 1 }));
      expect(failure).toBeInstanceOf(PanelCallError);
      const { code, errors, problem } = failure as PanelCallError;
      expect([code, problem.status]).toEqual(['validation', 422]);
      expect(errors).toContainEqual(expect.objectContaining({ pointer: '#/name' }));
      expect(problem.instance).toMatch(/^urn:panel:request:[0-9a-f]{32}$/);
      expect(opened.reach.at(-1)).toBe('reached');
    });

    it.each([
      ['an operation without a session', 'listUsers', {}, 'signed_out'],
      ['a wrong password', 'signIn', { ...ADMIN, password: 'wrong' }, 'sign_in_failed'],
      ['an administrator that exists', 'setUp', { token: 'here', ...ADMIN }, /already_set_up/],
    ] as const)('%s', async (_what, id, input, code) => {
      const failure = await failureOf(transport.call(id, input));
      expect((failure as PanelCallError).code).toMatch(code);
    });

    it('without a session it does not tell which operations there are', async () => {
      await expect(failureOf(transport.call('noSuchThing' as never, {}))).resolves.toMatchObject({
        code: 'signed_out',
      });
      await signIn();
      await expect(failureOf(transport.call('noSuchThing' as never, {}))).resolves.toMatchObject({ code: 'not_found' });
    });
  });

  it('tells the entity tag and refuses to overwrite what another hand has changed', async () => {
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
    await expect(failureOf(client.updateUser({ id: user.id, name: 'Ann' }, { ifMatch }))).resolves.toMatchObject({
      code: 'precondition_failed',
    });
  });

  it('gives a call up with the reason it was given', async () => {
    const controller = new AbortController();
    const call = failureOf(transport.call('panelState', {}, { signal: controller.signal }));
    controller.abort('enough');
    await expect(call).resolves.toBe('enough');
    await expect(failureOf(transport.call('panelState', {}, { signal: controller.signal }))).resolves.toBe('enough');
    expect(opened.reach).not.toContain('lost');
  });

  it('says that the panel is out of reach, and that it is back', async () => {
    opened.lose();
    await expect(failureOf(transport.call('panelState', {}))).resolves.toMatchObject({ code: 'unavailable' });
    expect(opened.reach).toEqual(['lost']);
    opened.restore();
    await transport.call('panelState', {});
    expect(opened.reach).toEqual(['lost', 'reached']);
  });

  describe('watches', () => {
    it('and tells what another hand does, in order', async () => {
      await signIn();
      const heard = listening(transport);
      await heard.has('live');
      for (const name of ['one', 'two', 'three']) await addPlan(name);
      await heard.has('tariff.created three');
      heard.end();
      expect(heard.log).toEqual(['live', ...['one', 'two', 'three'].map((name) => `tariff.created ${name}`)]);
    });

    it('goes on after the last event in a later watch', async () => {
      await signIn();
      const first = listening(transport);
      await first.has('live');
      await addPlan('seen');
      await first.has('tariff.created seen');
      first.end();
      await addPlan('missed');
      const second = listening(transport);
      await second.has('tariff.created missed');
      second.end();
      expect(second.log).toEqual(['live', 'tariff.created missed']);
    });

    it('comes back by itself after a break, with what was missed', async () => {
      await signIn();
      const heard = listening(transport);
      await heard.has('live');
      opened.lose();
      await heard.has('not live');
      await addPlan('meanwhile');
      opened.restore();
      await heard.has('tariff.created meanwhile');
      heard.end();
      expect(heard.log).toEqual(['live', 'not live', 'live', 'tariff.created meanwhile']);
      expect(opened.reach.at(-1)).toBe('reached');
    });

    it('says that events were missed which the panel does not have', async () => {
      await signIn();
      const heard = listening(transport);
      await heard.has('live');
      for (const name of ['one', 'two', 'three']) await addPlan(name);
      await heard.has('tariff.created three');
      heard.end();
      await opened.renew();
      const anew = listening(transport);
      await anew.has('gap');
      await addPlan('after');
      await anew.has('tariff.created after');
      anew.end();
      expect(anew.log).toEqual(['live', 'gap', 'tariff.created after']);
    });

    it('says nothing any more once it is ended', async () => {
      await signIn();
      const ended = listening(transport);
      await ended.has('live');
      ended.end();
      const other = listening(transport);
      await addPlan('later');
      await other.has('tariff.created later');
      other.end();
      expect(ended.log).toEqual(['live']);
    });

    it('says that nobody is signed in, and is over', async () => {
      const heard = listening(transport);
      await heard.has('signed out');
      await signIn();
      await addPlan('unheard');
      const anew = listening(transport);
      await anew.has('live');
      anew.end();
      expect(heard.log).toEqual(['not live', 'signed out']);
    });

    it('says that the session has ended meanwhile', async () => {
      await signIn();
      const heard = listening(transport);
      await heard.has('live');
      await opened.endSessions();
      await heard.has('signed out');
      // Over HTTP the broken stream is noticed first, then what it means.
      expect([...new Set(heard.log)]).toEqual(['live', 'not live', 'signed out']);
    });
  });
});
