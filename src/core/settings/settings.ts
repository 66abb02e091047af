// Settings: for bots without addresses and secrets, and for the administrator.

import type { Proof } from '../../contract/access/proof.ts';
import type { PanelSettings, SettingsView } from '../../contract/settings/settings.ts';
import type { Input } from '../../contract/table.ts';
import { MAX_BULK_IDS } from '../../contract/users/user-acts.ts';
import { IDEMPOTENCY_HOURS } from '../../domain/limits.ts';
import { isTimeZone } from '../../domain/time-zone.ts';
import type { Context, Handlers, Transaction } from '../kernel/context.ts';
import { bodyError } from '../kernel/panel-error.ts';
import { changedMembers, isSameJson, patchReader } from '../kernel/wire.ts';
import type { Result } from '../ports/call.ts';
import type { SettingValues } from '../ports/settings.ts';
import { commitNotices, commitTraffic, openUser } from '../users/change.ts';
import { forEachRow, moveResets } from '../users/resets.ts';

const PAGE = 500;
const BODY_BYTES = 1_048_576;

/** GET /settings. */
function getSettings(_input: Input<'getSettings'>, { env, settings }: Context): Result<SettingsView> {
  const body = {
    version: env.version,
    time_zone: settings.timeZone,
    language: settings.language,
    expiring_notice_days: [...settings.expiringNoticeDays],
    subscription: {
      title: settings.subscriptionTitle,
      update_interval_hours: settings.updateIntervalHours,
      support_url: settings.supportUrl,
      announcement: settings.announcement,
    },
    limits: {
      requests_per_minute: settings.rateLimit,
      page: PAGE,
      bulk: MAX_BULK_IDS,
      body_bytes: BODY_BYTES,
      events_kept_days: settings.eventsKeptDays,
      idempotency_hours: IDEMPOTENCY_HOURS,
    },
  };
  return { body };
}

function viewPanelSettings(settings: SettingValues): PanelSettings {
  return {
    time_zone: settings.timeZone,
    language: settings.language,
    panel_title: settings.panelTitle,
    subscription_title: settings.subscriptionTitle,
    update_interval_hours: settings.updateIntervalHours,
    support_url: settings.supportUrl,
    announcement: settings.announcement,
    rate_limit: settings.rateLimit,
    expiring_notice_days: [...settings.expiringNoticeDays],
    events_kept_days: settings.eventsKeptDays,
    audit_kept_days: settings.auditKeptDays,
    engine_path: settings.enginePath,
    cut_off_concurrent: settings.cutOffConcurrent,
    restart_to_cut_off: settings.restartToCutOff,
    node_line_gbps: settings.nodeLineGbps,
    selling: settings.selling,
    stars_only_in_telegram: settings.starsOnlyInTelegram,
    update_checks: settings.updateChecks,
  };
}

/** Settles every user with a term end under the old notices; pending notices follow the new ones. */
function moveNotices(tx: Transaction, notices: readonly number[]): void {
  forEachRow(tx.store.users.withEnds, (row) => commitNotices(tx, openUser(tx, row), notices));
}

/** Unblocks users who were blocked for too many addresses. */
function liftCutOffs(tx: Transaction): void {
  forEachRow(tx.store.users.withExcess, (row) => {
    const current = openUser(tx, row);
    const { excess } = current.row;
    if (excess?.cutOffUntil != null)
      commitTraffic(tx, current, { fields: { excess: { ...excess, cutOffUntil: null, cutOffNode: null } } });
  });
}

const toColumns = patchReader<Omit<Input<'updateSettings'>, keyof Proof>, SettingValues>({
  time_zone: 'timeZone',
  language: 'language',
  panel_title: 'panelTitle',
  subscription_title: 'subscriptionTitle',
  update_interval_hours: 'updateIntervalHours',
  support_url: 'supportUrl',
  announcement: 'announcement',
  rate_limit: 'rateLimit',
  expiring_notice_days: 'expiringNoticeDays',
  events_kept_days: 'eventsKeptDays',
  audit_kept_days: 'auditKeptDays',
  engine_path: 'enginePath',
  cut_off_concurrent: 'cutOffConcurrent',
  restart_to_cut_off: 'restartToCutOff',
  node_line_gbps: 'nodeLineGbps',
  selling: 'selling',
  stars_only_in_telegram: 'starsOnlyInTelegram',
  update_checks: 'updateChecks',
});

function longestFirst(days: readonly number[]): number[] {
  return [...days].sort((a, b) => b - a);
}

function updateSettings(input: Input<'updateSettings'>, tx: Transaction): Result<PanelSettings> {
  const { settings } = tx;
  if (input.time_zone !== undefined && !isTimeZone(input.time_zone)) {
    throw bodyError('validation', '#/time_zone', 'invalid', 'is not an IANA time zone');
  }
  const { expiring_notice_days: days } = input;
  const columns = toColumns({ ...input, ...(days && { expiring_notice_days: longestFirst(days) }) });
  const names = Object.keys(columns) as (keyof SettingValues)[];
  const changed = names.filter((name) => !isSameJson(columns[name], settings[name]));
  if (changed.length === 0) return { body: viewPanelSettings(settings) };
  if (changed.includes('timeZone') && columns.timeZone !== undefined) moveResets(tx, columns.timeZone);
  if (changed.includes('expiringNoticeDays') && columns.expiringNoticeDays) moveNotices(tx, columns.expiringNoticeDays);
  if (columns.cutOffConcurrent === false) liftCutOffs(tx);
  tx.saveSettings(columns);
  const after = viewPanelSettings({ ...settings, ...columns });
  tx.emit('settings.changed', {}, changedMembers(viewPanelSettings(settings), after));
  tx.audit('settings', { ...input });
  return { body: after };
}

export const SETTINGS_HANDLERS = {
  getSettings: { read: getSettings },
  getPanelSettings: { read: (_input, { settings }) => ({ body: viewPanelSettings(settings) }) },
  updateSettings: {
    write: updateSettings,
    isHeavy: ({ time_zone, expiring_notice_days }) => time_zone !== undefined || expiring_notice_days !== undefined,
  },
} satisfies Handlers<'getSettings' | 'getPanelSettings' | 'updateSettings'>;
