// The composition root: opens a panel over a data folder with all its parts. Each started part adds its stop step at once.
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { AlpnAnswers } from '../adapters/acme/challenges.ts';
import { createLazyAcme } from '../adapters/acme/lazy-client.ts';
import { createClockReader } from '../adapters/clock.ts';
import { openControlSocket } from '../adapters/control-socket.ts';
import { FILES } from '../adapters/data-folder.ts';
import { readReleaseSource } from '../adapters/installation.ts';
import { openLog } from '../adapters/log.ts';
import { isRefusedUrl } from '../adapters/outbound-client.ts';
import { createPanelClock } from '../adapters/panel-clock.ts';
import { openBackupPlaces } from '../adapters/places/place-thread.ts';
import { checkReach } from '../adapters/reach-check.ts';
import { listenForReplyDates } from '../adapters/reply-dates.ts';
import { toRefusal } from '../adapters/start-obstacle.ts';
import { createTargetProbe } from '../adapters/target-probe.ts';
import { totp } from '../adapters/totp.ts';
import { createStoredSession, type StoredSession } from '../adapters/vault/stored-session.ts';
import { openVault } from '../adapters/vault/vault.ts';
import { startBot } from '../bot/bot.ts';
import { createBotClient } from '../bot/client.ts';
import { createMiniApp } from '../bot/mini-app.ts';
import { openApiDocument } from '../contract/openapi/openapi.ts';
import { createCore } from '../core/create-core.ts';
import type { Core, CoreParts } from '../core/kernel/core.ts';
import type { CertificateTarget, HostPorts, Listeners, Network } from '../core/ports/host.ts';
import type { Log, Store, Totp } from '../core/ports/ports.ts';
import type { SettingValues } from '../core/ports/settings.ts';
import type { PanelClock } from '../core/ports/time.ts';
import { createDoor, type Door } from '../door/door.ts';
import { createApp } from '../http/app.ts';
import { openInstalledPages } from '../http/pages.ts';
import { createServer, type PanelServer } from '../http/server.ts';
import { renderMiniApp } from '../subscription/page/mini-app.ts';
import { renderOrder } from '../subscription/page/order-page.ts';
import { previewPage } from '../subscription/page/page.ts';
import { renderFriends, renderTelegram } from '../subscription/page/telegram.ts';
import { renderSubscription } from '../subscription/render.ts';
import { type BackupParts, createBackups } from './backup/backups.ts';
import { buildOverrides, checkOptions, type PanelOptions } from './config.ts';
import { openEngines } from './engines.ts';
import { openImportUploads } from './import-uploads.ts';
import { createListeners, listenFirst } from './listeners.ts';
import { buildCall, dispatchCommand, getAddresses, setupLink } from './local-commands.ts';
import { machineParts } from './machine-parts.ts';
import { authoritySealing, backedUpCertificates } from './own-authority.ts';
import { findKeyFile, prepareKeyFile } from './own-key-file.ts';
import { DESKTOP, ownFolder } from './owned-folder.ts';
import { createPublicOrigin } from './public-origin.ts';
import { openRole, readMark, recordStart } from './role.ts';
import { sealedKey } from './sealed-key.ts';
import { openCertificates, type ServedCertificates } from './served-certificates.ts';
import { createStopSteps, type StopSteps } from './stop-steps.ts';
import { switchLocalEngine } from './switch-engine.ts';
import { createCheckpointer } from './workers/checkpointer.ts';
import { createHeavyWriter } from './workers/heavy-writer.ts';
import { createImportFiles } from './workers/import-thread.ts';
import { createJsonThread, type JsonThread } from './workers/json-thread.ts';
import { createPaymentThread } from './workers/payment-thread.ts';
import { createWebhookThread } from './workers/webhook-thread.ts';

export type Panel = {
  readonly core: Core;
  /** The listening address; null after a stop. */
  address(): AddressInfo | null;
  readonly log: Log;
  readonly version: string;
  readonly baseUrl: string;
  readonly panelUrl: string;
  /** The one-time setup link; null if there is an administrator, or no door on a socket. Must not be logged. */
  readonly setupUrl: string | null;
  /** The master key file; null: the keychain, or none. */
  readonly keyFile: string | null;
  /** The local authority's certificate, for `curl --cacert`; null on plain HTTP. */
  readonly caPath: string | null;
  /** The doors, for a window in this process. */
  readonly door: Door;
  /** Stores the window's session across restarts. */
  readonly storedSession: StoredSession;
  readonly api: {
    isPaused(): boolean;
    /** While paused, the API replies 503 `unavailable` to valid keys; links still work. For this run. */
    pause(isPaused: boolean): void;
  };
  /** After a suspend: reads the networks again, and runs overdue jobs. */
  wake(): Promise<void>;
  /**
   * Finishes running requests (at most 5 s) and writes, and releases the data folder. A second call waits for the first. Rejects with the first
   * failure of a step, which is logged; the other steps still run.
   */
  close(): Promise<void>;
};

