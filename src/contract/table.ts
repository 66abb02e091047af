// The one table of operations. Routes, handlers, documents, client and tests are derived from it.

import * as audit from './access/audit.ts';
import * as keys from './access/keys.ts';
import * as proof from './access/proof.ts';
import * as session from './access/session.ts';
import * as twoFactor from './access/two-factor.ts';
import * as backupPlaces from './backup-places.ts';
import * as backups from './backups.ts';
import * as bot from './bot/bot.ts';
import * as botAdmins from './bot/bot-admins.ts';
import * as botNotices from './bot/bot-notices.ts';
import * as botRequests from './bot/bot-requests.ts';
import * as broadcasts from './bot/broadcasts.ts';
import * as events from './events.ts';
import * as imports from './imports/imports.ts';
import * as inbounds from './inbounds.ts';
import * as monitoring from './monitoring.ts';
import * as engineUpdate from './nodes/engine-update.ts';
import * as localNode from './nodes/local-node.ts';
import * as nodes from './nodes/nodes.ts';
import type { ApiOperation, InputOf, Operation, OutputOf } from './operation.ts';
import * as promos from './sales/promos.ts';
import * as providers from './sales/providers.ts';
import * as referrals from './sales/referrals.ts';
import * as sales from './sales/sales.ts';
import * as acme from './settings/acme.ts';
import * as addresses from './settings/addresses.ts';
import * as certificates from './settings/certificates.ts';
import * as clock from './settings/clock.ts';
import * as role from './settings/role.ts';
import * as settings from './settings/settings.ts';
import * as vault from './settings/vault.ts';
import * as stats from './stats.ts';
import * as subscriptionApps from './subscription/apps.ts';
import * as subscriptionHeaders from './subscription/headers.ts';
import * as subscriptionRules from './subscription/rules.ts';
import * as subscriptionTemplates from './subscription/templates.ts';
import * as tariffs from './tariffs.ts';
import * as trying from './try-api.ts';
import * as updates from './updates.ts';
import * as bulkBatch from './users/bulk-batch.ts';
import * as bulkPreview from './users/bulk-preview.ts';
import * as diagnosis from './users/diagnosis.ts';
import * as formerLink from './users/former-link.ts';
import * as grants from './users/grants.ts';
import * as subscriptionPage from './users/subscription-page.ts';
import * as undo from './users/undo.ts';
import * as acts from './users/user-acts.ts';
import * as userViews from './users/user-views.ts';
import * as users from './users/users.ts';
import * as webhooks from './webhooks.ts';

