// Every operation that the core handles and its handler; a missing one, or a write where the table has a read, is a type error.

import { KEY_HANDLERS } from './access/keys.ts';
import { SESSION_HANDLERS } from './access/session.ts';
import { TWO_FACTOR_HANDLERS } from './access/two-factor.ts';
import { listAudit, listAuditUsers } from './audit/audit.ts';
import { BACKUP_HANDLERS } from './backups/backups.ts';
import { CHAT_BACKUP_HANDLERS } from './backups/chat-backups.ts';
import { BACKUP_PLACE_HANDLERS } from './backups/places.ts';
import { BOT_ADMIN_HANDLERS } from './bot/admins.ts';
import { BROADCAST_HANDLERS } from './bot/broadcasts.ts';
import { BOT_REQUEST_HANDLERS } from './bot/requests.ts';
import { BOT_HANDLERS } from './bot/settings.ts';
import { IMPORT_HANDLERS } from './imports/job.ts';
import { INBOUND_GROUP_HANDLERS } from './inbound-groups/inbound-groups.ts';
import { INBOUND_HANDLERS } from './inbounds/inbounds.ts';
import type { AsyncHandler, Handlers, ReadHandler, WriteHandler } from './kernel/context.ts';
import { listEvents } from './kernel/events.ts';
import { ENGINE_UPDATE_HANDLERS } from './nodes/engine-update.ts';
import { JOIN_HANDLERS } from './nodes/join.ts';
import { NODE_HANDLERS } from './nodes/nodes.ts';
import { SET_UP_LOCAL_HANDLERS } from './nodes/set-up-local.ts';
import { SUGGESTION_HANDLERS } from './nodes/suggestion.ts';
import { BOT_NOTICE_HANDLERS } from './notify/user-notices.ts';
import { OFFER_HANDLERS } from './offers/offers.ts';
import { PAYMENT_HANDLERS } from './payments/attention.ts';
import { ORDER_HANDLERS } from './payments/orders.ts';
import { PROVIDER_REMOVAL_HANDLERS } from './payments/provider-removal.ts';
import { PROVIDER_HANDLERS } from './payments/providers.ts';
import { RECONCILE_HANDLERS } from './payments/reconcile.ts';
import type { HandledId } from './ports/call.ts';
import { PROMO_HANDLERS } from './sales/promos.ts';
import { REFERRAL_HANDLERS } from './sales/referrals.ts';
import { ACME_HANDLERS } from './settings/acme.ts';
import { ADDRESS_HANDLERS } from './settings/addresses.ts';
import { AUTHORITY_HANDLERS } from './settings/authority.ts';
import { CERTIFICATE_HANDLERS } from './settings/certificates.ts';
import { CLOCK_HANDLERS } from './settings/clock.ts';
import { ROLE_HANDLERS } from './settings/role.ts';
import { SETTINGS_HANDLERS } from './settings/settings.ts';
import { VAULT_HANDLERS } from './settings/vault.ts';
import { ADMINISTRATOR_HANDLERS } from './setup/administrator.ts';
import { STATS_HANDLERS } from './stats/stats.ts';
import { DIAGNOSIS_HANDLERS } from './subscription/diagnosis.ts';
import { LINK_SETTING_HANDLERS } from './subscription/link-settings.ts';
import { readSubscriptionPage } from './subscription/subscription.ts';
import { TEMPLATE_HANDLERS } from './subscription/templates.ts';
import { TARIFF_HANDLERS } from './tariffs/tariffs.ts';
import { UPDATE_HANDLERS } from './updates/updates.ts';
import { USER_ADDRESS_HANDLERS } from './users/addresses.ts';
import { BULK_HANDLER } from './users/bulk.ts';
import { BATCH_HANDLER } from './users/bulk-batch.ts';
import { previewBulk } from './users/bulk-preview.ts';
import { GRANT_HANDLERS } from './users/grants.ts';
import { listUsers } from './users/list.ts';
import { REISSUE_HANDLERS } from './users/reissue.ts';
import { UNDO_HANDLER } from './users/undo.ts';
import { USER_HANDLERS } from './users/users.ts';
import { USER_VIEW_HANDLERS } from './users/views.ts';
import { WEBHOOK_HANDLERS } from './webhooks/webhooks.ts';

export const HANDLERS: {
  readonly [Id in HandledId]: ReadHandler<Id> | WriteHandler<Id> | AsyncHandler<Id>;
} = {
  ...USER_HANDLERS,
  ...REISSUE_HANDLERS,
  listUsers: { read: listUsers },
  bulkUsers: BULK_HANDLER,
  bulkBatch: BATCH_HANDLER,
  getSubscriptionPage: { read: readSubscriptionPage, opensTransaction: true },
  ...LINK_SETTING_HANDLERS,
  ...TEMPLATE_HANDLERS,
  previewBulk: { read: previewBulk, opensTransaction: true },
  undoActs: UNDO_HANDLER,
  ...USER_VIEW_HANDLERS,
  ...USER_ADDRESS_HANDLERS,
  ...DIAGNOSIS_HANDLERS,
  ...GRANT_HANDLERS,
  ...TARIFF_HANDLERS,
  ...OFFER_HANDLERS,
  ...ORDER_HANDLERS,
  ...PROMO_HANDLERS,
  ...REFERRAL_HANDLERS,
  ...BROADCAST_HANDLERS,
  ...BOT_REQUEST_HANDLERS,
  ...CHAT_BACKUP_HANDLERS,
  ...BACKUP_PLACE_HANDLERS,
  ...IMPORT_HANDLERS,
  ...PAYMENT_HANDLERS,
  ...INBOUND_HANDLERS,
  ...INBOUND_GROUP_HANDLERS,
  ...NODE_HANDLERS,
  ...SUGGESTION_HANDLERS,
  ...SET_UP_LOCAL_HANDLERS,
  ...JOIN_HANDLERS,
  ...ENGINE_UPDATE_HANDLERS,
  ...STATS_HANDLERS,
  listEvents: { read: listEvents },
  ...SESSION_HANDLERS,
  ...ADMINISTRATOR_HANDLERS,
  ...KEY_HANDLERS,
  ...ADDRESS_HANDLERS,
  ...ACME_HANDLERS,
  ...CERTIFICATE_HANDLERS,
  ...AUTHORITY_HANDLERS,
  ...TWO_FACTOR_HANDLERS,
  ...CLOCK_HANDLERS,
  ...ROLE_HANDLERS,
  ...VAULT_HANDLERS,
  ...SETTINGS_HANDLERS,
  ...BACKUP_HANDLERS,
  ...UPDATE_HANDLERS,
  ...WEBHOOK_HANDLERS,
  ...PROVIDER_HANDLERS,
  ...PROVIDER_REMOVAL_HANDLERS,
  ...RECONCILE_HANDLERS,
  ...BOT_HANDLERS,
  ...BOT_ADMIN_HANDLERS,
  ...BOT_NOTICE_HANDLERS,
  listAudit: { read: listAudit },
  listAuditUsers: { read: listAuditUsers },
} satisfies Handlers<HandledId>;
