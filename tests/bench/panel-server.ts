// A child that is a panel as `panel serve` opens it, on an existing folder, with a key for the measurement.
import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { inboundCreate } from '../../src/contract/inbounds.ts';
import type { Input } from '../../src/contract/table.ts';
import type { Call } from '../../src/core/ports/call.ts';
import type { LeaseHeld } from '../../src/core/ports/lease.ts';
import { PROTOCOL, writeVersion } from '../../src/domain/nodes/node-protocol.ts';
import { openPanel, type Panel } from '../../src/panel/panel.ts';
import { openConnection } from '../../src/store/database.ts';
import { CHEAP_COST } from '../support/cheap-password.ts';
import { answerParent } from './child.ts';
import { getDatabasePath } from './databases.ts';
import { type MovingEngine, movingEngine } from './moving-engine.ts';
import type { PanelPlace, PanelStart } from './servers.ts';
import { usageAnswers } from './usage.ts';

const PASSWORD = 'correct horse battery';
/** So high that it refuses nothing: the limit itself, its headers included, is part of what is measured. */
const RATE_LIMIT = 100_000_000;
const POLL_EVERY_MS = 1000;
/** Whose engine it is. */
const NODE = 1;
/** Whose users buy. */
const PLAN = 3;
const LATER = '2030-01-01T00:00:00Z';
/** Between two times at which one buyer asks. */
const PRESS_MS = 1000;

let panel: Panel | null = null;
let folderOfPanel = '';
/** Of the next machine: below those that connections get, of which there are many. */
let nextPort = 20_000;
let moving: MovingEngine | null = null;

const CONNECTION = inboundCreate.parse({ node_id: 1, tag: 'in', name: 'In', protocol: 'vless', port: 443 });

/** How a machine joins, and what it holds before: null: nothing. */
export interface Invited {
  readonly token: string;
  readonly held: LeaseHeld | null;
}

const CALL: Call = {
  actor: { kind: 'cli', id: null, name: 'bench', access: 'full' },
  requestId: 'bench',
  address: null,
};

async function start({ folder, tls, pollsMoving, isAttacked, fleet }: PanelStart): Promise<PanelPlace> {
  folderOfPanel = folder;
  if (fleet) leaveNodes(folder);
  const made = pollsMoving === undefined ? null : movingEngine(pollsMoving);
  moving = made;
  panel = await openPanel({
    folder,
    host: isAttacked ? '0.0.0.0' : '127.0.0.1',
    port: 0,
    plainHttp: !tls,
    ...(isAttacked ? { trustedProxies: ['127.0.0.1'] } : { rateLimit: RATE_LIMIT }),
    keyFile: `${folder}.key`,
    // Each invitation asks for the password.
    ...(fleet && { passwordCost: CHEAP_COST }),
    ...(made && { openEngine: ({ id }) => (id === NODE ? made.engine : null), pollEveryMs: POLL_EVERY_MS }),
  });
  const { core } = panel;
  if (!core.local.isSetUp()) await core.local.setUp('admin', PASSWORD);
  return {
    origin: `${tls ? 'https' : 'http'}://127.0.0.1:${panel.address()?.port}`,
    path: new URL(panel.baseUrl).pathname,
    key: await newKey(),
  };
}

/** No connection is left, so that the nodes that are there serve no user, and all users may use all that come. */
function leaveNodes(folder: string): void {
  const db = openConnection(getDatabasePath(folder));
  db.exec(`UPDATE users SET inbounds = NULL WHERE inbounds IS NOT NULL; UPDATE tariffs SET inbounds = NULL;
    DELETE FROM user_inbounds; DELETE FROM tariff_inbounds; DELETE FROM inbound_totals; DELETE FROM inbounds;
    UPDATE nodes SET enabled = 0, kind = 'remote', agent_port = NULL, agent_pin = NULL`);
  db.close();
}

/** Adds nodes with a connection each; their ids. */
async function addNodes(count: number): Promise<readonly number[]> {
  if (panel === null) throw new Error('no panel runs');
  const { core } = panel;
  const ids: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const node = { name: `Machine ${index + 1}`, address: '127.0.0.1', kind: 'remote', enabled: true } as const;
    const more = { draining: false, weight_percent: 100, note: '' };
    const { id } = (await core.call('createNode', { ...node, ...more }, CALL)).body;
    await core.call('createInbound', { ...CONNECTION, node_id: id, port: 443 }, CALL);
    ids.push(id);
  }
  return ids;
}

/**
 * The tokens by which nodes are joined. Of those that hold all users already, as after a start of the panel, the records say so; and what their
 * machines hold.
 */
async function invite({ ids, isHeld }: { readonly ids: readonly number[]; readonly isHeld: boolean }) {
  if (panel === null) throw new Error('no panel runs');
  const invited: Invited[] = [];
  for (const id of ids) {
    const held = isHeld ? leaseAll(id) : null;
    const asked = { id, port: nextPort, password: PASSWORD };
    nextPort += 1;
    const { token } = (await panel.core.call('inviteNode', asked, CALL)).body;
    invited.push({ token, held });
  }
  return invited;
}

