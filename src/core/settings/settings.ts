// Settings as a bot may know them: no address, no secret.

import type { SettingsView } from '../../contract/settings.ts';
import type { Input } from '../../contract/table.ts';
import { MAX_BULK_IDS } from '../../contract/user-acts.ts';
import type { Result } from '../call.ts';
import type { Context } from '../context.ts';

const PAGE = 500;
const BODY_BYTES = 1_048_576;
/** How long a reply is remembered under its Idempotency-Key. */
export const IDEMPOTENCY_HOURS = 24;

/** GET /settings. */
export function getSettings(_input: Input<'getSettings'>, { env, settings }: Context): Result<SettingsView> {
  const body = {
    version: env.version,
    time_zone: settings.timeZone,
    language: settings.language,
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