export const OPERATIONS = {
  listUsers: users.listUsers,
  createUser: users.createUser,
  getUser: users.getUser,
  updateUser: users.updateUser,
  putUser: users.putUser,
  findUserByLink: users.findUserByLink,
  createUsers: users.createUsers,
  deleteUser: users.deleteUser,
  extendUser: acts.extendUser,
  shortenUser: acts.shortenUser,
  resetUserTraffic: acts.resetUserTraffic,
  reissueUser: acts.reissueUser,
  bulkUsers: acts.bulkUsers,
  previewBulk: bulkPreview.previewBulk,
  bulkBatch: bulkBatch.bulkBatch,
  getSubscriptionPage: subscriptionPage.getSubscriptionPage,
  getSubscriptionRules: subscriptionRules.getSubscriptionRules,
  saveSubscriptionRules: subscriptionRules.saveSubscriptionRules,
  trySubscription: subscriptionRules.trySubscription,
  getSubscriptionHeaders: subscriptionHeaders.getSubscriptionHeaders,
  saveSubscriptionHeaders: subscriptionHeaders.saveSubscriptionHeaders,
  getSubscriptionApps: subscriptionApps.getSubscriptionApps,
  saveSubscriptionApps: subscriptionApps.saveSubscriptionApps,
  getSubscriptionTemplates: subscriptionTemplates.getSubscriptionTemplates,
  saveSubscriptionTemplate: subscriptionTemplates.saveSubscriptionTemplate,
  deleteSubscriptionTemplate: subscriptionTemplates.deleteSubscriptionTemplate,
  chooseSubscriptionTemplate: subscriptionTemplates.chooseSubscriptionTemplate,
  undoActs: undo.undoActs,
  getUserTraffic: acts.getUserTraffic,
  getUserTrafficByNode: acts.getUserTrafficByNode,
  getUserAddresses: acts.getUserAddresses,
  getFormerLink: formerLink.getFormerLink,
  diagnoseUser: diagnosis.diagnoseUser,
  identify: diagnosis.identify,
  listUserViews: userViews.listUserViews,
  saveUserView: userViews.saveUserView,
  deleteUserView: userViews.deleteUserView,
  createGrant: grants.createGrant,
  listGrants: grants.listGrants,
  getGrant: grants.getGrant,
  deleteGrant: grants.deleteGrant,
  listTariffs: tariffs.listTariffs,
  getTariff: tariffs.getTariff,
  createTariff: tariffs.createTariff,
  updateTariff: tariffs.updateTariff,
  deleteTariff: tariffs.deleteTariff,
  listInbounds: inbounds.listInbounds,
  getInbound: inbounds.getInbound,
  createInbound: inbounds.createInbound,
  updateInbound: inbounds.updateInbound,
  placeInbound: inbounds.placeInbound,
  deleteInbound: inbounds.deleteInbound,
  listNodes: nodes.listNodes,
  getNode: nodes.getNode,
  getOverview: stats.getOverview,
  getServerTraffic: stats.getServerTraffic,
  getUserStats: stats.getUserStats,
  listEvents: events.listEvents,
  getMetrics: monitoring.getMetrics,
  getSettings: settings.getSettings,
  getOpenApi: monitoring.getOpenApi,
  makeRealityKeys: inbounds.makeRealityKeys,
  makeVlessEncryption: inbounds.makeVlessEncryption,
  makeMldsa65: inbounds.makeMldsa65,
  getNodeLog: nodes.getNodeLog,
  createNode: nodes.createNode,
  updateNode: nodes.updateNode,
  suggestLocalNode: localNode.suggestLocalNode,
  setUpLocalNode: localNode.setUpLocalNode,
  inviteNode: nodes.inviteNode,
  previewEngineUpdate: engineUpdate.previewEngineUpdate,
  updateEngines: engineUpdate.updateEngines,
  getEngineUpdate: engineUpdate.getEngineUpdate,
  stopEngineUpdate: engineUpdate.stopEngineUpdate,
  deleteNode: nodes.deleteNode,
  panelState: session.panelState,
  setUp: session.setUp,
  signIn: session.signIn,
  signOut: session.signOut,
  listSessions: session.listSessions,
  getFailedAttempts: session.getFailedAttempts,
  endSession: session.endSession,
  endOtherSessions: session.endOtherSessions,
  prove: proof.prove,
  listKeys: keys.listKeys,
  createKey: keys.createKey,
  revokeKey: keys.revokeKey,
  confirmKey: keys.confirmKey,
  getTwoFactor: twoFactor.getTwoFactor,
  beginTwoFactor: twoFactor.beginTwoFactor,
  confirmTwoFactor: twoFactor.confirmTwoFactor,
  disableTwoFactor: twoFactor.disableTwoFactor,
  renewRecoveryCodes: twoFactor.renewRecoveryCodes,
  changePassword: twoFactor.changePassword,
  getUpdates: updates.getUpdates,
  checkForUpdates: updates.checkForUpdates,
  getClock: clock.getClock,
  confirmClock: clock.confirmClock,
  getRole: role.getRole,
  getVault: vault.getVault,
  refreshVault: vault.refreshVault,
  getPanelSettings: settings.getPanelSettings,
  updateSettings: settings.updateSettings,
  getAddresses: addresses.getAddresses,
  changeAddresses: addresses.changeAddresses,
  confirmAddresses: addresses.confirmAddresses,
  rotateSecretPath: addresses.rotateSecretPath,
  checkReach: addresses.checkReach,
  getCertificates: certificates.getCertificates,
  importCertificate: certificates.importCertificate,
  renewCertificate: certificates.renewCertificate,
  replaceAuthority: certificates.replaceAuthority,
  confirmAuthority: certificates.confirmAuthority,
  getAcme: acme.getAcme,
  setUpAcme: acme.setUpAcme,
  retryAcme: acme.retryAcme,
  turnOffAcme: acme.turnOffAcme,
  listBackups: backups.listBackups,
  createBackup: backups.createBackup,
  deleteBackup: backups.deleteBackup,
  sendBackup: backups.sendBackup,
  addImportFile: imports.addImportFile,
  planImport: imports.planImport,
  getImport: imports.getImport,
  applyImport: imports.applyImport,
  discardImport: imports.discardImport,
  undoImport: imports.undoImport,
  exportData: imports.exportData,
  scheduleBackups: backups.scheduleBackups,
  checkBackup: backups.checkBackup,
  restoreBackup: backups.restoreBackup,
  listBackupPlaces: backupPlaces.listBackupPlaces,
  createBackupPlace: backupPlaces.createBackupPlace,
  changeBackupPlace: backupPlaces.changeBackupPlace,
  deleteBackupPlace: backupPlaces.deleteBackupPlace,
  testBackupPlace: backupPlaces.testBackupPlace,
  listPlacedBackups: backupPlaces.listPlacedBackups,
  backUpToPlace: backupPlaces.backUpToPlace,
  listWebhooks: webhooks.listWebhooks,
  createWebhook: webhooks.createWebhook,
  changeWebhook: webhooks.changeWebhook,
  enableWebhook: webhooks.enableWebhook,
  deleteWebhook: webhooks.deleteWebhook,
  rotateWebhookSecret: webhooks.rotateWebhookSecret,
  testWebhook: webhooks.testWebhook,
  listWebhookDeliveries: webhooks.listWebhookDeliveries,
  redeliverWebhook: webhooks.redeliverWebhook,
  listProviders: providers.listProviders,
  createProvider: providers.createProvider,
  changeProvider: providers.changeProvider,
  enableProvider: providers.enableProvider,
  setProviderHook: providers.setProviderHook,
  testProvider: providers.testProvider,
  deleteProvider: providers.deleteProvider,
  getBot: bot.getBot,
  saveBot: bot.saveBot,
  enableBot: bot.enableBot,
  testBot: bot.testBot,
  freeBot: bot.freeBot,
  deleteBot: bot.deleteBot,
  inviteToBot: bot.inviteToBot,
  sendUserLink: bot.sendUserLink,
  getBotAdmins: botAdmins.getBotAdmins,
  inviteBotAdmin: botAdmins.inviteBotAdmin,
  removeBotAdmin: botAdmins.removeBotAdmin,
  saveAdminNotices: botAdmins.saveAdminNotices,
  getBotNotices: botNotices.getBotNotices,
  saveBotNotices: botNotices.saveBotNotices,
  getBotRequests: botRequests.getBotRequests,
  saveBotRequests: botRequests.saveBotRequests,
  decideBotRequest: botRequests.decideBotRequest,
  previewBroadcast: broadcasts.previewBroadcast,
  testBroadcast: broadcasts.testBroadcast,
  createBroadcast: broadcasts.createBroadcast,
  changeBroadcast: broadcasts.changeBroadcast,
  listBroadcasts: broadcasts.listBroadcasts,
  listBroadcastPeople: broadcasts.listBroadcastPeople,
  getReferrals: referrals.getReferrals,
  saveReferrals: referrals.saveReferrals,
  listOffers: sales.listOffers,
  createOffer: sales.createOffer,
  changeOffer: sales.changeOffer,
  deleteOffer: sales.deleteOffer,
  recordPayment: sales.recordPayment,
  createOrder: sales.createOrder,
  openOrder: sales.openOrder,
  askOrder: sales.askOrder,
  listAttention: sales.listAttention,
  resolvePayment: sales.resolvePayment,
  reconcilePayments: sales.reconcilePayments,
  listOrders: sales.listOrders,
  previewRefund: sales.previewRefund,
  refundOrder: sales.refundOrder,
  getSales: sales.getSales,
  listPromos: promos.listPromos,
  createPromo: promos.createPromo,
  changePromo: promos.changePromo,
  deletePromo: promos.deletePromo,
  listAudit: audit.listAudit,
  listAuditUsers: audit.listAuditUsers,
  tryApi: trying.tryApi,
} as const satisfies Record<string, Operation>;

export type OperationId = keyof typeof OPERATIONS;
export type Input<Id extends OperationId> = InputOf<(typeof OPERATIONS)[Id]>;
export type Output<Id extends OperationId> = OutputOf<(typeof OPERATIONS)[Id]>;

type WithId<Op> = Op & { readonly id: OperationId };

/** The operations that have a path, in the order of the documentation. */
export const API_OPERATIONS: readonly WithId<ApiOperation>[] = Object.values<WithId<Operation>>(OPERATIONS).filter(
  (operation) => operation.door === 'api',
);

/** First path segments that get `panel_only` instead of a plain 404. */
export const PANEL_ONLY_PATHS = [
  'keys',
  'webhooks',
  'sessions',
  'audit',
  'payments',
  'offers',
  'orders',
  'sales',
  'promos',
  'bot',
  'certificates',
  'updates',
  'addresses',
] as const;