function leaseAll(nodeId: number): LeaseHeld {
  const db = openConnection(getDatabasePath(folderOfPanel));
  const users = db.prepare<[], number>('SELECT count(*) FROM users').pluck().get() ?? 0;
  const change = db.prepare<[], number>("SELECT seq FROM sqlite_sequence WHERE name = 'node_changes'").pluck().get();
  const lease = { leaseId: randomBytes(16).toString('hex'), version: 1, at: Date.now() };
  // What holds for all users is sent as soon as the node is met.
  db.prepare(
    `INSERT INTO node_leases (node_id, lease_id, version, at, change, moved_at, protocol_version, shared)
     VALUES (:nodeId, :leaseId, :version, :at, :change, :at, :protocolVersion, :unknown)`,
  ).run({ ...lease, nodeId, unknown: '0'.repeat(64), change: change ?? 0, protocolVersion: writeVersion(PROTOCOL) });
  db.close();
  return { ...lease, users };
}

async function newKey(): Promise<string> {
  const input = { name: 'bench', access: 'full', expires_in_days: null, password: PASSWORD } as const;
  const made = await panel?.core.call('createKey', input, CALL);
  return made?.body.value ?? '';
}

/** Sends all events to this address from now on. */
async function webhook(url: string): Promise<void> {
  const input = { url, description: '', types: null, allow_private: true, password: PASSWORD };
  await panel?.core.call('createWebhook', input, CALL);
}

/** Whether the users move something between polls. */
function move(isMoving: boolean): void {
  moving?.move(isMoving);
}

async function backup(): Promise<void> {
  await panel?.core.call('createBackup', {}, CALL);
}

/** Users with an order of a term for each, which nobody has paid. */
async function makeOrders(count: number, price: { readonly amount: number; readonly currency: string }) {
  if (panel === null) throw new Error('no panel runs');
  const { core } = panel;
  await core.call('updateSettings', { selling: true }, CALL);
  const page = { limit: count, offset: 0, sort: 'id', state: 'active', tariff_id: PLAN } as const;
  const { items } = (await core.call('listUsers', page, CALL)).body;
  const offer: Input<'createOffer'> = {
    tariff_id: PLAN,
    name: '30 days',
    sold: { kind: 'days', days: 30 },
    prices: [price],
    on_sale: true,
    audience: 'all',
    trial: false,
  };
  const { id: offerId } = (await core.call('createOffer', offer, CALL)).body;
  const orders: number[] = [];
  for (const { id, expires_at: end } of items) {
    if (end === null) await core.call('updateUser', { id, expires_at: LATER }, CALL);
    orders.push((await core.call('createOrder', { user_id: id, offer_id: offerId }, CALL)).body.id);
  }
  return orders;
}

interface Sale {
  readonly kind: 'yookassa';
  readonly root: string;
  readonly accounts: number;
  /** At each of them. */
  readonly orders: number;
}

const pressed: (() => Promise<unknown>)[] = [];
let isPressed = false;

/** Opens orders at accounts of a provider. */
async function sell({ kind, root, accounts, orders }: Sale): Promise<void> {
  if (panel === null) throw new Error('no panel runs');
  const { core } = panel;
  const fields = { shop_id: '100500', secret_key: 'test_bench' };
  const made = await makeOrders(accounts * orders, { amount: 45_000, currency: 'RUB' });
  for (let account = 0; account < accounts; account += 1) {
    const input = {
      kind,
      name: `Account ${account + 1}`,
      fields,
      api_root: root,
      allow_private: true,
      password: PASSWORD,
    };
    const { id } = (await core.call('createProvider', input, CALL)).body;
    for (const order of made.slice(account * orders, (account + 1) * orders)) {
      await core.call('openOrder', { id: order, provider_id: id }, CALL);
      pressed.push(async () => core.call('askOrder', { id: order }, CALL));
    }
  }
}

/** Buyers say that they have paid, each as soon as the last answer came. */
function press(isWanted: boolean): void {
  isPressed = isWanted;
  if (!isWanted) return;
  for (const ask of pressed) {
    const again = async (): Promise<void> => {
      while (isPressed) {
        await ask().catch(() => null);
        await wait(PRESS_MS);
      }
    };
    void again();
  }
}

/** Writes to everyone by the bot, which sells an order in Stars. */
async function broadcast({ root, token }: { readonly root: string; readonly token: string }) {
  if (panel === null) throw new Error('no panel runs');
  const { core } = panel;
  await core.call('saveBot', { token, api_root: root, allow_private: true, password: PASSWORD }, CALL);
  await core.call('saveBotNotices', { quiet: null }, CALL);
  const account: Input<'createProvider'> = {
    kind: 'stars',
    name: 'Stars',
    fields: {},
    api_root: null,
    allow_private: false,
    password: PASSWORD,
  };
  const provider = (await core.call('createProvider', account, CALL)).body;
  const stars = 250;
  const [order = 0] = await makeOrders(1, { amount: stars, currency: 'XTR' });
  const { pay_url: url } = (await core.call('openOrder', { id: order, provider_id: provider.id }, CALL)).body;
  const input: Input<'createBroadcast'> = {
    key: 'the-broadcast',
    texts: [{ language: 'en', text: 'A new server' }],
    filter: { all: true },
    start: true,
  };
  const { total } = (await core.call('createBroadcast', input, CALL)).body;
  return { payload: url?.split('$')[1] ?? '', stars, people: total };
}

answerParent({
  start,
  sell,
  press,
  broadcast,
  addNodes,
  invite,
  newKey,
  webhook,
  backup,
  move,
  ...usageAnswers(),
  stop: () => panel?.close(),
});
