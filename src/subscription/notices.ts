// What a user who cannot connect reads in place of a connection, in the panel's language.
import type { Subscription } from '../core/core.ts';
import type { SettingValues } from '../core/ports/settings.ts';
import { isTimeZone } from '../domain/time-zone.ts';
import { withoutYearMark } from '../i18n/dates.ts';
import { hostTexts } from '../i18n/host.ts';
import { type Language, languageEntry } from '../i18n/languages.ts';

/** Why there is nothing to connect to. Days are those of the panel's wall clock. */
export function noticeOf(sub: Subscription, settings: Pick<SettingValues, 'language' | 'timeZone'>): string {
  const t = hostTexts(settings.language, 'subscription');
  const { state, expiresAt, resetsAt } = sub.user;
  if (sub.canConnect) return t('noConnections');
  const day = (at: number) => formatDay(at, settings.language, settings.timeZone);
  if (state === 'expired' && expiresAt !== null) return t('expired', { day: day(expiresAt) });
  if (state === 'limited') return resetsAt === null ? t('limited') : t('limitedUntil', { day: day(resetsAt) });
  return t('disabled');
}

function formatDay(at: number, language: Language, zone: string): string {
  const timeZone = isTimeZone(zone) ? zone : 'UTC';
  const { tag } = languageEntry(language);
  const format = new Intl.DateTimeFormat(tag, { timeZone, day: 'numeric', month: 'long', year: 'numeric' });
  return withoutYearMark(format.format(at));
}
