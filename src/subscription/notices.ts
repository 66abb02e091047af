// What a user who cannot connect reads in place of a connection, in the panel's language.
import type { Subscription } from '../core/core.ts';
import type { SettingValues } from '../core/ports/settings.ts';
import { isTimeZone } from '../domain/time-zone.ts';

type Language = SettingValues['language'];

interface Notices {
  readonly locale: string;
  expired(day: string): string;
  readonly limited: string;
  limitedUntil(day: string): string;
  readonly disabled: string;
  readonly noConnections: string;
}

/** The words, by language. */
export const NOTICES: Readonly<Record<Language, Notices>> = {
  en: {
    locale: 'en-GB',
    expired: (day) => `Expired on ${day}`,
    limited: 'Traffic used up',
    limitedUntil: (day) => `Traffic used up, starts anew on ${day}`,
    disabled: 'Access is switched off',
    noConnections: 'No connections available yet',
  },
  ru: {
    locale: 'ru-RU',
    expired: (day) => `Срок истёк ${day}`,
    limited: 'Трафик израсходован',
    limitedUntil: (day) => `Трафик израсходован, обновится ${day}`,
    disabled: 'Доступ отключён',
    noConnections: 'Пока нет доступных подключений',
  },
};

/** Why there is nothing to connect to. Days are those of the panel's wall clock. */
export function noticeOf(sub: Subscription, settings: Pick<SettingValues, 'language' | 'timeZone'>): string {
  const words = NOTICES[settings.language];
  const { state, expiresAt, resetsAt } = sub.user;
  if (sub.canConnect) return words.noConnections;
  const day = (ms: number) => dayOf(ms, words.locale, settings.timeZone);
  if (state === 'expired' && expiresAt !== null) return words.expired(day(expiresAt));
  if (state === 'limited') return resetsAt === null ? words.limited : words.limitedUntil(day(resetsAt));
  return words.disabled;
}

function dayOf(ms: number, locale: string, timeZone: string): string {
  const zone = isTimeZone(timeZone) ? timeZone : 'UTC';
  const format = new Intl.DateTimeFormat(locale, { timeZone: zone, day: 'numeric', month: 'long', year: 'numeric' });
  return format.format(ms).replace(/\s?г\.$/, '');
}
