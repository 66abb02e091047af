// What a panel under test is filled with: a node, connections, plans and users in every state, whose secrets are known by heart.
import type { InboundCreate } from '../../src/contract/inbounds.ts';
import type { CallOf, OutputOf } from '../../src/contract/operation.ts';
import type { OPERATIONS } from '../../src/contract/table.ts';
import type { UserState } from '../../src/contract/users/users.ts';
import { type ApiId, buildRequest, type Sent } from './http-client.ts';
import type { TestPanel } from './panel.ts';

type User = OutputOf<(typeof OPERATIONS)['createUser']>;

export const NODE_ADDRESS = 'canary-node-address.example';
const SOON = 5 * 86_400_000;
const MIB = 1_048_576;

const INBOUNDS: readonly Omit<CallOf<(typeof OPERATIONS)['createInbound']>, 'node_id'>[] = [
  {
    tag: 'vless-reality',
    name: 'Germany 1',
    protocol: 'vless',
    security: 'reality',
    port: 41443,
    host: 'canary-reality-host.example',
    sni: 'canary-sni.example',
    short_id: 'ca9a4e5de1ec7e00',
    flow: 'xtls-rprx-vision',
    fingerprint: 'chrome',
    public_key: 'canary-publickey-'.padEnd(43, '0'),
  },
  {
    tag: 'vmess-ws',
    name: 'Germany 2',
    protocol: 'vmess',
    network: 'ws',
    security: 'tls',
    port: 41444,
    host: 'canary-ws-host.example',
    sni: 'canary-ws-sni.example',
    path: '/canary-ws-path',
    alpn: ['http/1.1'],
  },
  {
    tag: 'trojan-grpc',
    name: 'Germany 3',
    protocol: 'trojan',
    network: 'grpc',
    security: 'tls',
    port: 41445,
    host: null,
    sni: 'canary-grpc-sni.example',
    service_name: 'canary-grpc-service',
  },
  { tag: 'ss', name: 'Germany 4', protocol: 'shadowsocks', port: 41446, method: 'aes-256-gcm' },
] satisfies readonly Omit<Partial<InboundCreate> & CallOf<(typeof OPERATIONS)['createInbound']>, 'node_id'>[];

export interface Fixtures {
  readonly nodeId: number;
  readonly inboundIds: readonly number[];
  /** `monthly` has a limit of 100 MiB, `free` neither limit nor end, `held` begins at the first connection. */
  readonly tariffs: Readonly<Record<'monthly' | 'free' | 'held', number>>;
  /** One user in each state; all but `active` are never touched by fixtures. */
  readonly users: Readonly<Record<UserState, User>>;
  /** A grant of the active user. */
  readonly grantId: number;
}

/** Fills a panel; the states hold at its clock's present. */
export async function fill(panel: TestPanel): Promise<Fixtures> {
  const { act, clock } = panel;
  const { id: nodeId } = await act('createNode', { name: 'Frankfurt', address: NODE_ADDRESS });
  const inboundIds: number[] = [];
  for (const inbound of INBOUNDS) inboundIds.push((await act('createInbound', { ...inbound, node_id: nodeId })).id);
  createTrouble(panel, nodeId);
  const limits = { traffic_limit: 100 * MIB, reset_strategy: 'month', device_limit: 3, concurrent_limit: 4 } as const;
  const monthly = await act('createTariff', { name: 'Monthly', duration: { months: 1 }, ...limits });
  const free = await act('createTariff', { name: 'Free' });
  const held = await act('createTariff', { name: 'Held', duration: { days: 30 }, starts: 'on_first_use' });
  const from = (name: string, tariff: { id: number }, more = {}) =>
    act('createUser', { name, tariff_id: tariff.id, contact: `@${name}`, tags: ['fixtures'], ...more });
  const past = new Date(clock.now() - SOON).toISOString();
  const users = {
    active: await from('active', monthly),
    on_hold: await from('on_hold', held),
    limited: await from('limited', monthly, { traffic_limit: MIB }),
    expired: await from('expired', monthly, { expires_at: past }),
    disabled: await from('disabled', monthly, { enabled: false }),
  };
  const moved = [users.active, users.limited].map(({ id }) => ({ userId: id, up: MIB, down: 2 * MIB }));
  const total = { up: 2 * MIB, down: 4 * MIB };
  panel.move({ nodeId, total, users: moved, inbounds: [{ inboundId: inboundIds[0] ?? 0, ...total }] });
  const grant = await act('createGrant', { id: users.active.id, bytes: MIB, lifetime: 'used', note: 'a gift' });
  const tariffs = { monthly: monthly.id, free: free.id, held: held.id };
  return { nodeId, inboundIds, tariffs, users, grantId: grant.id };
}

