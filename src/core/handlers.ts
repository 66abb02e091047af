// Every operation of the table and what implements it; a missing one is a type error.
import type { Output } from '../contract/table.ts';
import { KEY_HANDLERS } from './access/keys.ts';
import { PASSWORD_HANDLERS } from './access/password.ts';
import { SESSION_HANDLERS } from './access/session.ts';
import { SETUP_HANDLERS } from './access/setup.ts';
import { TWO_FACTOR_HANDLERS } from './access/two-factor.ts';
import { listAudit } from './audit.ts';
import { backupHandlers } from './backups/backups.ts';
import type { Scope } from './context.ts';
import type { Env } from './env.ts';
import { listEvents } from './events.ts';
import type { HandledId, Handlers } from './handler.ts';
import { INBOUND_HANDLERS } from './inbounds.ts';
import { NODE_HANDLERS } from './nodes.ts';
import { addressHandlers } from './settings/addresses.ts';
import { certificateHandlers } from './settings/certificates.ts';
import { PANEL_SETTINGS_HANDLERS } from './settings/panel-settings.ts';
import { getSettings } from './settings/settings.ts';
import { VAULT_HANDLERS } from './settings/vault.ts';
import { STATS_HANDLERS } from './stats.ts';
import { TARIFF_HANDLERS } from './tariffs.ts';
import { USER_ACT_HANDLERS } from './users/acts.ts';
import { BULK_HANDLER } from './users/bulk.ts';
import { GRANT_HANDLERS } from './users/grants.ts';
import { USER_HANDLERS } from './users/users.ts';

function panelState(env: Env, { store, call, settings }: Scope) {
  const isSignedIn = call.actor.kind === 'administrator';
  const body: Output<'panelState'> = {
    version: env.version,
    language: settings.language,
    panel_title: settings.panelTitle,
    set_up: store.administrator.get() !== undefined,
    two_factor: store.twoFactor.get() !== null,
    signed_in: isSignedIn ? { name: call.actor.name } : null,
    base_url: isSignedIn ? env.baseUrl() : null,
    disk_full: isSignedIn && store.diskSpace.isFull(),
  };
  return { status: 200, body };
}

/** The handlers over one environment. */
export function handlersOf(env: Env): Handlers<HandledId> {
  return {
    ...USER_HANDLERS,
    ...USER_ACT_HANDLERS,
    bulkUsers: BULK_HANDLER,
    ...GRANT_HANDLERS,
    ...TARIFF_HANDLERS,
    ...INBOUND_HANDLERS,
    ...NODE_HANDLERS,
    ...STATS_HANDLERS,
    listEvents: { read: listEvents },
    getSettings: { read: (_input, scope) => getSettings(env.version, scope) },
    panelState: { read: (_input, scope) => panelState(env, scope) },
    ...SETUP_HANDLERS,
    ...SESSION_HANDLERS,
    ...KEY_HANDLERS,
    ...addressHandlers(env),
    ...certificateHandlers(env),
    ...TWO_FACTOR_HANDLERS,
    ...PASSWORD_HANDLERS,
    ...VAULT_HANDLERS,
    ...PANEL_SETTINGS_HANDLERS,
    ...backupHandlers(env),
    listAudit: { read: listAudit },
  };
}
