// What surrounds a panel in which everything runs: a node here and one on another machine, the bot's API, a receiver of webhooks, payment
// providers. It keeps all of them busy, so that a stop of the panel meets work of every kind.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { joinMachine, runMachine } from '../../src/agent/machine.ts';
import type { CallOf, OutputOf } from '../../src/contract/operation.ts';
import type { OPERATIONS, OperationId } from '../../src/contract/table.ts';
import { openReceiver, type Receiver } from '../webhooks/receiver.ts';
import { BOT_TOKEN, type FakeBotApi, openBotApi } from './bot-api.ts';
import { findProgram } from './engines.ts';
import { createFakeMachine } from './fake-engine.ts';
import { freePort } from './free-port.ts';
import { realLooking } from './node-machine.ts';
import { openCryptoPay } from './providers/crypto-pay.ts';
import type { FakeProvider } from './providers/fake.ts';
import { openStripe } from './providers/stripe.ts';

type Table = typeof OPERATIONS;
/** Calls an operation as the administrator; rejects if it is refused. */
export type CallOperation = <Id extends OperationId>(id: Id, input: CallOf<Table[Id]>) => Promise<OutputOf<Table[Id]>>;

const HOST = '127.0.0.1';
const ADMIN_CHAT = 1001;
const POLLED = { timeout: 90_000, interval: 50 };

/** The records of a panel in which everything runs. */
export interface Scene {
  readonly tariffId: number;
  readonly offerId: number;
  readonly providerIds: readonly number[];
  readonly nodeIds: readonly number[];
}

/** What can be under way when a panel is stopped. */
export const WORK_KINDS = [
  'delivery',
  'payment',
  'message',
  'backup',
  'bulk',
  'proof',
  'address',
  'join',
  'certificate',
  'change',
  'write',
] as const;
export type WorkKind = (typeof WORK_KINDS)[number];

export interface Peers extends AsyncDisposable {
  readonly bot: FakeBotApi;
  readonly receiver: Receiver;
  readonly providers: readonly FakeProvider[];
  /** Makes the records, and waits until everything runs. `engine`: the program of the local node; null: there is none on this machine. */
  setUp(call: CallOperation, password: string, engine?: string | null): Promise<Scene>;
  /** Resolves once the bot and the nodes run. */
  untilUp(call: CallOperation, scene: Scene): Promise<void>;
  /**
   * Begins these kinds of work, and answers none of it. Resolves when who is outside has been asked; what was begun goes on. `begun` resolves
   * to what was refused of it.
   */
  generateLoad(
    call: CallOperation,
    scene: Scene,
    password: string,
    kinds?: readonly WorkKind[],
  ): Promise<{ readonly begun: Promise<readonly string[]> }>;
  /** From now on everything is answered again. */
  answer(): void;
}