const BURST = 100;
const STOP_GRACE_MS = 5000;

/** Opens and starts a panel. Throws a refusal if that fails; nothing stays open then. */
export async function openPanel(options: PanelOptions): Promise<Panel> {
  checkOptions(options);
  const steps = createStopSteps();
  try {
    return await open(options, steps);
  } catch (error) {
    // Failures of these steps are logged; the reason of the failed start is more important.
    await steps.stopAll().catch(() => {});
    throw toRefusal(error, options.folder);
  }
}

async function open(options: PanelOptions, steps: StopSteps): Promise<Panel> {
  const { folder, plainHttp = false } = options;
  const owned = ownFolder(folder, options.isInside ? DESKTOP : 'serve');
  steps.add('data folder', owned.close);
  const log = openLog(options.log ?? { file: join(folder, FILES.log) });
  steps.log = log;
  steps.add('log', log.close);
  const store = withOverrides(owned.store, buildOverrides(options));
  const panelClock = createPanelClock({
    read: createClockReader(),
    knownAt: store.settings.get().knownAt,
    builtAt: readBuiltAt(),
    log,
  });
  steps.add('clock', listenForReplyDates(panelClock.addEvidence));
  const parts = {
    ...machineParts(options.passwordCost),
    clock: panelClock,
    panelClock,
    totp: withMachineTime(totp, panelClock),
  };
  const { clock, timers, crypto, version } = parts;

  // Read from the store until the port is known, then from the core's cache.
  let currentSettings = () => store.settings.get();
  const reach = createPublicOrigin(options, () => currentSettings(), timers);
  steps.add('addresses', reach.stop);
  const heavy = createHeavyWriter({ database: owned.database }, { clock, log }, reach.origin);
  steps.add('writer thread', heavy.close);
  const importFiles = createImportFiles(folder, owned.database);
  steps.add('import thread', importFiles.close);
  const checkpointer = createCheckpointer({ database: owned.database });
  steps.add('checkpoint thread', checkpointer.close);
  const { instanceId } = store.settings.get();
  const sealed = sealedKey(folder, store.sealed);
  const given = options.keyFile ?? null;
  const keyFile = options.makesKeyFile
    ? await prepareKeyFile(given, { instanceId, sealed, dataFolder: folder, log })
    : findKeyFile(given, instanceId);
  const startKeychain = options.startKeychain ?? null;
  const vaultOptions = { instanceId, keyFile, dataFolder: folder, startKeychain, log };
  const vault = await openVault({ ...vaultOptions, sealed });
  steps.add('vault', vault.close);
  const backupParts = {
    store,
    vault,
    clock,
    version,
    certificates: backedUpCertificates({ store, vault, log, clock, folder }, () => served),
  };
  const backups = createPanelBackups(options, owned, backupParts, vaultOptions, reach.origin, [
    heavy,
    checkpointer,
    importFiles,
  ]);
  let host: HostPorts | null = null;
  let served: ServedCertificates | null = null;
  const webhookClient = createWebhookThread(log);
  const json = createJsonThread();
  steps.add('parser thread', json.close);
  const botClient = createBotClient({ isRefused: isRefusedUrl, agent: loadAgent, parseLarge: json.parseReply });
  const subUrl = (path: string) => buildSubUrl(currentSettings(), reach.origin(), path);
  const demoShop = options.openDemoShop?.(folder, subUrl);
  // Before the core caches the settings.
  await demoShop?.prepare({ store, vault, now: clock.now() });
  const paymentThread = createPaymentThread(log, panelClock.addEvidence);
  const role = openRole({ folder, store, startedAt: recordStart({ store, log }, clock.now()), log });
  const engines = await openEngines({
    ...parts,
    role,
    store,
    vault,
    folder,
    log,
    parseLarge: json.parseReply,
    switchEngine: (name) => switchLocalEngine({ core, folder, call: buildCall({ crypto }) }, name),
  });
  const core = createCore({
    ...parts,
    ...engines,
    subscriptionPage: previewPage,
    subscriptionReply: renderSubscription,
    pollEveryMs: options.pollEveryMs,
    addressTrialMs: options.addressTrialMs,
    // Nodes and REALITY targets of a demonstration are simulated, and cannot report another panel.
    ...(options.openEngine ? { openEngine: options.openEngine } : { targetProbe: createTargetProbe({ timers }), role }),
    store,
    vault,
    keyFile,
    log,
    heavy,
    backups,
    backupPlaces: openBackupPlaces(folder),
    importFiles,
    importUploads: await openImportUploads(folder),
    webhookClient,
    paymentProviders: demoShop?.withTestProvider(paymentThread) ?? paymentThread,
    botClient,
    checkpointer,
    host: () => host,
    origin: reach.origin,
    hideSecret: log.hide,
  });
  // The core caches the settings at the first read: until the port is known they are read from the store.
  const settings = store.settings.get();
  log.hide(settings.secretPath);
  steps.add('core', core.stop);

  const listened = new Set([options.host ?? settings.host]);
  if (settings.linksPort !== null) listened.add(settings.linksHost);
  const certificates = await openPanelCertificates(
    options,
    parts,
    { store, vault, log },
    listened,
    (target, identity) => listeners.replaceCertificate(target, identity),
  );
  served = certificates;
  if (certificates) steps.add('certificates', certificates.stop);
  const openServer = (target: CertificateTarget, accepted: (socket: object) => void) =>
    createPanelServer({ app, log, certificates, trustedProxies, listened, alpnAnswers }, target, accepted);
  const listeners = createListeners(openServer, STOP_GRACE_MS, reach.listensOn);
  const alpnAnswers: AlpnAnswers = new Map();
  const acme = plainHttp ? null : createLazyAcme({ folder: join(folder, FILES.tls), timers, alpnAnswers, log });
  const network: Network = {
    origins: reach.origins,
    connect: (origin) => checkReach(origin, certificates?.authority().pem ?? null),
  };
  host = { listeners, network, certificates, acme };

  const miniApp = createMiniApp({ core, clock, subUrl, served: () => certificates?.served() ?? null });
  const api = createApiSwitch(log);
  const extraLinks = demoShop?.door(core, store);
  const doors = { clock, timers, log, version, miniApp, extraLinks, parseLargeBody: json.parseBody };
  const door = createPanelDoor({ core, ...doors, isPaused: api.isPaused });
  const trustedProxies = () => core.settings().trustedProxies;
  const app = createApp({
    door,
    core,
    clock,
    log,
    hosts: reach.names,
    trustedProxies,
    isOnTrial: listeners.isOnTrial,
    isTrusted: () => certificates?.isTrusted() ?? false,
    ...(!options.isInside && { panel: { pages: openInstalledPages() } }),
  });
  steps.add('listeners', async () => {
    app.close();
    door.close();
    await listeners.close(STOP_GRACE_MS);
  });
  const place = await listenFirst(listeners, options, store);
  currentSettings = core.settings;
  reach.listensOn(place);
  await openLinks(listeners, core.settings(), log);

  core.start();
  steps.add('bot', startBot({ core, client: botClient, clock, timers, log, miniApp }).stop);
  const caPath = certificates?.caPath ?? null;
  const { launcher } = options;
  const examine = () => ({ vault: vault.state(), place: listeners.place(), ignored_proxy: app.ignoredProxy() });
  const panel = {
    core,
    crypto,
    caPath: () => caPath,
    origin: reach.origin,
    hasDoor: !options.isInside,
    launcher,
    examine,
    folder,
  };
  const control = await openControlSocket(folder, (name, args) => dispatchCommand(panel, name, args), log);
  steps.add('control socket', control.close);
  const token = core.local.isSetUp() || options.isInside ? null : await core.local.renewSetupToken();
  log.info('panel started', { version, ...place });

  let closing: Promise<void> | null = null;
  return {
    core,
    address: listeners.address,
    log,
    version,
    baseUrl: core.baseUrl(),
    panelUrl: getAddresses(panel).panel_url,
    setupUrl: token === null ? null : setupLink(panel, token),
    keyFile,
    caPath,
    door,
    storedSession: createStoredSession(instanceId, log, startKeychain),
    api,
    async wake() {
      reach.forget();
      await core.catchUp();
    },
    close() {
      if (closing === null) log.info('panel stops');
      closing ??= steps.stopAll();
      return closing;
    },
  };
}

