// Notices to users in the chat: which are due at a moment, so that after a long sleep only what is still true is said; and their texts.
import type { NoticeField, UserNotice } from '../../contract/bot/bot-notices.ts';
import { toLocal } from '../calendar.ts';
import { DAY_MS } from '../limits.ts';

/** A user as far as notices depend on it. */
export interface NoticeFacts {
  readonly expiresAt: number | null;
  readonly termBeganAt: number | null;
  readonly resetsAt: number | null;
  readonly used: number;
  /** Bytes in all; null: unlimited. */
  readonly total: number | null;
}

/** What is due, with the mark under which it is due once: the end of the term, or the period of the counter. */
export interface DueNotice {
  readonly kind: UserNotice;
  readonly mark: number;
}

/** From how long before the end of the term, until how long before it. */
const WINDOWS: readonly (readonly [kind: UserNotice, from: number, until: number])[] = [
  ['days_3', 3, 1],
  ['days_1', 1, 0],
  ['ended', 0, -1],
  ['after', -1, -2],
];

/** Each kind is due in its window alone: what a panel slept through is not said any more. */
export function noticesDue(
  { expiresAt, termBeganAt, resetsAt, used, total }: NoticeFacts,
  now: number,
): readonly DueNotice[] {
  const due: DueNotice[] = [];
  if (expiresAt !== null) {
    for (const [kind, from, until] of WINDOWS) {
      const startsAt = expiresAt - from * DAY_MS;
      // A term that is shorter than the notice before its end needs none.
      const isLong = from <= 0 || termBeganAt === null || termBeganAt < startsAt;
      if (startsAt <= now && now < expiresAt - until * DAY_MS && isLong) due.push({ kind, mark: expiresAt });
    }
  }
  const isOver = expiresAt !== null && expiresAt <= now;
  if (total !== null && !isOver && used * 5 >= total * 4)
    due.push({ kind: used >= total ? 'traffic_100' : 'traffic_80', mark: resetsAt ?? termBeganAt ?? 0 });
  return due;
}

/** Hours of the panel's time zone in which nothing is said: from the one, until the other, over midnight where that is earlier. */
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

/** When something is said again: `now` where it is not quiet. */
export function quietUntil(quiet: QuietHours | null, now: number, zone: string): number {
  let at = now;
  // Clocks are moved by quarters of an hour at the least.
  while (isQuiet(quiet, at, zone)) at = (Math.floor(at / QUARTER_MS) + 1) * QUARTER_MS;
  return at;
}

export function fillNotice(text: string, values: Readonly<Record<NoticeField, string>>): string {
  return text.replace(/\{\{(\w+)\}\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? values[name as NoticeField] : whole,
  );
}
