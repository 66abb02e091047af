// The feed of events: written with its effect, in order, read page by page without a gap, told live, and gone when it is old.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVENT_TYPES, type Event } from '../../src/contract/event-types.ts';
import { OPERATIONS } from '../../src/contract/table.ts';
import { createTestClock } from '../support/clock.ts';
import { type Fixtures, fill, listSecrets } from '../support/fixtures.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';

const clock = createTestClock(Date.parse('2026-11-20T10:00:00Z'));
let panel: TestPanel;
let fixtures: Fixtures;
beforeAll(async () => {
  panel = await startPanel({ clock });
  fixtures = await fill(panel);
});
afterAll(() => panel.stop());

const page = async (query: object) => (await panel.read.call('listEvents', query)).body;
async function since(after: number): Promise<Event[]> {
  const all: Event[] = [];
  for (let next = after; ; ) {
    const { items, next_after } = await page({ after: next, limit: 7 });
    all.push(...items);
    expect(next_after).toBeGreaterThanOrEqual(items.at(-1)?.id ?? next);
    if (items.length === 0) return all;
    next = next_after;
  }
}

/** The user or plan that an event is about. */
function getSubjectId(data: Event['data']): unknown {
  return 'user_id' in data ? data.user_id : 'tariff_id' in data && data.tariff_id;
}