/** A node that has answered and now fails, with an address in what it says. */
function createTrouble({ store, clock }: TestPanel, nodeId: number): void {
  const node = store.nodes.get(nodeId);
  if (!node) throw new Error('no node');
  const seen = {
    status: 'up',
    coreName: 'xray',
    coreVersion: '26.9.11',
    lastSeenAt: clock.now(),
    usersOnline: 2,
  } as const;
  const trouble = { errorCode: 'engine_unreachable', errorText: `connect ECONNREFUSED ${NODE_ADDRESS}:62050` } as const;
  store.write(() => store.nodes.save({ ...node, ...seen, engineStartedAt: clock.now() - 3_600_000, ...trouble }));
}

/** Everything in the panel that a Read key must never see, wherever it stands. */
export function listSecrets({ store, secretPath }: TestPanel, { users }: Fixtures): string[] {
  const inbounds = store.inbounds.page({}, 100, 0);
  const rows = Object.values(users).map(({ id }) => store.users.get(id));
  const credentials = Object.values(users).map(({ id }) => store.users.credentials(id));
  const all = [
    NODE_ADDRESS,
    ...rows.map((row) => row?.token),
    ...credentials.flatMap((own) => Object.values(own)),
    ...inbounds.flatMap(({ host, sni, path, serviceName, publicKey, shortId, obfsPassword, hosts }) => [
      ...hosts.flatMap(({ address, sni: name, hostHeader }) => [address, name, hostHeader]),
      host,
      sni,
      path,
      serviceName,
      publicKey,
      shortId,
      obfsPassword,
    ]),
    secretPath,
  ];
  return all.filter((secret): secret is string => typeof secret === 'string' && secret.length > 0);
}

type Fixture<Id extends ApiId> = (panel: TestPanel, fixtures: Fixtures) => Promise<CallOf<(typeof OPERATIONS)[Id]>>;

const freshUser = async ({ act }: TestPanel, { tariffs }: Fixtures) =>
  (await act('createUser', { name: 'fixture', tariff_id: tariffs.monthly })).id;
const freshTariff = async ({ act }: TestPanel) => (await act('createTariff', { name: 'fixture' })).id;
/** A port that no connection has had: each new connection is an event. */
const unusedPort = (store: TestPanel['store']) => 1000 + (store.events.latestId() % 40_000);
const freshInbound = async ({ act, store }: TestPanel, { nodeId }: Fixtures) => {
  const tag = `fixture-${store.inbounds.count({})}-${store.events.latestId()}`;
  const port = unusedPort(store);
  return (await act('createInbound', { node_id: nodeId, tag, name: 'fixture', protocol: 'vless', port })).id;
};
const none = async () => ({});
const activeUser = async (_panel: TestPanel, { users }: Fixtures) => ({ id: users.active.id });