/** Epoch ms; null: unknown, as in the desktop application. */
function readBuiltAt(): number | null {
  try {
    const { builtAfter } = readReleaseSource();
    return builtAfter === null ? null : Date.parse(builtAfter);
  } catch {
    return null;
  }
}

/** While the clock is in doubt, codes of either time are valid, so that the administrator can sign in and confirm the clock. */
function withMachineTime(codes: Totp, panelClock: PanelClock): Totp {
  return {
    ...codes,
    findStep(secret, code, now) {
      const { state, machineAt } = panelClock.status();
      const step = codes.findStep(secret, code, now);
      return step === null && state === 'doubted' ? codes.findStep(secret, code, machineAt) : step;
    },
  };
}

function buildSubUrl({ publicUrl, subPath }: SettingValues, origin: string, path: string): string {
  return `${publicUrl ?? origin}/${subPath}/${path}`;
}

function createApiSwitch(log: Log): Panel['api'] {
  let isPaused = false;
  return {
    isPaused: () => isPaused,
    pause(isTo) {
      isPaused = isTo;
      log.info(isPaused ? 'API paused' : 'API goes on');
    },
  };
}

/** `others`: the other connections to the database. */
function createPanelBackups(
  { folder }: PanelOptions,
  { database, swap }: ReturnType<typeof ownFolder>,
  parts: Pick<CoreParts, 'store' | 'vault' | 'clock' | 'version'> & Pick<BackupParts, 'certificates'>,
  vaultOptions: Omit<Parameters<typeof openVault>[0], 'sealed'>,
  origin: () => string,
  others: readonly { close(): Promise<unknown> }[],
) {
  return createBackups({
    ...parts,
    folder,
    database,
    swap,
    openEmptyVault: () => openVault({ ...vaultOptions, sealed: { keyId: () => null } }),
    supersededBy: () => readMark(folder),
    linksOrigin: () => parts.store.settings.get().publicUrl ?? origin(),
    releaseDatabase: async () => {
      for (const other of others) await other.close();
    },
  });
}