describe('who and what', () => {
  const latest = async () => (await page({ limit: 500, after: panel.store.events.latestId() })).next_after;
  const told = async (after: number) => (await since(after)).map(({ type, changed }) => [type, ...changed] as const);

  it('an event has the key and the request that caused it', async () => {
    const start = await latest();
    const { key, value } = await panel.makeKey('full');
    const reply = await panel.full.as(value).call('createUser', { name: 'Who', tariff_id: fixtures.tariffs.monthly });
    const { id } = await panel.act('updateUser', { id: reply.body.id, contact: '@who' });
    const [created, changed] = await since(start);
    expect(created).toMatchObject({
      type: 'user.created',
      actor: { kind: 'key', key_id: key.id },
      request_id: reply.headers['x-request-id'],
      changed: [],
      data: { user_id: id, contact: '', external_id: null, state: 'active' },
    });
    expect(changed).toMatchObject({
      type: 'user.changed',
      actor: { kind: 'administrator', key_id: null },
      request_id: 'test',
      changed: ['contact'],
      data: { contact: '@who', tariff_id: fixtures.tariffs.monthly },
    });
  });

  it('traffic is of the system, in the middle of other requests too', async () => {
    const { id } = await panel.act('createUser', { name: 'Moved', tariff_id: fixtures.tariffs.monthly });
    const start = await latest();
    const moved = { up: 0, down: 2 ** 40 };
    panel.move({ nodeId: fixtures.nodeId, total: moved, users: [{ userId: id, ...moved }], inbounds: [] });
    const events = await since(start);
    expect(events.map(({ type }) => type)).toEqual(['user.first_connected', 'user.limited']);
    for (const { actor, request_id, changed } of events) {
      expect({ actor, request_id, changed }).toEqual({
        actor: { kind: 'system', key_id: null },
        request_id: null,
        changed: [],
      });
    }
  });

  it('traffic after the cut is on the user until the next one, and announced once', async () => {
    const { id } = await panel.act('createUser', { name: 'Cut off', tariff_id: fixtures.tariffs.monthly });
    const read = async () => (await panel.full.call('getUser', { id })).body;
    const move = (down: number) => {
      const moved = { up: 1, down };
      panel.move({ nodeId: fixtures.nodeId, total: moved, users: [{ userId: id, ...moved }], inbounds: [] });
    };
    move(2 ** 40);
    expect(await read()).toMatchObject({ state: 'limited', after_cut_up: 0, after_cut_down: 0 });
    const start = await latest();
    move(500);
    move(40);
    expect(await read()).toMatchObject({ after_cut_up: 2, after_cut_down: 540 });
    expect(await since(start)).toMatchObject([
      { type: 'user.moved_after_cut', data: { user_id: id, node_id: fixtures.nodeId, up: 1, down: 500 } },
    ]);
    await panel.act('resetUserTraffic', { id });
    expect(await read()).toMatchObject({ state: 'active', after_cut_up: 0, after_cut_down: 0 });
  });

  it('`user.traffic_low` comes at 80 % of the limit, once in a period, and again after a grant', async () => {
    const { id } = await panel.act('createUser', {
      name: 'Low',
      tariff_id: fixtures.tariffs.free,
      traffic_limit: 1000,
      reset_strategy: 'month',
    });
    const start = await latest();
    const move = (bytes: number) => {
      const moved = { up: 0, down: bytes };
      panel.move({ nodeId: fixtures.nodeId, total: moved, users: [{ userId: id, ...moved }], inbounds: [] });
    };
    const low = async () => (await told(start)).filter(([type]) => type === 'user.traffic_low').length;
    move(799);
    expect(await low()).toBe(0);
    move(1);
    expect(await low()).toBe(1);
    move(100);
    expect(await low(), 'once').toBe(1);
    await panel.full.call('createGrant', { id, bytes: 500, lifetime: 'used' });
    move(399);
    expect(await low(), 'a grant has taken the user back below').toBe(1);
    move(1);
    expect(await low()).toBe(2);
    await panel.full.call('resetUserTraffic', { id });
    move(1500);
    expect((await told(start)).at(-1), 'used up at one stroke').toEqual(['user.limited']);
    expect(await low()).toBe(2);
  });

  it('what time did is of the system, also where a request is the first to find it', async () => {
    const { full } = panel;
    const end = new Date(clock.now() + 3_600_000).toISOString();
    const tariff_id = fixtures.tariffs.free;
    const { id } = await panel.act('createUser', { name: 'Late', tariff_id, expires_at: end });
    const gone = await panel.act('createUser', { name: 'Gone', tariff_id, expires_at: end });
    const start = await latest();
    clock.advance(2 * 3_600_000);
    await full.call('updateUser', { id, note: 'x' });
    await full.call('deleteUser', { id: gone.id });
    const events = (await since(start)).filter(({ data }) => [id, gone.id].includes(Number(getSubjectId(data))));
    expect(events.map(({ type, at, actor: { kind }, changed }) => ({ type, at, kind, changed }))).toEqual([
      { type: 'user.expired', at: end, kind: 'system', changed: [] },
      { type: 'user.changed', at: new Date(clock.now()).toISOString(), kind: 'key', changed: ['note'] },
      { type: 'user.expired', at: end, kind: 'system', changed: [] },
      { type: 'user.deleted', at: new Date(clock.now()).toISOString(), kind: 'key', changed: [] },
    ]);
    clock.advance(-2 * 3_600_000);
  });

  it('`changed` names the fields of the record, sorted', async () => {
    const { full } = panel;
    const { id } = await panel.act('createUser', {
      name: 'Fields',
      tariff_id: fixtures.tariffs.monthly,
      tags: ['a'],
      traffic_limit: 1000,
    });
    const start = await latest();
    await full.call('updateUser', { id, tags: ['b'], contact: '@f', name: 'Fields' });
    await full.call('updateUser', { id, tags: ['b'] });
    await full.call('updateUser', { id, enabled: false });
    await full.call('updateUser', { id, enabled: true });
    await full.call('extendUser', { id, days: 1 });
    const grant = (await full.call('createGrant', { id, bytes: 5, lifetime: 'used' })).body;
    await full.call('deleteGrant', { id, grant_id: grant.id });
    await full.call('reissueUser', { id });
    await full.call('bulkUsers', { action: 'disable', ids: [id] });
    const tariff = await panel.act('createTariff', { name: 'Fields' });
    await full.call('updateTariff', { id: tariff.id, name: 'Fields', device_limit: 2, traffic_limit: 5 });
    await panel.act('updateNode', { id: fixtures.nodeId, name: 'Berlin' });
    const [inboundId = 0] = fixtures.inboundIds;
    await full.call('updateInbound', { id: inboundId, port: 41999, private_key: null });
    await panel.act('updateSettings', { announcement: 'x', time_zone: 'Europe/Berlin', rate_limit: 7 });
    expect(await told(start)).toEqual([
      ['user.changed', 'contact', 'tags'],
      ['user.changed', 'enabled', 'state'],
      ['user.disabled', 'enabled', 'state'],
      ['user.changed', 'enabled', 'state'],
      ['user.enabled', 'enabled', 'state'],
      ['user.activated'],
      ['user.extended', 'expires_at'],
      ['user.granted', 'traffic_extra', 'traffic_remaining'],
      ['user.changed', 'traffic_extra', 'traffic_remaining'],
      ['user.reissued', 'sub_url'],
      ['user.disabled', 'enabled', 'state'],
      ['tariff.created'],
      ['tariff.changed', 'device_limit', 'traffic_limit'],
      ['node.changed', 'name'],
      ['inbound.changed', 'port', 'private_key'],
      ['settings.changed', 'announcement', 'rate_limit'],
    ]);
  });

  it('every event that is written is as its schema has it', async () => {
    const page = OPERATIONS.listEvents.output;
    for (const item of await since(0)) {
      expect(page.parse({ items: [item], next_after: 0 }).items, 'no member that no schema names').toEqual([item]);
    }
  });
});

