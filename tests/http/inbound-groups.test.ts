// One definition of a connection on many nodes: made, changed and taken away together, with the plans and users who name it.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { engineInbound } from '../../src/core/inbounds/inbound-secrets.ts';
import { startPanel, type TestPanel } from '../support/panel.ts';

let panel: TestPanel;
let port = 2000;
let nodeIds: readonly number[] = [];
beforeAll(async () => {
  panel = await startPanel();
});
afterAll(() => panel.stop());
beforeEach(async () => {
  port += 1;
  const ids: number[] = [];
  for (const name of ['Frankfurt', 'Helsinki', 'Oslo']) {
    ids.push((await panel.act('createNode', { name, address: `${name.toLowerCase()}.example` })).id);
  }
  nodeIds = ids;
});

const node = (index: number) => nodeIds[index] ?? 0;
const vless = (more: object = {}) => ({
  node_id: node(0),
  tag: 'in',
  name: 'Frankfurt, fast',
  protocol: 'vless' as const,
  port,
  ...more,
});
const create = async (more: object = {}) => (await panel.full.call('createInbound', vless(more))).body;
const read = async (id: number) => (await panel.full.call('getInbound', { id })).body;
const place = async (id: number, nodes: readonly number[]) =>
  (await panel.full.call('placeInbound', { id, node_ids: nodes.map(node) })).body.items;
const patch = (id: number, change: object) => panel.full.call('updateInbound', { id, ...change });
const listMembers = async (id: number) => {
  const { group_id: group } = await read(id);
  const { items } = (await panel.full.call('listInbounds', { limit: 500 })).body;
  return items.filter(({ group_id }) => group_id === group);
};
const getKeys = (id: number) => {
  const row = panel.store.inbounds.get(id);
  if (!row) throw new Error('no such connection');
  const { privateKey, certificateKey, serverKey, decryption, mldsa65Seed } = engineInbound(panel, row);
  return { privateKey, certificateKey, serverKey, decryption, mldsa65Seed };
};