interface DoorParts extends Pick<CoreParts, 'clock' | 'timers' | 'log' | 'version'> {
  readonly core: Core;
  readonly miniApp: ReturnType<typeof createMiniApp>;
  readonly extraLinks: Parameters<typeof createDoor>[0]['extraLinks'];
  readonly parseLargeBody: JsonThread['parseBody'];
  isPaused(): boolean;
}

/** Both doors with their documents. */
function createPanelDoor({ core, miniApp, ...parts }: DoorParts): Door {
  return createDoor({
    ...parts,
    core,
    renderSubscription,
    renderOrder,
    renderTelegram,
    renderFriends,
    miniApp: { ...miniApp, render: renderMiniApp },
    rateLimit: () => ({ perMinute: core.settings().rateLimit, burst: BURST }),
    openapi: () => openApiDocument({ serverUrl: core.baseUrl() }),
  });
}

interface ServerParts extends Pick<Parameters<typeof createServer>[0], 'app' | 'log' | 'trustedProxies'> {
  readonly certificates: Awaited<ReturnType<typeof openCertificates>> | null;
  /** Hosts that are listened on. */
  readonly listened: Set<string>;
  readonly alpnAnswers: AlpnAnswers;
}

function createPanelServer(
  { certificates, listened, alpnAnswers, ...parts }: ServerParts,
  target: CertificateTarget,
  accepted: (socket: object) => void,
): PanelServer {
  const tls = certificates?.identity(target) ?? null;
  const acmeAnswer = (name: string) => alpnAnswers.get(name) ?? null;
  const server = createServer({ ...parts, tls, linksOnly: target === 'links', accepted, acmeAnswer });
  // A tried address is added to the certificate before its confirmation, which the browser sends there.
  const listen: PanelServer['listen'] = (host, port) => {
    listened.add(host);
    return server.listen(host, port);
  };
  return { ...server, listen };
}

/** null: plain HTTP. `listened`: listening hosts; `replace`: called with a new certificate. */
async function openPanelCertificates(
  { folder, plainHttp = false }: PanelOptions,
  { clock, timers }: Pick<CoreParts, 'clock' | 'timers'>,
  { store, vault, log }: Pick<CoreParts, 'store' | 'vault' | 'log'>,
  listened: ReadonlySet<string>,
  replace: Parameters<typeof openCertificates>[0]['replace'],
) {
  if (plainHttp) return null;
  return openCertificates({
    folder,
    clock,
    timers,
    log,
    sealing: authoritySealing({ store, vault }),
    settings: store.settings.get,
    listensOn: () => listened,
    hasLinks: () => store.settings.get().linksPort !== null,
    replace,
  });
}

/** Loaded with the bot only. */
async function loadAgent(url: string, allowPrivate: boolean, proxy: string | null) {
  const { createOutboundAgent } = await import('../adapters/outbound-agent.ts');
  return createOutboundAgent(url, allowPrivate, proxy);
}

/** Opens the listener for links, if configured; the panel starts even if that fails. */
async function openLinks(listeners: Listeners, { linksPort, linksHost }: SettingValues, log: Log): Promise<void> {
  if (linksPort === null) return;
  try {
    await listeners.serveLinksAt({ host: linksHost, port: linksPort });
  } catch {
    log.error('links not served', { host: linksHost, port: linksPort });
  }
}

/** Options of the start override stored settings in this run. */
function withOverrides(store: Store, overrides: Partial<SettingValues>): Store {
  const { settings } = store;
  const get = () => ({ ...settings.get(), ...overrides });
  return { ...store, settings: { get, has: (name) => settings.has(name), set: (values) => settings.set(values) } };
}
