// The values of variables in names and titles, for the user of a link and for one of the connections in it.
import type { Subscription } from '../core/kernel/core.ts';
import type { LinkSettings } from '../core/ports/settings.ts';
import {
  dropVariables,
  expandVariables,
  hasVariables,
  UNLIMITED,
  type Variable,
  type VariableValues,
} from '../domain/subscription/variables.ts';
import { isTimeZone } from '../domain/time-zone.ts';
import { formatBytes } from '../i18n/bytes.ts';
import { hostTexts } from '../i18n/host.ts';
import { type Language, languageEntry } from '../i18n/languages.ts';
import type { Entry } from './entry.ts';
import { formatDay } from './format-day.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

type LinkFacts = Pick<Subscription, 'total' | 'url'> & {
  readonly user: Pick<Subscription['user'], 'id' | 'name' | 'state' | 'usedUp' | 'usedDown' | 'expiresAt'>;
};
type SettingFacts = Pick<LinkSettings, 'language' | 'timeZone' | 'subscriptionTitle'>;
type Getter = (link: LinkFacts, settings: SettingFacts, now: number) => string;

const STATE_EMOJI: Readonly<Record<LinkFacts['user']['state'], string>> = {
  active: '✅',
  on_hold: '🔌',
  limited: '🪫',
  expired: '⌛️',
  disabled: '❌',
};

const usedBytes = ({ user }: LinkFacts) => user.usedUp + user.usedDown;
const leftBytes = (link: LinkFacts) => (link.total === null ? null : Math.max(0, link.total - usedBytes(link)));
const bytesText = (bytes: number | null, language: Language) =>
  bytes === null ? UNLIMITED : formatBytes(bytes, language);
const numberText = (figure: number | null) => (figure === null ? UNLIMITED : String(figure));

/** Formats the end of the term; empty for a term that has not begun. */
function termText({ user }: LinkFacts, format: (expiresAt: number) => string): string {
  if (user.expiresAt !== null) return format(user.expiresAt);
  return user.state === 'on_hold' ? '' : UNLIMITED;
}

const USER_VALUES: Readonly<Partial<Record<Variable, Getter>>> = {
  USERNAME: ({ user }) => user.name,
  ID: ({ user }) => String(user.id),
  STATUS: ({ user }) => user.state.toUpperCase(),
  STATUS_EMOJI: ({ user }) => STATE_EMOJI[user.state],
  STATUS_TEXT: ({ user }, { language }) => hostTexts(language, 'subscription')(`page.state.${user.state}`),
  DAYS_LEFT: (link, _, now) => termText(link, (at) => String(Math.max(0, Math.ceil((at - now) / DAY_MS)))),
  TIME_LEFT: (link, { language }, now) => termText(link, (at) => formatTimeLeft(Math.max(0, at - now), language)),
  EXPIRE_DATE: (link, { language, timeZone }) => termText(link, (at) => formatDay(at, language, timeZone)),
  JALALI_EXPIRE_DATE: (link, { timeZone }) => termText(link, (at) => formatJalali(at, timeZone)),
  EXPIRE_UNIX: ({ user }) => (user.expiresAt === null ? '0' : String(Math.floor(user.expiresAt / 1000))),
  TRAFFIC_USED: (link, { language }) => formatBytes(usedBytes(link), language),
  TRAFFIC_LEFT: (link, { language }) => bytesText(leftBytes(link), language),
  TOTAL_TRAFFIC: ({ total }, { language }) => bytesText(total, language),
  TRAFFIC_USED_BYTES: (link) => String(usedBytes(link)),
  TRAFFIC_LEFT_BYTES: (link) => numberText(leftBytes(link)),
  TOTAL_TRAFFIC_BYTES: ({ total }) => numberText(total),
  USAGE_PERCENTAGE: (link) => numberText(computePercentage(link)),
  SUBSCRIPTION_URL: ({ url }) => url,
  PROFILE_TITLE: (_, { subscriptionTitle }) => subscriptionTitle,
};

function computePercentage(link: LinkFacts): number | null {
  const { total } = link;
  if (total === null) return null;
  return total === 0 ? 100 : Math.min(100, Math.floor((usedBytes(link) / total) * 100));
}

const unitFormats = new Map<string, Intl.NumberFormat>();

/** Formats milliseconds in the largest unit that fits, such as `12 days`. */
function formatTimeLeft(left: number, language: Language): string {
  const [unit, size] = left >= DAY_MS ? ['day', DAY_MS] : left >= HOUR_MS ? ['hour', HOUR_MS] : ['minute', MINUTE_MS];
  const key = `${language} ${unit}`;
  const format =
    unitFormats.get(key) ??
    new Intl.NumberFormat(languageEntry(language).tag, { style: 'unit', unit, unitDisplay: 'long' });
  unitFormats.set(key, format);
  return format.format(Math.ceil(left / size));
}

const jalaliFormats = new Map<string, Intl.DateTimeFormat>();

/** Formats a date of the Jalali calendar, such as `1405/09/07`. */
function formatJalali(at: number, zone: string): string {
  const format =
    jalaliFormats.get(zone) ??
    new Intl.DateTimeFormat('en-u-ca-persian-nu-latn', {
      timeZone: isTimeZone(zone) ? zone : 'UTC',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    });
  jalaliFormats.set(zone, format);
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
  return `${parts.get('year')}/${parts.get('month')}/${parts.get('day')}`;
}

/** The values for a user's link at `now`. Those of a connection are empty. */
export function userVariables(link: LinkFacts, settings: SettingFacts, now: number): VariableValues {
  return (variable) => USER_VALUES[variable]?.(link, settings, now) ?? '';
}

/** Replaces variables in title and announcement; returns the same object if there are none. */
export function fillSettings<Settings extends SettingFacts & Pick<LinkSettings, 'announcement'>>(
  link: LinkFacts,
  settings: Settings,
  now: number,
): Settings {
  const { subscriptionTitle, announcement } = settings;
  if (!hasVariables(subscriptionTitle) && !hasVariables(announcement)) return settings;
  const values = userVariables(link, settings, now);
  return {
    ...settings,
    subscriptionTitle: expandVariables(subscriptionTitle, values) || dropVariables(subscriptionTitle),
    announcement: expandVariables(announcement, values),
  };
}

/** Adds the values of a connection. */
export function entryVariables(
  values: VariableValues,
  { inbound, address }: Pick<Entry, 'inbound' | 'address'>,
): VariableValues {
  return (variable) => {
    switch (variable) {
      case 'PROTOCOL':
        return inbound.protocol;
      case 'TRANSPORT':
        return inbound.network;
      case 'SECURITY':
        return inbound.security;
      case 'SERVER_IP':
        return address;
      default:
        return values(variable);
    }
  };
}
