// A real panel for a test: core, store, server and subscription renderer put together as src/panel does it, in a temporary
// folder and on a free port, with the ports of time in the test's hands.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { ensureCertificate } from '../../src/adapters/certificates/certificate.ts';
import { systemClock, systemTimers } from '../../src/adapters/clock.ts';
import { nodeCrypto } from '../../src/adapters/crypto.ts';
import { createOutboundAgent } from '../../src/adapters/outbound-agent.ts';
import { createOutboundClient, isRefusedUrl } from '../../src/adapters/outbound-client.ts';
import { createPasswordHasher } from '../../src/adapters/passwords.ts';
import { noVault, openVault } from '../../src/adapters/vault/vault.ts';
import { createWebhookClient } from '../../src/adapters/webhook-client.ts';
import { startBot } from '../../src/bot/bot.ts';
import { createBotClient } from '../../src/bot/client.ts';
import { createMiniApp, type MiniAppParts } from '../../src/bot/mini-app.ts';
import type { Key } from '../../src/contract/access/keys.ts';
import { openApiDocument } from '../../src/contract/openapi/openapi.ts';
import type { Access, CallOf, OutputOf } from '../../src/contract/operation.ts';
import type { OPERATIONS } from '../../src/contract/table.ts';
import { createCore, createHeavyEnv } from '../../src/core/create-core.ts';
import type { Core, CoreParts } from '../../src/core/kernel/core.ts';
import { createTransaction } from '../../src/core/kernel/transaction.ts';
import type { Backups } from '../../src/core/ports/backups.ts';
import type { Actor, HandledId } from '../../src/core/ports/call.ts';
import type { HeavyWriter } from '../../src/core/ports/heavy-writer.ts';
import type { Clock, Store, TargetProbe, Timers, Vault } from '../../src/core/ports/ports.ts';
import type { PaymentProviders } from '../../src/core/ports/providers.ts';
import type { PanelClock } from '../../src/core/ports/time.ts';
import { parseCountedJson } from '../../src/domain/foreign-json.ts';
import type { RateRule } from '../../src/domain/rate-limiter.ts';
import { createDoor } from '../../src/door/door.ts';
import { runOperation } from '../../src/door/run-operation.ts';
import { createApp } from '../../src/http/app.ts';
import { createServer } from '../../src/http/server.ts';
import { machineParts } from '../../src/panel/machine-parts.ts';
import { ensureFirstSettings } from '../../src/panel/owned-folder.ts';
import { buildOrigin, listHostNames } from '../../src/panel/public-origin.ts';
import { createTemplates } from '../../src/panel/templates.ts';
import { createHeavyWriter } from '../../src/panel/workers/heavy-writer.ts';
import { createProviders } from '../../src/payments/providers.ts';
import { createStore, openDatabase } from '../../src/store/index.ts';
import { renderMiniApp } from '../../src/subscription/page/mini-app.ts';
import { renderOrder } from '../../src/subscription/page/order-page.ts';
import { renderFriends, renderTelegram } from '../../src/subscription/page/telegram.ts';
import { renderSubscription } from '../../src/subscription/render.ts';
import { CHEAP_COST } from './cheap-password.ts';
import { createTestTimers } from './clock.ts';
import { countTraffic, type NodeTraffic } from './count-traffic.ts';
import { type Client, createClient } from './http-client.ts';
import { createTestLog, type TestLog } from './log.ts';
import { proven, provenActor } from './proven.ts';

export const PASSWORD = 'correct horse battery';
const HOST = '127.0.0.1';
const ADMINISTRATOR: Actor = { kind: 'administrator', id: 1, name: 'admin', access: 'full' };

export interface PanelOptions {
  readonly clock?: Clock;
  readonly timers?: Timers;
  /** Plain HTTP unless true. */
  readonly tls?: boolean;
  /** In the place of `clock`: a time that may be in doubt. */
  readonly panelClock?: PanelClock;
  /** Off unless given. */
  readonly rateLimit?: RateRule;
  /** Stands between core and store: to make writes fail. */
  readonly wrapStore?: (store: Store) => Store;
  /** Stands between core and writer thread; without it every write runs on the test's thread. */
  readonly wrapHeavy?: (heavy: HeavyWriter) => HeavyWriter;
  /** A folder for the data folder and the key file, maybe of a panel before; it is kept at the end. */
  readonly folder?: string;
  readonly timeZone?: string;
  /** Asks targets of REALITY; without it none is asked. */
  readonly targetProbe?: TargetProbe;
  /** Without them there are no backups. */
  readonly backups?: Backups;
  /** With it there is a Mini App: the certificates that the panel says it serves. */
  readonly served?: MiniAppParts['served'];
  /** A key file keeps the vault's key, unless there is to be no vault. */
  readonly vault?: 'none';
}

