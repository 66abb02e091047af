// Chat notices to users: which are due now, so that after downtime only notices that still apply are sent, and their texts.
import type { NoticeField, UserNotice } from '../../contract/bot/bot-notices.ts';
import { toLocal } from '../calendar.ts';
import { DAY_MS } from '../limits.ts';

/** The facts of a user that notices depend on. */
export interface NoticeFacts {
  readonly expiresAt: number | null;
  readonly termBeganAt: number | null;
  readonly resetsAt: number | null;
  readonly used: number;
  /** Total bytes available; null: unlimited. */
  readonly total: number | null;
}

/** A notice that is due, with the key that makes it unique: the end of the term, or the counter's period. */
export interface DueNotice {
  readonly kind: UserNotice;
  readonly mark: number;
}

/** The window of each notice: from this long before the end of the term until this long before it. */
const WINDOWS: readonly (readonly [kind: UserNotice, from: number, until: number])[] = [
  ['days_3', 3, 1],
  ['days_1', 1, 0],
  ['ended', 0, -1],
  ['after', -1, -2],
];

/** Each notice is due only in its window: notices missed during downtime are skipped. */
export function noticesDue(
  { expiresAt, termBeganAt, resetsAt, used, total }: NoticeFacts,
  now: number,
): readonly DueNotice[] {
  const due: DueNotice[] = [];
  if (expiresAt !== null) {
    for (const [kind, from, until] of WINDOWS) {
      const startsAt = expiresAt - from * DAY_MS;
      // A term shorter than the lead time of a notice does not get it.
      const isLong = from <= 0 || termBeganAt === null || termBeganAt < startsAt;
      if (startsAt <= now && now < expiresAt - until * DAY_MS && isLong) due.push({ kind, mark: expiresAt });
    }
  }
  const isOver = expiresAt !== null && expiresAt <= now;
  if (total !== null && !isOver && used * 5 >= total * 4)
    due.push({ kind: used >= total ? 'traffic_100' : 'traffic_80', mark: resetsAt ?? termBeganAt ?? 0 });
  return due;
}

/** Hours in the panel's time zone without notices: from, until; they cross midnight if `until` is earlier. */
export interface QuietHours {
  readonly from: number;
  readonly until: number;
}

export function isQuiet(quiet: QuietHours | null, now: number, zone: string): boolean {
  if (quiet === null || quiet.from === quiet.until) return false;
  const { hour } = toLocal(now, zone);
  return quiet.from < quiet.until ? hour >= quiet.from && hour < quiet.until : hour >= quiet.from || hour < quiet.until;
}

const QUARTER_MS = 15 * 60_000;

/** When notices may be sent again, epoch ms; `now` outside of quiet hours. */
export function quietUntil(quiet: QuietHours | null, now: number, zone: string): number {
  let at = now;
  // Time zone changes happen at quarter hours.
  while (isQuiet(quiet, at, zone)) at = (Math.floor(at / QUARTER_MS) + 1) * QUARTER_MS;
  return at;
}

export function fillNotice(text: string, values: Readonly<Record<NoticeField, string>>): string {
  return text.replace(/\{\{(\w+)\}\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? values[name as NoticeField] : whole,
  );
}