/** `folder`: where the other machine keeps its files. */
export async function openPeers(folder: string): Promise<Peers> {
  const bot = await openBotApi();
  const receiver = await openReceiver();
  const providers = [await openStripe(), await openCryptoPay()];
  const machineFolder = join(folder, 'machine');
  const machine = createFakeMachine();
  let closeMachine = async () => {};
  let runs = 0;

  async function addRemote(call: CallOperation, password: string): Promise<number> {
    const { id } = await call('createNode', { name: 'Far', address: HOST });
    const connection = { node_id: id, tag: 'far', name: 'Far', protocol: 'vless', port: 443 } as const;
    await call('createInbound', connection);
    const { token } = await call('inviteNode', { id, port: await freePort(), password });
    await joinMachine({ folder: machineFolder, token, host: HOST, waiting: () => {} });
    const running = await runMachine({ folder: machineFolder, host: HOST, engine: realLooking(machine) });
    closeMachine = running.close;
    return id;
  }

  async function addLocal(call: CallOperation): Promise<number> {
    const node = { name: 'Here', kind: 'local', address: HOST, allows_private: true, enabled: false } as const;
    const { id } = await call('createNode', node);
    const connection = {
      node_id: id,
      tag: 'here',
      name: 'Here',
      protocol: 'vmess',
      network: 'ws',
      path: '/ws',
    } as const;
    await call('createInbound', { ...connection, security: 'none', port: await freePort() });
    await call('updateNode', { id, enabled: true });
    return id;
  }

  const peers: Peers = {
    bot,
    receiver,
    providers,
    async setUp(call, password, engine = findProgram('xray') ?? findProgram('v2ray')) {
      await call('updateSettings', { selling: true, engine_path: engine, password });
      await call('saveBot', { token: BOT_TOKEN, api_root: bot.root, allow_private: true, password });
      await call('createWebhook', { url: receiver.url, types: null, allow_private: true, password });
      const providerIds: number[] = [];
      for (const { kind, fields, root } of providers) {
        const given = { kind, name: kind, fields: { ...fields }, api_root: root, allow_private: true, password };
        providerIds.push((await call('createProvider', given)).id);
      }
      const { id: tariffId } = await call('createTariff', { name: 'Monthly', duration: { months: 1 } });
      const sold = { kind: 'days', days: 30 } as const;
      const prices = [{ amount: 499, currency: 'EUR' }];
      const offer = { tariff_id: tariffId, name: '30 days', sold, prices, on_sale: true };
      const { id: offerId } = await call('createOffer', offer);
      await call('createUser', { name: 'Anna', tariff_id: tariffId });
      const nodeIds = [await addLocal(call), await addRemote(call, password)];
      const scene = { tariffId, offerId, providerIds, nodeIds };
      await peers.untilUp(call, scene);
      return scene;
    },
    async untilUp(call, { nodeIds: [here = 0, far = 0] }) {
      await expect.poll(async () => (await call('getBot', {})).state, POLLED).toBe('running');
      await expect.poll(async () => (await call('getNode', { id: far })).status, POLLED).toBe('up');
      await expect
        .poll(async () => (await call('getNode', { id: here })).error_code ?? 'up', POLLED)
        .toMatch(/^(up|engine_missing)$/);
    },
    async generateLoad(call, { tariffId, offerId, providerIds, nodeIds }, password, kinds = WORK_KINDS) {
      runs += 1;
      const received = receiver.received.length;
      const asked = providers.map(({ requests }) => requests.length);
      const begun: Promise<unknown>[] = [];
      const addUser = (more: object = {}) => call('createUser', { name: `User ${runs}`, tariff_id: tariffId, ...more });
      const works: Readonly<Record<WorkKind, () => Promise<void>>> = {
        async delivery() {
          receiver.answer = () => null;
          await addUser();
          await receiver.until((all) => all.length > received);
        },
        async payment() {
          for (const provider of providers) provider.setSilent(true);
          for (const provider_id of providerIds) {
            const { id: user_id } = await addUser({ expires_at: LATER });
            const { id } = await call('createOrder', { user_id, offer_id: offerId });
            begun.push(call('openOrder', { id, provider_id, email: 'buyer@example.com' }));
          }
          const areAsked = () => providers.every(({ requests }, index) => requests.length > (asked[index] ?? 0));
          await expect.poll(areAsked, POLLED).toBe(true);
        },
        async message() {
          bot.write(ADMIN_CHAT, `/start ${runs}`);
        },
        async backup() {
          begun.push(call('createBackup', { password }));
        },
        async bulk() {
          begun.push(call('bulkUsers', { filter: { all: true }, action: 'reset' }));
        },
        async proof() {
          begun.push(call('createKey', { name: `key ${runs}`, access: 'read', password }));
        },
        async address() {
          begun.push(call('changeAddresses', { port: await freePort(), password }));
        },
        async join() {
          const { id } = await call('createNode', { name: `New ${runs}`, address: HOST });
          await call('inviteNode', { id, port: await freePort(), password });
        },
        async certificate() {
          begun.push(call('renewCertificate', { target: 'panel', password }));
        },
        async change() {
          for (const id of nodeIds) begun.push(call('updateNode', { id, name: `Node ${id}, ${runs}` }));
        },
        async write() {
          begun.push(addUser());
        },
      };
      for (const kind of kinds) await works[kind]();
      const refused = Promise.allSettled(begun).then((outcomes) =>
        outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [String(outcome.reason)] : [])),
      );
      return { begun: refused };
    },
    answer() {
      receiver.answer = () => ({ status: 204 });
      for (const provider of providers) provider.setSilent(false);
    },
    async [Symbol.asyncDispose]() {
      await closeMachine();
      await bot[Symbol.asyncDispose]();
      await receiver[Symbol.asyncDispose]();
      for (const provider of providers) await provider[Symbol.asyncDispose]();
      rmSync(machineFolder, { recursive: true, force: true });
    },
  };
  return peers;
}

const LATER = '2037-06-01T10:00:00.000Z';