export interface TestPanel extends AsyncDisposable {
  readonly core: Core;
  readonly store: Store;
  readonly clock: Clock;
  readonly vault: Vault;
  readonly log: TestLog;
  readonly folder: string;
  readonly database: string;
  readonly host: string;
  readonly port: number;
  /** PEM of the authority; undefined over plain HTTP. */
  readonly ca: string | undefined;
  readonly origin: string;
  readonly baseUrl: string;
  readonly secretPath: string;
  /** Keys that never expire, and clients that carry them. */
  readonly keys: Readonly<Record<Access, string>>;
  readonly full: Client;
  readonly read: Client;
  /** Makes a key as the administrator does. */
  makeKey(access: Access, expiresInDays?: 30 | 90 | 365): Promise<{ readonly key: Key; readonly value: string }>;
  /** Runs an operation as the administrator in the panel, whose replies hold everything. */
  act<Id extends HandledId>(id: Id, input: CallOf<(typeof OPERATIONS)[Id]>): Promise<OutputOf<(typeof OPERATIONS)[Id]>>;
  /** Begins a session of the administrator; its token. */
  signIn(): Promise<string>;
  /** From now on no page more fits into the database, as on a full disk; false: again as many as there are. */
  fillDisk(isFull: boolean): void;
  /** Counts traffic as a node brings it in. */
  move(traffic: NodeTraffic): void;
  /** Stops everything; the folder stays for another panel where `keep`. */
  stop(options?: { readonly keep?: boolean }): Promise<void>;
}

/** Payment providers of the panel's time; requests take the machine's, and no pause is between them. */
function createTestProviders(clock: Clock): PaymentProviders {
  const client = createOutboundClient({
    timers: systemTimers,
    timeoutMs: 30_000,
    maxReplyBytes: 2 ** 20,
    reply: 'read',
    reusesConnections: false,
  });
  return {
    isRefused: isRefusedUrl,
    ...createProviders({ client, clock, timers: { after: (_ms, work) => systemTimers.after(0, work) } }),
  };
}

