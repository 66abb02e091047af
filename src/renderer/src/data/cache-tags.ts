// The cache tags that each operation reads or changes: a change invalidates every answer that was read under one of its tags.
import type { QueryClient } from '@tanstack/react-query';
import type { EventType } from '../../../contract/event-types.ts';
import type { OperationId } from '../../../contract/table.ts';

/** `panel`: data of the panel itself, such as sessions, keys, certificates and backups. */
const ALL = ['user', 'tariff', 'inbound', 'node', 'settings', 'webhook', 'provider', 'bot', 'sale', 'panel'] as const;
export type CacheTag = (typeof ALL)[number];

interface Read {
  readonly reads: readonly CacheTag[];
}

interface Change {
  readonly changes: readonly CacheTag[];
  /** The read operation that returns the same record as this change, under the same id. */
  readonly record?: OperationId;
}

/** Every operation of the contract: one that is missing here, or an unknown tag, is a type error. */
export const EFFECTS: Readonly<Record<OperationId, Read | Change>> = {
  listUsers: { reads: ['user'] },
  getUser: { reads: ['user'] },
  getUserTraffic: { reads: ['user'] },
  getUserTrafficByNode: { reads: ['user', 'node'] },
  getUserAddresses: { reads: ['user'] },
  getFormerLink: { reads: ['user', 'node'] },
  diagnoseUser: { reads: ['user', 'inbound', 'node', 'settings', 'panel'] },
  identify: { reads: ['user', 'panel'] },
  createUser: { changes: ['user'] },
  updateUser: { changes: ['user'], record: 'getUser' },
  deleteUser: { changes: ['user'] },
  putUser: { changes: ['user'] },
  findUserByLink: { reads: ['user'] },
  createUsers: { changes: ['user'] },
  extendUser: { changes: ['user'] },
  shortenUser: { changes: ['user'] },
  resetUserTraffic: { changes: ['user'] },
  reissueUser: { changes: ['user'] },
  bulkUsers: { changes: ['user'] },
  getSubscriptionPage: { reads: ['user', 'tariff', 'inbound', 'node', 'settings', 'sale', 'panel'] },
  bulkBatch: { changes: ['user'] },
  previewBulk: { reads: ['user', 'tariff'] },
  undoActs: { changes: ['user', 'panel'] },
  listUserViews: { reads: ['panel'] },
  saveUserView: { changes: ['panel'] },
  deleteUserView: { changes: ['panel'] },
  listGrants: { reads: ['user'] },
  getGrant: { reads: ['user'] },
  createGrant: { changes: ['user'] },
  deleteGrant: { changes: ['user'] },

  // A plan contains the number of its users.
  listTariffs: { reads: ['tariff', 'user'] },
  getTariff: { reads: ['tariff', 'user'] },
  createTariff: { changes: ['tariff'] },
  updateTariff: { changes: ['tariff'], record: 'getTariff' },
  deleteTariff: { changes: ['tariff'] },

  // The first offer of a plan has the plan's price.
  listOffers: { reads: ['sale', 'tariff'] },
  createOffer: { changes: ['sale', 'tariff'] },
  changeOffer: { changes: ['sale', 'tariff'] },
  deleteOffer: { changes: ['sale', 'tariff'] },
  listPromos: { reads: ['sale'] },
  createPromo: { changes: ['sale'] },
  changePromo: { changes: ['sale'] },
  deletePromo: { changes: ['sale'] },
  getBotRequests: { reads: ['bot', 'panel'] },
  saveBotRequests: { changes: ['bot'] },
  decideBotRequest: { changes: ['bot', 'user'] },
  previewBroadcast: { reads: ['user', 'bot'] },
  testBroadcast: { changes: ['bot'] },
  createBroadcast: { changes: ['bot'] },
  changeBroadcast: { changes: ['bot'] },
  listBroadcasts: { reads: ['bot'] },
  listBroadcastPeople: { reads: ['bot', 'user'] },
  getReferrals: { reads: ['sale', 'user'] },
  saveReferrals: { changes: ['sale'] },
  recordPayment: { changes: ['sale', 'user'] },
  createOrder: { changes: ['sale'] },
  openOrder: { changes: ['sale'] },
  askOrder: { changes: ['sale', 'user'] },
  listAttention: { reads: ['sale', 'user', 'provider'] },
  reconcilePayments: { changes: ['sale', 'user', 'provider'] },
  resolvePayment: { changes: ['sale', 'user'] },
  listOrders: { reads: ['sale', 'user'] },
  previewRefund: { reads: ['sale', 'user'] },
  refundOrder: { changes: ['sale', 'user'] },
  getSales: { reads: ['sale', 'settings'] },

  // A connection is up if its node is.
  listInbounds: { reads: ['inbound', 'node'] },
  getInbound: { reads: ['inbound', 'node'] },
  createInbound: { changes: ['inbound'] },
  updateInbound: { changes: ['inbound'], record: 'getInbound' },
  placeInbound: { changes: ['inbound', 'tariff', 'user'] },
  deleteInbound: { changes: ['inbound'] },
  makeRealityKeys: { reads: [] },
  makeVlessEncryption: { reads: [] },
  makeMldsa65: { reads: [] },

  listNodes: { reads: ['node'] },
  getNode: { reads: ['node'] },
  getNodeLog: { reads: ['node'] },
  createNode: { changes: ['node'] },
  updateNode: { changes: ['node'], record: 'getNode' },
  suggestLocalNode: { changes: ['panel'] },
  setUpLocalNode: { changes: ['node', 'inbound'] },
  inviteNode: { changes: ['node'] },
  previewEngineUpdate: { changes: ['panel'] },
  updateEngines: { changes: ['node'] },
  getEngineUpdate: { reads: ['node'] },
  stopEngineUpdate: { changes: ['node'] },
  deleteNode: { changes: ['node'] },

  // Days depend on the panel's time zone.
  getOverview: { reads: ['user', 'node', 'settings'] },
  getServerTraffic: { reads: ['settings'] },
  getUserStats: { reads: ['user', 'tariff', 'settings'] },
  listEvents: { reads: [] },
  getMetrics: { reads: [] },
  listAudit: { reads: ALL },
  listAuditUsers: { reads: ['user', 'panel'] },

  getSettings: { reads: ['settings', 'panel'] },
  getPanelSettings: { reads: ['settings', 'panel'] },
  updateSettings: { changes: ['settings', 'panel'] },
  getSubscriptionRules: { reads: ['settings', 'panel'] },
  saveSubscriptionRules: { changes: ['settings', 'panel'] },
  trySubscription: { reads: ['user', 'tariff', 'inbound', 'node', 'settings', 'panel'] },
  getSubscriptionHeaders: { reads: ['settings', 'panel'] },
  saveSubscriptionHeaders: { changes: ['settings', 'panel'] },
  getSubscriptionApps: { reads: ['settings', 'panel'] },
  saveSubscriptionApps: { changes: ['settings', 'panel'] },
  getSubscriptionTemplates: { reads: ['settings', 'panel'] },
  saveSubscriptionTemplate: { changes: ['settings', 'panel'] },
  deleteSubscriptionTemplate: { changes: ['settings', 'panel'] },
  chooseSubscriptionTemplate: { changes: ['settings', 'panel'] },
  getOpenApi: { reads: ['settings', 'panel'] },
  tryApi: { reads: [] },

  panelState: { reads: ['settings', 'panel'] },
  getFailedAttempts: { reads: ['panel'] },
  setUp: { changes: ['panel'] },
  signIn: { changes: ['panel'] },
  signOut: { changes: ['panel'] },
  listSessions: { reads: ['settings', 'panel'] },
  endSession: { changes: ['panel'] },
  endOtherSessions: { changes: ['panel'] },
  prove: { changes: ['panel'] },
  listKeys: { reads: ['settings', 'panel'] },
  createKey: { changes: ['panel'] },
  revokeKey: { changes: ['panel'] },
  confirmKey: { changes: ['panel'] },
  getTwoFactor: { reads: ['settings', 'panel'] },
  beginTwoFactor: { changes: ['panel'] },
  confirmTwoFactor: { changes: ['panel'] },
  disableTwoFactor: { changes: ['panel'] },
  renewRecoveryCodes: { changes: ['panel'] },
  changePassword: { changes: ['panel'] },
  getUpdates: { reads: ['settings', 'panel'] },
  checkForUpdates: { changes: ['panel'] },
  getClock: { reads: ['panel'] },
  getRole: { reads: ['panel'] },
  // Everything depends on the time.
  confirmClock: { changes: [...ALL] },
  getVault: { reads: ['settings', 'panel'] },
  refreshVault: { changes: ['panel'] },

  // Users' links contain the panel's address.
  getAddresses: { reads: ['settings', 'panel'] },
  changeAddresses: { changes: ['panel', 'settings', 'user'] },
  confirmAddresses: { changes: ['panel', 'settings', 'user'] },
  rotateSecretPath: { changes: ['panel'] },
  checkReach: { changes: ['panel'] },
  getCertificates: { reads: ['settings', 'panel'] },
  importCertificate: { changes: ['panel'] },
  renewCertificate: { changes: ['panel'] },
  replaceAuthority: { changes: ['panel'] },
  confirmAuthority: { changes: ['panel'] },
  getAcme: { reads: ['settings', 'panel'] },
  setUpAcme: { changes: ['panel', 'settings'] },
  retryAcme: { changes: ['panel'] },
  turnOffAcme: { changes: ['panel', 'settings'] },

  listWebhooks: { reads: ['settings', 'webhook'] },
  createWebhook: { changes: ['webhook'] },
  changeWebhook: { changes: ['webhook'] },
  enableWebhook: { changes: ['webhook'] },
  deleteWebhook: { changes: ['webhook'] },
  rotateWebhookSecret: { changes: ['webhook'] },
  testWebhook: { changes: ['webhook'] },
  listWebhookDeliveries: { reads: ['settings', 'webhook'] },
  redeliverWebhook: { changes: ['webhook'] },

  listProviders: { reads: ['settings', 'provider'] },
  createProvider: { changes: ['provider'] },
  changeProvider: { changes: ['provider'] },
  enableProvider: { changes: ['provider'] },
  setProviderHook: { changes: ['provider'] },
  testProvider: { changes: ['provider'] },
  deleteProvider: { changes: ['provider'] },
  getBot: { reads: ['bot', 'panel'] },
  saveBot: { changes: ['bot'] },
  enableBot: { changes: ['bot'] },
  testBot: { changes: ['bot'] },
  freeBot: { changes: ['bot'] },
  deleteBot: { changes: ['bot'] },
  sendUserLink: { changes: ['bot'] },
  inviteToBot: { changes: ['panel'] },
  getBotAdmins: { reads: ['bot', 'panel'] },
  inviteBotAdmin: { changes: ['panel'] },
  removeBotAdmin: { changes: ['bot'] },
  saveAdminNotices: { changes: ['bot'] },
  getBotNotices: { reads: ['bot', 'panel'] },
  saveBotNotices: { changes: ['bot'] },

  listBackups: { reads: ['settings', 'panel'] },
  createBackup: { changes: ['panel'] },
  deleteBackup: { changes: ['panel'] },
  sendBackup: { changes: ['panel'] },
  scheduleBackups: { changes: ['panel'] },
  checkBackup: { changes: ['panel'] },
  restoreBackup: { changes: ALL },
  addImportFile: { changes: ['panel'] },
  planImport: { changes: ['panel'] },
  getImport: { reads: ['user', 'settings', 'panel'] },
  applyImport: { changes: ALL },
  discardImport: { changes: ['panel'] },
  undoImport: { changes: ALL },
  exportData: { changes: ['panel'] },
  listBackupPlaces: { reads: ['settings', 'bot', 'panel'] },
  createBackupPlace: { changes: ['panel'] },
  changeBackupPlace: { changes: ['panel'] },
  deleteBackupPlace: { changes: ['panel'] },
  testBackupPlace: { changes: ['panel'] },
  listPlacedBackups: { changes: ['panel'] },
  backUpToPlace: { changes: ['panel'] },
};

