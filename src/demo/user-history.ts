// The history of an invented user from the first day until now. It is computed by the panel's own rules, so that the record, its traffic
// and its events agree.

import type { EventType } from '../contract/event-types.ts';
import { HOURS_STORED_DAYS } from '../contract/stats.ts';
import { startOfLocalDay } from '../domain/calendar.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../domain/limits.ts';
import { applyTerm, type FulfilledTerm } from '../domain/sales/sale.ts';
import { type Account, canConnect, computeUserState, trafficRemaining, usedBytes } from '../domain/users/account.ts';
import { freshFlags, type Happening, type Notices, settle, type TermFlags } from '../domain/users/settle.ts';
import { beginHeldTerm, setExpiry, startTerm } from '../domain/users/term.ts';
import { applyTraffic } from '../domain/users/traffic.ts';
import { PLACES, PLANS, SILENT_MS } from './offer.ts';
import { createDice, isRegular } from './people.ts';

/** This many users have traffic each day; later ones have some once before the last weeks and once in them. */
export const DETAILED_USERS = 1000;
/** Traffic of single users is written for this many days, which include the present month. */
export const DETAILED_DAYS = 35;
/** How long ago the first user joined. */
export const OLDEST_DAYS = 500;

/** Users with traffic once in the last weeks have it within this many days. */
const RECENT_DAYS = 30;

const GB = 1_000_000_000;
/** The relative share of a day's traffic in each hour. */
const DAY_CURVE = [3, 2, 2, 1, 1, 1, 2, 3, 4, 4, 4, 5, 5, 5, 5, 5, 5, 6, 7, 8, 9, 9, 7, 5] as const;
const CURVE_SUM = DAY_CURVE.reduce((sum, part) => sum + part, 0);
/** Plans are chosen by a random number: each one from this number on. */
const PLAN_FROM = [0, 0.16, 0.42, 0.72, 0.82] as const;
const TRIAL = 0;
const UNLIMITED = 4;

export interface LifeParts {
  readonly users: number;
  readonly now: number;
  readonly timeZone: string;
  readonly notices: Notices;
}

/** A user's traffic over a node at a time. */
export interface Moved {
  readonly at: number;
  readonly nodeId: number;
  readonly up: number;
  readonly down: number;
}

/** An event, with the account after it. */
export interface Moment {
  readonly type: EventType;
  readonly at: number;
  readonly account: Account;
  readonly days?: number;
  /** What a renewal added. */
  readonly given?: FulfilledTerm;
}

export interface Life {
  readonly plan: number;
  readonly createdAt: number;
  readonly account: Account;
  readonly flags: TermFlags;
  readonly onlineAt: number | null;
  /** When the administrator last changed the user. */
  readonly actedAt: number;
  readonly acts: number;
  readonly moved: readonly Moved[];
  readonly moments: readonly Moment[];
}

/** The random choices about a user. */
interface Fate {
  readonly plan: number;
  readonly createdAt: number;
  /** A term that ends after this is not renewed. */
  readonly leftAt: number;
  /** How long before the end of a term the next one is paid, in ms. */
  readonly paysAhead: number;
  /** When the administrator disables the user. */
  readonly disabledAt: number | null;
  readonly neverExpires: boolean;
  readonly hasConnected: boolean;
  /** Bytes of a usual day. */
  readonly habit: number;
  readonly dice: () => number;
}

function buildFate(index: number, { users, now }: LifeParts): Fate {
  const dice = createDice(index * 7919 + 20_261_120);
  // Each user joined after the one before, as ids increase.
  const createdAt = Math.floor(now - OLDEST_DAYS * DAY_MS * (1 - (index + dice()) / users));
  const choice = dice();
  const plan = PLAN_FROM.findLastIndex((from) => from <= choice);
  const chance = dice();
  const isHeavy = dice() < 0.1;
  const leftAt = plan !== TRIAL && chance < 0.13 ? now - (31 + dice() * 60) * DAY_MS : now;
  const disabledAt = chance > 0.95 ? Math.max(createdAt, Math.floor(now - (1 + dice() * 39) * DAY_MS)) : null;
  return {
    plan,
    createdAt,
    leftAt,
    paysAhead: Math.floor((1 + createDice(index + 20_261_126)() * 70) * HOUR_MS),
    disabledAt,
    neverExpires: plan === UNLIMITED && dice() < 0.3,
    hasConnected: plan === TRIAL ? isRegular(index + 1) || chance < 0.25 : chance < 0.94 || chance > 0.95,
    habit: (isHeavy ? 4 + dice() * 6 : dice() ** 2 * 5) * GB,
    dice,
  };
}