describe('a connection on several nodes', () => {
  it('is made at once, with the same settings and keys, and the node as its address and in its name', async () => {
    const keys = await panel.act('makeRealityKeys', {});
    const { mldsa65_seed } = await panel.act('makeMldsa65', {});
    const choice = { authentication: 'mlkem768', appearance: 'native' } as const;
    const { decryption } = await panel.act('makeVlessEncryption', choice);
    const reality = {
      ...keys,
      mldsa65_seed,
      decryption,
      security: 'reality',
      sni: 'www.example.org',
      host: 'de.example',
      note: 'Spring',
    };
    const first = await create({ ...reality, more_node_ids: [node(1), node(2), node(0)] });
    expect(first).toMatchObject({ group_id: first.id, name: 'Frankfurt, fast', host: 'de.example' });
    const [own, ...others] = await listMembers(first.id);
    expect(own).toEqual(first);
    expect(getKeys(first.id)).toMatchObject({ privateKey: keys.private_key, decryption, mldsa65Seed: mldsa65_seed });
    const { id: _, node_id: _n, name: _m, host: _h, created_at: _c, updated_at: _u, ...definition } = first;
    expect(others.map(({ node_id, name, host }) => [node_id, name, host])).toEqual([
      [node(1), 'Helsinki, fast', null],
      [node(2), 'Oslo, fast', null],
    ]);
    for (const other of others) {
      expect(other).toMatchObject(definition);
      expect(getKeys(other.id)).toEqual(getKeys(first.id));
    }
  });

  it('is named by its node where its name does not have that', async () => {
    const { id } = await create({ name: 'Fast' });
    expect((await place(id, [0, 1])).map(({ name }) => name)).toEqual(['Fast', 'Fast · Helsinki']);
  });

  it('shares on each node the port of the one that is there', async () => {
    const tls = { security: 'tls', sni: 'a.example' };
    const owner = await create({ ...tls, tag: 'owner', more_node_ids: [node(1)] });
    const owners = await listMembers(owner.id);
    const sharing = { ...tls, network: 'ws', path: '/ws', shares_port_of: owner.id };
    const { problem } = await panel.full.call('createInbound', vless({ ...sharing, more_node_ids: [node(2)] }));
    expect(problem.errors).toMatchObject([
      { pointer: '#/shares_port_of', message: expect.stringMatching(/must be .* \(Oslo\)$/) },
    ]);
    const sharer = await create({ ...sharing, more_node_ids: [node(1)] });
    const sharers = async () =>
      (await listMembers(sharer.id)).map((one) => [one.node_id, one.shares_port_of, one.port]);
    const [first, second] = owners.map(({ id }) => id);
    expect(await sharers()).toEqual([
      [node(0), first, port],
      [node(1), second, port],
    ]);
    await patch(owner.id, { port: port + 2000 });
    expect((await sharers()).map(([, , own]) => own)).toEqual([port + 2000, port + 2000]);
    const leaving = await panel.full.call('placeInbound', { id: owner.id, node_ids: [node(0)] });
    expect(leaving.problem).toMatchObject({ detail: 'inbound_in_use', in_use: { inbounds: { total: 1 } } });
    await place(sharer.id, [0]);
    expect(await place(owner.id, [0])).toHaveLength(1);
  });

  it('is nowhere where one of the nodes cannot have it', async () => {
    await create({ node_id: node(2) });
    const { problem } = await panel.full.call('createInbound', vless({ more_node_ids: [node(1), node(2)] }));
    expect(problem.errors?.map(({ pointer, message }) => [pointer, message.endsWith('(Oslo)')])).toEqual([
      ['#/tag', true],
      ['#/port', true],
    ]);
    const missing = await panel.full.call('createInbound', vless({ more_node_ids: [4_000_000] }));
    expect(missing.problem).toMatchObject({ status: 422, detail: 'node_not_found' });
    expect((await panel.full.call('listInbounds', { node_id: node(0) })).body.total).toBe(0);
    expect((await panel.full.call('listInbounds', { node_id: node(1) })).body.total).toBe(0);
  });

  it('has a certificate of its own on each node, unless one was given', async () => {
    const { id } = await create({ protocol: 'trojan', security: 'tls', more_node_ids: [node(1)] });
    const [first, other] = await listMembers(id);
    expect(other?.certificate_sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(other?.certificate_sha256).not.toBe(first?.certificate_sha256);
    expect(getKeys(other?.id ?? 0).certificateKey).not.toBe(getKeys(id).certificateKey);
  });

  it('is changed on all of them, but for what is the own of each', async () => {
    const { id } = await create({ more_node_ids: [node(1)] });
    const [, other] = await listMembers(id);
    const before = panel.store.events.latestId();
    const own = { name: 'First', host: 'own.example', note: 'Mine', enabled: false };
    const change = { network: 'ws', path: '/x', tag: 'web', port: port + 1000, ...own };
    expect((await patch(id, change)).body).toMatchObject(change);
    const { name, host, note, enabled } = other ?? {};
    expect(await read(other?.id ?? 0)).toMatchObject({ ...change, name, host, note, enabled });
    const events = panel.store.events.after(before, 100, ['inbound.changed']);
    expect(events.map(({ data }) => JSON.parse(data).inbound_id)).toEqual([id, other?.id]);
    // What is its own changes no other one, and what is the same changes none.
    const { updated_at } = await read(other?.id ?? 0);
    await patch(id, { name: 'Second' });
    await patch(id, { port: port + 1000 });
    expect((await read(other?.id ?? 0)).updated_at).toBe(updated_at);
    expect(panel.store.events.after(before, 100, ['inbound.changed'])).toHaveLength(3);
    await patch(other?.id ?? 0, { path: '/y' });
    expect((await read(id)).path).toBe('/y');
  });

  it('is changed on none where one of them cannot be changed so', async () => {
    const { id } = await create({ more_node_ids: [node(1)] });
    await create({ node_id: node(1), tag: 'taken', port: port + 1000 });
    const { problem } = await patch(id, { port: port + 1000, name: 'Other' });
    expect(problem.errors).toMatchObject([{ pointer: '#/port', message: expect.stringMatching(/\(Helsinki\)$/) }]);
    expect(await read(id)).toMatchObject({ port, name: 'Frankfurt, fast' });
  });

  it('has another key on all of them', async () => {
    const { id } = await create({ protocol: 'wireguard', more_node_ids: [node(1)] });
    const [, other] = await listMembers(id);
    const { private_key } = await panel.act('makeRealityKeys', {});
    await patch(id, { private_key });
    expect(getKeys(other?.id ?? 0).privateKey).toBe(private_key);
    expect((await read(other?.id ?? 0)).public_key).toBe((await read(id)).public_key);
  });

  it('leaves the others where one is deleted', async () => {
    const { id } = await create({ more_node_ids: [node(1), node(2)] });
    const [, other] = await listMembers(id);
    expect((await panel.full.call('deleteInbound', { id })).status).toBe(204);
    expect((await place(other?.id ?? 0, [0, 1, 2])).map(({ node_id }) => node_id)).toEqual([node(1), node(2), node(0)]);
  });
});

describe('who names a connection', () => {
  const readInbounds = async (id: number) => (await panel.full.call('getUser', { id })).body.inbounds;
  const newUser = async (inbounds: readonly number[] | null) => {
    const tariff = await panel.act('createTariff', { name: 'T' });
    return (await panel.act('createUser', { name: 'A', tariff_id: tariff.id, inbounds: inbounds && [...inbounds] })).id;
  };

  it('gets it on a new node, and keeps the others where it goes from one', async () => {
    const { id } = await create();
    const { id: alone } = await create({ node_id: node(2), tag: 'alone', port: port + 1000 });
    const named = await newUser([id, alone]);
    const [everything, nothing] = [await newUser(null), await newUser([alone])];
    const plan = await panel.act('createTariff', { name: 'Plan', inbounds: [id] });
    const before = panel.store.events.latestId();
    const [, other] = await place(id, [0, 1]);
    const added = other?.id ?? 0;
    expect(await readInbounds(named)).toEqual([id, alone, added]);
    expect([await readInbounds(everything), await readInbounds(nothing)]).toEqual([null, [alone]]);
    expect((await panel.full.call('getTariff', { id: plan.id })).body.inbounds).toEqual([id, added]);
    const types = panel.store.events.after(before, 100, null).map(({ type }) => type);
    expect(types).toEqual(['inbound.created', 'tariff.changed', 'user.changed']);

    // The one that is asked about may go as well.
    expect(await place(id, [1])).toMatchObject([{ id: added }]);
    expect(await readInbounds(named)).toEqual([alone, added]);
    expect((await panel.full.call('getTariff', { id: plan.id })).body.inbounds).toEqual([added]);
    expect((await panel.full.call('getInbound', { id })).problem.detail).toBe('not_found');
    expect((await panel.full.call('getNode', { id: node(0) })).status).toBe(200);
  });

  it('is moved with it to another node', async () => {
    const { id } = await create();
    const named = await newUser([id]);
    const [moved] = await place(id, [2]);
    expect(await readInbounds(named)).toEqual([moved?.id]);
  });

  it('keeps it from going where there would be no other', async () => {
    const { id } = await create({ more_node_ids: [node(1)] });
    const [, other] = await listMembers(id);
    await newUser([other?.id ?? 0]);
    const refused = await panel.full.call('placeInbound', { id, node_ids: [node(0), node(2)] });
    expect(refused.problem).toMatchObject({ status: 409, detail: 'inbound_in_use', in_use: { users: { total: 1 } } });
    expect(await listMembers(id)).toHaveLength(2);
  });

  it('are more than are changed in one transaction', async () => {
    const { id } = await create();
    const tariff = await panel.act('createTariff', { name: 'T', inbounds: [id] });
    const users = Array.from({ length: 1200 }, (_, index) => ({ name: `U${index}`, tariff_id: tariff.id }));
    for (let from = 0; from < users.length; from += 100) {
      await panel.full.call('createUsers', { users: users.slice(from, from + 100) });
    }
    const total = panel.store.users.usesOfInbound(id).total;
    expect(total).toBe(1200);
    const [, other] = await place(id, [0, 1]);
    expect(panel.store.users.usesOfInbound(other?.id ?? 0).total).toBe(total);
    await place(id, [1]);
    expect(panel.store.users.usesOfInbound(other?.id ?? 0).total).toBe(total);
  });
});

it('is placed on nodes that are there, and only where there is such a connection', async () => {
  const { id } = await create();
  const at = async (input: object) => (await panel.full.call('placeInbound', input as never)).problem.detail;
  expect(await at({ id, node_ids: [node(0), 4_000_000] })).toBe('node_not_found');
  expect(await at({ id: 4_000_000, node_ids: [node(0)] })).toBe('not_found');
  expect(await at({ id, node_ids: [] })).toBe('validation');
  expect(await at({ id, node_ids: [node(0), node(0)] })).toBe('validation');
  const before = await panel.full.call('getInbound', { id });
  await place(id, [0]);
  expect((await panel.full.call('getInbound', { id })).headers.etag).toBe(before.headers.etag);
});