/** A call of each operation that succeeds, on a record of its own where it changes one. An operation without one is a type error. */
const FIXTURES: { readonly [Id in ApiId]: Fixture<Id> } = {
  listUsers: none,
  createUser: async (_panel, { tariffs }) => ({ name: 'fixture', tariff_id: tariffs.monthly }),
  getUser: activeUser,
  updateUser: async (panel, fixtures) => ({ id: await freshUser(panel, fixtures), note: 'changed' }),
  putUser: async (panel, fixtures) => {
    const { id } = await panel.act('createUser', { name: 'fixture', tariff_id: fixtures.tariffs.monthly });
    const external_id = `fixture ${id}`;
    await panel.act('updateUser', { id, external_id });
    return { external_id, name: 'put', tariff_id: fixtures.tariffs.monthly };
  },
  findUserByLink: async ({ store }, { users }) => ({ link: store.users.get(users.active.id)?.token ?? '' }),
  createUsers: async (_panel, { tariffs }) => ({ users: [{ name: 'fixture', tariff_id: tariffs.monthly }] }),
  deleteUser: async (panel, fixtures) => ({ id: await freshUser(panel, fixtures) }),
  extendUser: async (panel, fixtures) => ({ id: await freshUser(panel, fixtures), days: 3 }),
  shortenUser: async (panel, fixtures) => ({ id: await freshUser(panel, fixtures), days: 3 }),
  resetUserTraffic: async (panel, fixtures) => ({ id: await freshUser(panel, fixtures) }),
  reissueUser: async (panel, fixtures) => ({ id: await freshUser(panel, fixtures) }),
  bulkUsers: async (panel, fixtures) => ({ action: 'disable', ids: [await freshUser(panel, fixtures)] }),
  getUserTraffic: activeUser,
  getUserTrafficByNode: activeUser,
  getUserAddresses: activeUser,
  createGrant: async (panel, fixtures) => ({ id: await freshUser(panel, fixtures), bytes: MIB, lifetime: 'used' }),
  listGrants: activeUser,
  getGrant: async (_panel, { users, grantId }) => ({ id: users.active.id, grant_id: grantId }),
  deleteGrant: async (panel, fixtures) => {
    const id = await freshUser(panel, fixtures);
    return { id, grant_id: (await panel.act('createGrant', { id, bytes: MIB, lifetime: 'used' })).id };
  },
  listTariffs: none,
  getTariff: async (_panel, { tariffs }) => ({ id: tariffs.monthly }),
  createTariff: async () => ({ name: 'fixture' }),
  updateTariff: async (panel) => ({ id: await freshTariff(panel), archived: true }),
  deleteTariff: async (panel) => ({ id: await freshTariff(panel) }),
  listInbounds: none,
  getInbound: async (_panel, { inboundIds }) => ({ id: inboundIds[0] ?? 0 }),
  createInbound: async ({ store }, { nodeId }) => ({
    node_id: nodeId,
    tag: `new-${store.events.latestId()}`,
    name: 'fixture',
    protocol: 'vless',
    port: unusedPort(store),
  }),
  updateInbound: async (panel, fixtures) => ({ id: await freshInbound(panel, fixtures), enabled: false }),
  placeInbound: async (panel, fixtures) => ({
    id: await freshInbound(panel, fixtures),
    node_ids: [fixtures.nodeId],
  }),
  deleteInbound: async (panel, fixtures) => ({ id: await freshInbound(panel, fixtures) }),
  listNodes: none,
  getNode: async (_panel, { nodeId }) => ({ id: nodeId }),
  getOverview: none,
  getServerTraffic: none,
  getUserStats: none,
  listEvents: none,
  getMetrics: none,
  getSettings: none,
  getOpenApi: none,
};

/** A request that succeeds with a key of enough access. */
export async function buildFixture(id: ApiId, panel: TestPanel, fixtures: Fixtures): Promise<Sent> {
  return buildRequest(id, (await FIXTURES[id](panel, fixtures)) as CallOf<(typeof OPERATIONS)[typeof id]>);
}

export const API_IDS = Object.keys(FIXTURES) as ApiId[];