describe('the feed', () => {
  it('tells every act in its order, with ids and figures and nothing secret', async () => {
    const { next_after: start } = await page({ limit: 500 });
    const { full } = panel;
    const { id } = (
      await full.call('createUser', { name: 'Feed', tariff_id: fixtures.tariffs.monthly, contact: '@feed' })
    ).body;
    await full.call('updateUser', { id, note: 'x' });
    await full.call('extendUser', { id, months: 1 });
    await full.call('resetUserTraffic', { id });
    await full.call('reissueUser', { id });
    const grant = (await full.call('createGrant', { id, bytes: 5, lifetime: 'used' })).body;
    await full.call('bulkUsers', { action: 'disable', ids: [id] });
    await full.call('deleteUser', { id });
    const tariff = (await full.call('createTariff', { name: 'Feed' })).body;
    await full.call('updateTariff', { id: tariff.id, name: 'Fed' });
    await full.call('deleteTariff', { id: tariff.id });
    const told = await since(start);
    expect(told.map(({ type, data }) => [type, getSubjectId(data)])).toEqual([
      ...[
        'user.created',
        'user.changed',
        'user.extended',
        'user.reset',
        'user.reissued',
        'user.granted',
        'user.disabled',
      ].map((type) => [type, id]),
      ['user.deleted', id],
      ['tariff.created', tariff.id],
      ['tariff.changed', tariff.id],
      ['tariff.deleted', tariff.id],
    ]);
    expect(told.map((event) => event.id)).toEqual(told.map((event) => event.id).toSorted((a, b) => a - b));
    expect(told[2]?.data).toMatchObject({
      user_id: id,
      state: 'active',
      months: 1,
      expires_at: '2027-01-20T10:00:00.000Z',
    });
    expect(told[5]?.data).toMatchObject({ grant_id: grant.id, bytes: 5 });
    expect(told[7]?.data).toMatchObject({ name: 'Feed', contact: '@feed', tariff_id: fixtures.tariffs.monthly });
    for (const event of await since(0)) {
      expect(EVENT_TYPES).toContain(event.type);
      const text = JSON.stringify(event);
      for (const secret of listSecrets(panel, fixtures)) expect(text).not.toContain(secret);
    }
    expect((await panel.full.call('listEvents', { after: start })).body.items, 'the same for any key').toEqual(told);
  });

  it('a refused or undone act leaves no event', async () => {
    const before = panel.store.events.latestId();
    await panel.full.call('createUser', { name: 'x', tariff_id: 4_000_000 });
    await panel.full.call('updateUser', { id: fixtures.users.active.id, note: 'x' }, { 'if-match': '"0-0"' });
    const ids = [fixtures.users.active.id, 4_000_000];
    await panel.full.call('bulkUsers', { action: 'reset', ids, atomic: true });
    expect(panel.store.events.latestId()).toBe(before);
  });

  it('one type alone is read without losing the place', async () => {
    const start = panel.store.events.latestId();
    for (let count = 0; count < 5; count++) {
      await panel.act('createUser', { name: `t${count}`, tariff_id: fixtures.tariffs.free });
      await panel.act('createTariff', { name: `t${count}` });
    }
    const first = await page({ after: start, type: 'user.created', limit: 2 });
    expect(first.items).toHaveLength(2);
    const rest = await page({ after: first.next_after, type: 'user.created', limit: 100 });
    expect(rest.items).toHaveLength(3);
    expect(rest.next_after).toBe(panel.store.events.latestId());
    expect(await page({ after: rest.next_after })).toEqual({ items: [], next_after: rest.next_after });
  });

  it('readers that ask while writers write get every event once, in order', async () => {
    const start = panel.store.events.latestId();
    const writers = Array.from({ length: 10 }, async (_, writer) => {
      for (let count = 0; count < 20; count++) {
        await panel.full.call('createUser', { name: `w${writer}`, tariff_id: fixtures.tariffs.free });
      }
    });
    let isDone = false;
    const writing = Promise.all(writers).then(() => {
      isDone = true;
    });
    const seen: number[] = [];
    for (let after = start, isLast = false; !isLast; ) {
      isLast = isDone;
      const { items, next_after } = await page({ after, limit: 13 });
      seen.push(...items.map(({ id }) => id));
      if (items.length > 0) isLast = false;
      after = next_after;
    }
    await writing;
    expect(seen).toHaveLength(200);
    expect(seen).toEqual(panel.store.events.after(start, 1000, null).map(({ id }) => id));
  });

  it('subscribers hear of each after its commit, in order', async () => {
    const start = panel.store.events.latestId();
    const heard: number[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = panel.core.subscribe(({ id }) => {
      heard.push(id);
      if (heard.length === 30) resolve();
    });
    await Promise.all(
      Array.from({ length: 30 }, () =>
        panel.full.call('createUser', { name: 'live', tariff_id: fixtures.tariffs.free }),
      ),
    );
    await promise;
    stop();
    expect(heard).toEqual(panel.store.events.after(start, 100, null).map(({ id }) => id));
  });

  it('what is kept no longer is answered 410, and reading on goes from the oldest kept', async () => {
    const all = await since(0);
    clock.advance(31 * 86_400_000);
    const { id } = await panel.act('createUser', { name: 'new', tariff_id: fixtures.tariffs.free });
    panel.store.write(() => panel.store.events.prune(clock.now() - 30 * 86_400_000));
    const last = all.at(-1)?.id ?? 0;
    for (const after of [1, last - 1]) {
      const { problem } = await panel.read.call('listEvents', { after });
      expect(problem).toMatchObject({ status: 410, detail: 'events_gone' });
    }
    const kept = await page({ after: last });
    expect(kept.items.map(({ data }) => getSubjectId(data))).toEqual([id]);
    for (const query of [{}, { after: 0 }]) expect((await page(query)).items).toEqual(kept.items);
  });

  it.each(['after=-1', 'after=x', 'type=user.exploded', 'limit=0', 'offset=1'])('%s is refused', async (query) => {
    const { problem } = await panel.read.send({ method: 'GET', path: `/events?${query}` });
    expect(problem.detail).toBe('validation');
  });

  it('`after` ahead of the feed is of other data, and is told so instead of waiting there', async () => {
    const latest = panel.store.events.latestId();
    expect(await page({ after: latest })).toEqual({ items: [], next_after: latest });
    for (const after of [latest + 1, Number.MAX_SAFE_INTEGER]) {
      const { problem } = await panel.read.call('listEvents', { after });
      expect(problem).toMatchObject({ status: 410, detail: 'events_gone' });
    }
    expect(panel.core.eventsAfter(latest, 10)).toEqual([]);
    expect(panel.core.eventsAfter(latest + 1, 10)).toBeNull();
  });
});