/** The state of a user's account while time passes. */
interface Course {
  account: Account;
  flags: TermFlags;
  onlineAt: number | null;
  readonly moved: Moved[];
  readonly moments: Moment[];
}

/** The history of the user with this index; the same parts always give the same history. */
export function simulateLife(index: number, parts: LifeParts): Life {
  const fate = buildFate(index, parts);
  const { createdAt, disabledAt } = fate;
  const course = begin(fate, parts);
  for (const [at, share] of fate.hasConnected ? generateUses(index, fate, parts) : []) {
    if (disabledAt !== null && at >= disabledAt) break;
    advanceCourse(course, at, fate, parts);
    use(course, at, share, index, fate, parts);
  }
  if (disabledAt !== null) {
    advanceCourse(course, disabledAt, fate, parts);
    course.account = { ...course.account, enabled: false };
    course.moments.push({ type: 'user.disabled', at: disabledAt, account: course.account });
  }
  advanceCourse(course, parts.now, fate, parts);
  const { account, flags, onlineAt, moved, moments } = course;
  const acts = moments.filter(({ type }) => isActType(type));
  return {
    plan: fate.plan,
    createdAt,
    account,
    flags,
    onlineAt,
    actedAt: acts.at(-1)?.at ?? createdAt,
    acts: acts.length,
    moved,
    moments,
  };
}

/** Actions of the administrator, as opposed to effects of time or traffic. */
export type ActType = 'user.created' | 'user.extended' | 'user.disabled';

export function isActType(type: EventType): type is ActType {
  return type === 'user.created' || type === 'user.extended' || type === 'user.disabled';
}

/** Creates the user. */
function begin(fate: Fate, parts: LifeParts): Course {
  const { createdAt } = fate;
  const { timeZone, notices } = parts;
  const plan = getPlan(fate.plan);
  const term = startTerm(plan, createdAt, timeZone);
  const created: Account = {
    enabled: true,
    trafficLimit: plan.trafficLimit,
    totalUp: 0,
    totalDown: 0,
    grants: [],
    ...term,
  };
  const account = fate.neverExpires ? setExpiry(created, null, createdAt, timeZone) : created;
  const moments: Moment[] = [{ type: 'user.created', at: createdAt, account }];
  const course: Course = { account, flags: NO_FLAGS, onlineAt: null, moved: [], moments };
  recordTermEnd(course, createdAt, notices);
  return course;
}

/** When the user pays for the next term; null: never again. */
function renewsAt(
  { account: { expiresAt, enabled } }: Course,
  { plan, createdAt, leftAt, paysAhead }: Fate,
): number | null {
  if (expiresAt === null || !enabled || expiresAt > leftAt || !('months' in getPlan(plan).duration)) return null;
  return Math.max(createdAt, expiresAt - paysAhead);
}

function renew(course: Course, at: number, { plan }: Fate, { timeZone, notices }: LifeParts): void {
  const renewed = applyTerm(course.account, getPlan(plan).duration, at, timeZone);
  if (!renewed.ok) throw new Error(`the term cannot be extended: ${renewed.error}`);
  course.account = renewed.account;
  course.moments.push({ type: 'user.extended', at, account: renewed.account, given: renewed.given });
  recordTermEnd(course, at, notices);
}

const NO_FLAGS: TermFlags = { noticeAnnounced: null, expiredAnnounced: false };

/** Records a new end of the term: a notice whose time has passed is announced at once. */
function recordTermEnd(course: Course, at: number, notices: Notices): void {
  const { account } = course;
  course.flags = freshFlags(account, at, notices);
  const { noticeAnnounced: days } = course.flags;
  if (days !== null) course.moments.push({ type: 'user.expiring', at, account, days });
}

/** Advances the time to `at`, with the renewals until then. */
function advanceCourse(course: Course, at: number, fate: Fate, parts: LifeParts): void {
  for (let next = renewsAt(course, fate); next !== null && next <= at; next = renewsAt(course, fate)) {
    settleUntil(course, next, parts);
    renew(course, next, fate, parts);
  }
  settleUntil(course, at, parts);
}

function settleUntil(course: Course, at: number, { timeZone, notices }: LifeParts): void {
  const before = computeUserState(course.account, at);
  const { account, flags, happened } = settle(course.account, course.flags, at, timeZone, notices);
  course.account = account;
  course.flags = flags;
  for (const happening of happened) course.moments.push(toMoment(happening, account));
  const last = happened.at(-1);
  if (last && before === 'limited') recordState(course, before, last.at);
}

function toMoment(happening: Happening, account: Account): Moment {
  const { type, at } = happening;
  return { type: `user.${type}`, at, account, ...(type === 'expiring' && { days: happening.days }) };
}