export async function startPanel(options: PanelOptions = {}): Promise<TestPanel> {
  const { panelClock, wrapStore = (store) => store } = options;
  const { clock = panelClock ?? systemClock } = options;
  // Where a test moves the time, nothing happens by itself.
  const timers = options.timers ?? (clock === systemClock ? systemTimers : createTestTimers());
  const parent = options.folder ?? mkdtempSync(join(tmpdir(), 'gatehouse-panel-'));
  const folder = join(parent, 'data');
  mkdirSync(folder, { recursive: true });
  const database = join(folder, 'panel.db');
  const log = createTestLog();
  const db = openDatabase(database);
  const opened = createStore(db, database);
  const store = wrapStore(opened);
  const { instanceId } = ensureFirstSettings(opened, nodeCrypto, options.timeZone ?? 'Europe/Berlin');
  const keeping = { instanceId, sealed: opened.sealed, keyFile: join(parent, 'master.key'), dataFolder: folder, log };
  const vault = options.vault === 'none' ? noVault : await openVault(keeping);
  // Of a real certificate for a real client: the machine's time, whatever the panel's is.
  const tls = options.tls
    ? await ensureCertificate({ folder: join(folder, 'tls'), clock: systemClock, log }, [HOST, 'localhost'])
    : null;
  let port = 0;
  const origin = () => buildOrigin({ scheme: tls ? 'https' : 'http', host: HOST, port, publicAddress: null });
  const thread = options.wrapHeavy ? createHeavyWriter({ database }, { clock, log }, origin) : null;
  const botClient = createBotClient({
    isRefused: isRefusedUrl,
    agent: async (...to) => createOutboundAgent(...to),
    parseLarge: async (bytes) => parseCountedJson(bytes),
  });
  const parts: CoreParts = {
    ...machineParts(),
    store,
    clock,
    ...(panelClock && { panelClock }),
    timers,
    log,
    origin,
    vault,
    host: () => null,
    webhookClient: createWebhookClient({ timers }),
    subscriptionReply: renderSubscription,
    templates: createTemplates(async () => null),
    paymentProviders: createTestProviders(clock),
    botClient,
    ...(options.targetProbe && { targetProbe: options.targetProbe }),
    ...(options.backups && { backups: options.backups }),
    passwords: createPasswordHasher(CHEAP_COST),
    heavy: thread && options.wrapHeavy ? options.wrapHeavy(thread) : null,
  };
  const core = createCore(parts);
  const subUrl = (path: string) => `${core.settings().publicUrl ?? origin()}/${core.settings().subPath}/${path}`;
  const { served } = options;
  const miniApp = served && createMiniApp({ core, clock, subUrl, served });
  const door = createDoor({
    core,
    clock,
    timers,
    log,
    version: parts.version,
    renderSubscription,
    renderOrder,
    renderTelegram,
    renderFriends,
    ...(miniApp && { miniApp: { ...miniApp, render: renderMiniApp } }),
    rateLimit: () => options.rateLimit ?? { perMinute: 0, burst: 0 },
    openapi: () => openApiDocument({ serverUrl: core.baseUrl() }),
  });
  const trustedProxies = () => core.settings().trustedProxies;
  const hosts = () => new Set(['panel.example', ...listHostNames(core.settings())]);
  const app = createApp({ door, core, clock, log, hosts, trustedProxies, panel: { pages: null } });
  const server = createServer({ app, log, tls: tls && { key: tls.key, cert: tls.chain }, trustedProxies });
  port = (await server.listen(HOST, 0)).port;
  core.start();
  const bot = startBot({ core, client: botClient, clock, timers, log, ...(miniApp && { miniApp }) });

  const act: TestPanel['act'] = async (id, input) => {
    const output = await runOperation(core, id, proven(id, input, PASSWORD), {
      actor: provenActor(id, input, ADMINISTRATOR),
      requestId: 'test',
      address: null,
    });
    // A writer that never rests would starve the sockets, which are served by this same thread.
    await setImmediate();
    return output;
  };
  const makeKey: TestPanel['makeKey'] = (access, expiresInDays) =>
    act('createKey', { name: `${access} key`, access, expires_in_days: expiresInDays ?? null, password: PASSWORD });
  const traffic = createHeavyEnv(parts);

  if (!core.local.isSetUp()) await core.local.setUp('admin', PASSWORD);
  const keys = { read: (await makeKey('read')).value, full: (await makeKey('full')).value };
  const client = createClient({ baseUrl: core.baseUrl(), ca: tls?.caPem });
  const stop: TestPanel['stop'] = async ({ keep = options.folder !== undefined } = {}) => {
    client.close();
    app.close();
    door.close();
    await server.close(2000);
    await bot.stop();
    await core.stop();
    await thread?.close();
    opened.close();
    if (!keep) rmSync(parent, { recursive: true, force: true });
  };

  return {
    core,
    store: opened,
    clock,
    vault,
    log,
    folder,
    database,
    host: HOST,
    port,
    keys,
    act,
    makeKey,
    stop,
    ca: tls?.caPem,
    origin: origin(),
    baseUrl: core.baseUrl(),
    secretPath: core.settings().secretPath,
    full: client.as(keys.full),
    read: client.as(keys.read),
    async signIn() {
      const call = { actor: ADMINISTRATOR, requestId: 'test', address: null };
      const reply = await core.call('signIn', { name: 'admin', password: PASSWORD }, call);
      return String(reply.sessionToken);
    },
    fillDisk(isFull) {
      const pages = Number(db.pragma('page_count', { simple: true }));
      db.pragma(`max_page_count = ${isFull ? pages : 2 ** 32 - 2}`);
    },
    move(moved) {
      const call = {
        actor: { ...ADMINISTRATOR, kind: 'panel', id: null } as const,
        requestId: 'traffic',
        address: null,
      };
      store.write(() => countTraffic(createTransaction(traffic, { name: 'traffic', by: call }, clock.now()), moved));
    },
    [Symbol.asyncDispose]: () => stop(),
  };
}