/** The tags that an operation invalidates. */
export function changedTags(id: OperationId): readonly CacheTag[] {
  const effect = EFFECTS[id];
  return 'changes' in effect ? effect.changes : [];
}

/** The read operations that depend on a tag. */
export function listReads(tag: CacheTag): readonly OperationId[] {
  return (Object.keys(EFFECTS) as OperationId[]).filter((id) => {
    const effect = EFFECTS[id];
    return 'reads' in effect && effect.reads.includes(tag);
  });
}

/** The part of an event's type before its dot. */
type EventSubject = EventType extends `${infer Subject}.${string}` ? Subject : never;

const EVENT_TAGS: Readonly<Record<EventSubject, CacheTag>> = {
  user: 'user',
  tariff: 'tariff',
  inbound: 'inbound',
  node: 'node',
  settings: 'settings',
  backup: 'panel',
  certificate: 'panel',
  panel: 'panel',
  webhook: 'webhook',
  provider: 'provider',
};

/** The tag that an event invalidates; undefined: an event of a newer panel, which may concern anything. */
export function tagOfEvent(type: string): CacheTag | undefined {
  const subject = type.slice(0, type.indexOf('.'));
  return Object.hasOwn(EVENT_TAGS, subject) ? EVENT_TAGS[subject as EventSubject] : undefined;
}

/** During a burst of events, as from a bulk action, answers are invalidated at once and then at most at this interval, in ms. */
const PAUSE_MS = 1000;

/** Creates `invalidate(tag)`: invalidates the answers under a tag and reads those on screen again. Without a tag: all answers. */
export function createInvalidator(client: QueryClient): (tag?: CacheTag) => void {
  const waiting = new Set<CacheTag | 'all'>();
  let timer: ReturnType<typeof setTimeout> | null = null;

  function flush(): void {
    timer = null;
    if (waiting.size === 0) return;
    const isAll = waiting.has('all');
    const reads = new Set([...waiting].flatMap((tag) => (tag === 'all' ? [] : listReads(tag))));
    waiting.clear();
    void client.invalidateQueries(isAll ? {} : { predicate: ({ queryKey }) => reads.has(queryKey[0] as OperationId) }, {
      cancelRefetch: false,
    });
    timer = setTimeout(flush, PAUSE_MS);
  }

  return (tag) => {
    waiting.add(tag ?? 'all');
    if (timer === null) timer = setTimeout(flush, 0);
  };
}