function recordState({ account, moments }: Course, before: string, at: number): void {
  const state = computeUserState(account, at);
  if (state === before) return;
  if (state === 'limited') moments.push({ type: 'user.limited', at, account });
  else if (state === 'active') moments.push({ type: 'user.activated', at, account });
}

/** The user moves a share of a day's usual bytes, at most what is left. The first use starts a held term. */
function use(course: Course, at: number, share: number, index: number, fate: Fate, parts: LifeParts): void {
  const before = computeUserState(course.account, at);
  if (!canConnect(before)) return;
  const account = beginHeldTerm(course.account, at, parts.timeZone);
  const startsNow = account !== course.account;
  const rest = trafficRemaining({ trafficLimit: account.trafficLimit, used: usedBytes(account), extra: 0 });
  const wanted = Math.floor(fate.habit * share * (0.3 + fate.dice() * 1.4)) + 1_000_000;
  const sum = Math.min(wanted, rest ?? wanted);
  const up = Math.floor(sum * (0.04 + fate.dice() * 0.08));
  const moved = { up, down: sum - up };
  course.moved.push({ at, nodeId: pickNode(index, at, parts.now), ...moved });
  course.account = applyTraffic(account, moved, at).account;
  if (course.onlineAt === null) course.moments.push({ type: 'user.first_connected', at, account: course.account });
  course.onlineAt = at;
  if (startsNow) recordTermEnd(course, at, parts.notices);
  recordState(course, before, at);
}

/** When the user moves bytes, in the order of time, and which share of a usual day's bytes. */
function* generateUses(index: number, fate: Fate, { now, timeZone }: LifeParts): Generator<readonly [number, number]> {
  const { createdAt, dice } = fate;
  const first = createdAt + dice() ** 3 * 3 * DAY_MS;
  const isNow = (at: number) => at > now - 2 * MINUTE_MS;
  if (index >= DETAILED_USERS) {
    const early = createdAt + DAY_MS;
    if (early < now - DETAILED_DAYS * DAY_MS) yield [early, 20];
    // On any of the last days, at a usual hour, so that the sum of all users shows no unusual day.
    const day = startOfLocalDay(now - dice() * RECENT_DAYS * DAY_MS, timeZone);
    const recent = Math.floor(Math.max(first, day + pickHour(dice) * HOUR_MS));
    if (!isNow(recent)) yield [recent, 6];
    return;
  }
  let latest = first;
  const isDaily = isRegular(index + 1);
  const quietDays = isDaily ? 0.05 : 0.25;
  for (
    let from = startOfLocalDay(first, timeZone);
    from <= now;
    from = startOfLocalDay(from + 30 * HOUR_MS, timeZone)
  ) {
    if (dice() < quietDays) continue;
    const hasHours = from > now - (HOURS_STORED_DAYS + 1) * DAY_MS;
    const weekday = new Date(from + 12 * HOUR_MS).getUTCDay();
    const share = weekday === 0 || weekday === 6 ? 1.25 : 1;
    const uses = hasHours ? [pickHour(dice), pickHour(dice), pickHour(dice)].sort((a, b) => a - b) : [pickHour(dice)];
    for (const hour of uses) {
      const at = Math.floor(from + hour * HOUR_MS);
      if (at < first || isNow(at)) continue;
      latest = at;
      yield [at, share / uses.length];
    }
  }
  // A user who connects every day was online within the last hours.
  const last = Math.floor(now - (0.05 + dice() * 6) * HOUR_MS);
  if (isDaily && last > latest) yield [last, 0.05];
}

/** A random hour of the day, most often in the evening. */
function pickHour(dice: () => number): number {
  let left = dice() * CURVE_SUM;
  const hour = DAY_CURVE.findIndex((part) => {
    left -= part;
    return left < 0;
  });
  return Math.max(0, hour) + dice();
}

/** The node of a user at a time: mostly the same one, never one that is down. */
function pickNode(index: number, at: number, now: number): number {
  const dice = createDice(index * 97 + Math.floor(at / HOUR_MS));
  const chance = createDice(index + 5)();
  const usual = chance < 0.42 ? 1 : chance < 0.69 ? 2 : chance < 0.9 ? 3 : PLACES.length;
  const nodeId = dice() < 0.8 ? usual : 1 + Math.floor(dice() * PLACES.length);
  return nodeId === PLACES.length && at > now - SILENT_MS - HOUR_MS ? 1 : nodeId;
}

function getPlan(index: number): (typeof PLANS)[number] {
  const plan = PLANS[index];
  if (plan === undefined) throw new Error('there is no such plan');
  return plan;
}
