// Holds which notices are due: each in its window alone, whatever was slept through.
import { describe, expect, it } from 'vitest';
import { unknownField } from '../../contract/bot/bot-notices.ts';
import { DAY_MS, HOUR_MS } from '../limits.ts';
import { fillNotice, isQuiet, type NoticeFacts, noticesDue, quietUntil } from './user-notices.ts';

const END = Date.parse('2026-12-20T10:00:00Z');
const user: NoticeFacts = { expiresAt: END, termBeganAt: END - 30 * DAY_MS, resetsAt: null, used: 0, total: 100 };
const kindsAt = (now: number, more: Partial<NoticeFacts> = {}) =>
  noticesDue({ ...user, ...more }, now).map(({ kind }) => kind);

describe('notices to users', () => {
  it('are due 3 days and a day before the end, at the end and a day after, each in its window', () => {
    const at = (days: number) => kindsAt(END + days * DAY_MS);
    expect([at(-3.01), at(-3), at(-1.01), at(-1), at(0), at(0.99), at(1), at(1.99), at(2), at(30)]).toEqual([
      [],
      ['days_3'],
      ['days_3'],
      ['days_1'],
      ['ended'],
      ['ended'],
      ['after'],
      ['after'],
      [],
      [],
    ]);
    expect(kindsAt(END - 2 * DAY_MS, { termBeganAt: END - 2 * DAY_MS })).toEqual([]);
    expect(kindsAt(END, { expiresAt: null })).toEqual([]);
  });

  it('are due at 80 and 100 % of the traffic, the higher one alone, once in a period', () => {
    const at = (used: number, more: Partial<NoticeFacts> = {}) =>
      noticesDue({ ...user, used, ...more }, END - 9 * DAY_MS);
    expect([at(79), at(80), at(99), at(100), at(500)].map(([one]) => one?.kind)).toEqual([
      undefined,
      'traffic_80',
      'traffic_80',
      'traffic_100',
      'traffic_100',
    ]);
    expect(at(80, { total: null })).toEqual([]);
    expect(at(80, { resetsAt: 7 })).toEqual([{ kind: 'traffic_80', mark: 7 }]);
    expect(kindsAt(END + HOUR_MS, { used: 100 })).toEqual(['ended']);
  });

  it('have the mark under which each is said once, and are none of a short term or of one that is over', () => {
    expect(noticesDue(user, END - 3 * DAY_MS)).toEqual([{ kind: 'days_3', mark: END }]);
    const full = { ...user, used: 100 };
    const now = END - 9 * DAY_MS;
    expect(noticesDue(full, now)).toEqual([{ kind: 'traffic_100', mark: END - 30 * DAY_MS }]);
    expect(noticesDue({ ...full, termBeganAt: null }, now)).toEqual([{ kind: 'traffic_100', mark: 0 }]);
    expect(kindsAt(END - 1, { used: 100 })).toEqual(['days_1', 'traffic_100']);
    expect(kindsAt(END, { used: 100 })).toEqual(['ended']);
    expect(kindsAt(END, { used: 100, expiresAt: null })).toEqual(['traffic_100']);
    // A notice 3 days before the end is for terms of more than 3 days, the end is for all.
    const began = (before: number) => ({ termBeganAt: END - before });
    expect(kindsAt(END - 2 * DAY_MS, began(3 * DAY_MS))).toEqual([]);
    expect(kindsAt(END - 2 * DAY_MS, began(3 * DAY_MS + 1))).toEqual(['days_3']);
    expect(kindsAt(END - 2 * DAY_MS, { termBeganAt: null })).toEqual(['days_3']);
    expect(kindsAt(END, began(1))).toEqual(['ended']);
    expect(kindsAt(END + DAY_MS, began(1))).toEqual(['after']);
  });

  it('keep quiet hours of the time zone, over midnight as well', () => {
    const at = (hour: number, from: number, until: number, zone = 'UTC') =>
      isQuiet({ from, until }, Date.parse('2026-12-01T00:00:00Z') + hour * HOUR_MS, zone);
    expect([at(21, 22, 8), at(22, 22, 8), at(7, 22, 8), at(8, 22, 8)]).toEqual([false, true, true, false]);
    expect([at(0, 1, 5), at(1, 1, 5), at(5, 1, 5), at(3, 4, 4)]).toEqual([false, true, false, false]);
    expect(at(20, 22, 8, 'Europe/Moscow')).toBe(true);
  });

  it('end at the first moment that is not quiet, also where the hour is half past', () => {
    const end = (time: string, quiet: { from: number; until: number } | null, zone = 'UTC') =>
      new Date(quietUntil(quiet, Date.parse(time), zone)).toISOString();
    const night = { from: 22, until: 8 };
    expect(end('2026-12-01T12:00:00.007Z', night)).toBe('2026-12-01T12:00:00.007Z');
    expect(end('2026-12-01T22:00:00Z', night)).toBe('2026-12-02T08:00:00.000Z');
    expect(end('2026-12-01T22:00:00Z', night, 'Asia/Kolkata')).toBe('2026-12-02T02:30:00.000Z');
    expect(end('2026-12-01T22:00:00Z', null)).toBe('2026-12-01T22:00:00.000Z');
  });

  it('have texts with known fields only, whose values are not read again', () => {
    const values = { name: '{{days}}', service: 'S', days: '3', end: 'E', used: 'U', total: 'T', left: 'L' };
    expect(fillNotice('{{name}}: {{days}}, {{service}}', values)).toBe('{{days}}: 3, S');
    expect(fillNotice('{{constructor}} {{days {days}} {{used}}{{total}}', values)).toBe(
      '{{constructor}} {{days {days}} UT',
    );
    expect([unknownField('{{days}} {{left}}'), unknownField('{{constructor}}'), unknownField('{{}}')]).toEqual([
      null,
      'constructor',
      '',
    ]);
  });
});
