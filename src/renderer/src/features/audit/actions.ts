// The actions of the audit log by subject: every operation that changes something, and what only the machine does.
import type { audit } from '../../../../i18n/en/pages/audit.ts';

/** Each has its texts in `audit:action`. */
export type ActionId = keyof (typeof audit)['action'];

export const ACTION_GROUPS = {
  users: [
    'createUser',
    'createUsers',
    'putUser',
    'updateUser',
    'extendUser',
    'shortenUser',
    'resetUserTraffic',
    'reissueUser',
    'createGrant',
    'deleteGrant',
    'bulkUsers',
    'undoActs',
    'deleteUser',
  ],
  plans: ['createTariff', 'updateTariff', 'deleteTariff'],
  sales: [
    'createOffer',
    'changeOffer',
    'deleteOffer',
    'createOrder',
    'openOrder',
    'askOrder',
    'recordPayment',
    'takePayment',
    'resolvePayment',
    'refundOrder',
  ],
  connections: ['createInbound', 'updateInbound', 'deleteInbound'],
  nodes: ['createNode', 'updateNode', 'inviteNode', 'deleteNode'],
  access: [
    'setUp',
    'signIn',
    'failedSignIns',
    'failedKeys',
    'signOut',
    'endSession',
    'endOtherSessions',
    'prove',
    'changePassword',
    'resetPassword',
    'beginTwoFactor',
    'confirmTwoFactor',
    'disableTwoFactor',
    'renewRecoveryCodes',
    'createKey',
    'revokeKey',
    'confirmKey',
    'refreshVault',
    'createWebhook',
    'changeWebhook',
    'enableWebhook',
    'disableWebhook',
    'deleteWebhook',
    'rotateWebhookSecret',
    'testWebhook',
    'redeliverWebhook',
    'createProvider',
    'changeProvider',
    'enableProvider',
    'testProvider',
    'deleteProvider',
  ],
  settings: [
    'updateSettings',
    'changeAddresses',
    'confirmAddresses',
    'rotateSecretPath',
    'checkReach',
    'importCertificate',
    'renewCertificate',
    'checkForUpdates',
    'updatePanel',
    'setUpAcme',
    'retryAcme',
    'turnOffAcme',
  ],
  backups: [
    'createBackup',
    'scheduledBackup',
    'downloadBackup',
    'uploadBackup',
    'checkBackup',
    'restoreBackup',
    'deleteBackup',
    'scheduleBackups',
  ],
} as const satisfies Record<string, readonly ActionId[]>;

const KNOWN: ReadonlySet<string> = new Set(Object.values(ACTION_GROUPS).flat());

/** An action of a newer panel has no texts yet. */
export function isKnownAction(action: string): action is ActionId {
  return KNOWN.has(action);
}
