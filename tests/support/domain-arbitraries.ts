// Random zones, moments and accounts for the property tests of src/domain, with a bias to where clocks change.
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import type { GrantLifetime } from '../../src/contract/users/grants.ts';
import type { ResetStrategy } from '../../src/contract/users/users.ts';
import { nextReset } from '../../src/domain/calendar.ts';
import type { Account, Grant } from '../../src/domain/users/account.ts';

/** Zones with half-hour changes, changes at midnight, several changes a year, skipped days, and none at all. */
export const ZONES = [
  'UTC',
  'America/New_York',
  'Europe/Berlin',
  'Europe/Moscow',
  'Asia/Kolkata',
  'Asia/Tehran',
  'Asia/Beirut',
  'Australia/Lord_Howe',
  'America/Sao_Paulo',
  'America/Santiago',
  'America/Havana',
  'America/St_Johns',
  'Africa/Cairo',
  'Africa/Casablanca',
  'Pacific/Apia',
  'Pacific/Kwajalein',
] as const;

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
const FIRST = Date.UTC(1970, 0, 3);
const LAST = Date.UTC(2099, 11, 31, 23, 59, 59, 999);

export const zone = fc.constantFrom(...ZONES);

/** Any millisecond from 1970 to 2099. */
export const instant = fc.integer({ min: FIRST, max: LAST });

/** A moment within a day and a bit of a change of the zone's offset, where there is one. */
function nearChange(zoneName: string): fc.Arbitrary<number> {
  return fc
    .record({
      from: fc.integer({ min: FIRST, max: Date.UTC(2040, 0, 1) }),
      by: fc.oneof(
        fc.integer({ min: -30 * HOUR, max: 30 * HOUR }),
        fc.integer({ min: -200, max: 200 }).map((n) => n * 600_000),
      ),
    })
    .map(({ from, by }) => {
      const change = at(from, zoneName).getTimeZoneTransition('next');
      return Math.max(FIRST, (change === null ? from : change.epochMilliseconds) + by);
    });
}

/** A zone and a moment in it, half of the time near a change. */
export const zoned = zone.chain((name) =>
  fc.record({ zone: fc.constant(name), ms: fc.oneof(instant, nearChange(name)) }),
);

/** The oracle's view of a moment. */
export function at(ms: number, zoneName: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zoneName);
}

/** An instant by its text, for examples: `utc('2026-01-31T12:00Z')`. */
export function utc(text: string): number {
  return Temporal.Instant.from(text).epochMilliseconds;
}

const strategy = fc.constantFrom<ResetStrategy>('none', 'day', 'week', 'month', 'period');

/** Amounts around each other's size, so that limits are met, passed and missed. */
const amount = fc.integer({ min: 0, max: 1000 });

const NOW = Date.UTC(2026, 2, 20, 9, 30);

/** Grants whose times count from 0; they are moved to the account's present. */
const grants = fc
  .array(
    fc.record({
      bytesLeft: amount,
      lifetime: fc.constantFrom<GrantLifetime>('used', 'period', 'days'),
      days: fc.integer({ min: 1, max: 90 }),
    }),
    { maxLength: 6 },
  )
  .map((all) =>
    all.map(({ bytesLeft, lifetime, days }, index): Grant => {
      const isDated = lifetime === 'days';
      const ends = { days: isDated ? days : null, endsAt: isDated ? days * DAY : null };
      return { id: index + 1, bytes: 1000, bytesLeft, lifetime, ...ends, createdAt: 0 };
    }),
  );

/** A settled account at `now`, in a zone: held, unlimited, running or expired. */
export const settledAccount = fc
  .record({
    zone,
    now: fc.integer({ min: NOW, max: NOW + 400 * DAY }),
    enabled: fc.boolean(),
    term: fc.constantFrom('held', 'unlimited', 'dated', 'dated', 'dated'),
    sinceBegin: fc.integer({ min: 0, max: 100 * DAY }),
    untilEnd: fc.integer({ min: -20 * DAY, max: 100 * DAY }),
    resetStrategy: strategy,
    trafficLimit: fc.option(fc.integer({ min: 1, max: 1500 })),
    usedUp: amount,
    usedDown: amount,
    grants,
  })
  .map(({ zone: zoneName, now, term, sinceBegin, untilEnd, grants: made, ...rest }) => {
    const termBeganAt = term === 'held' ? null : now - sinceBegin;
    const account: Account = {
      ...rest,
      expiresAt: term === 'dated' ? now + untilEnd : null,
      hold: term === 'held' ? { months: 1, days: 3 } : null,
      totalUp: rest.usedUp,
      totalDown: rest.usedDown,
      termBeganAt,
      resetsAt: nextReset(rest.resetStrategy, now, termBeganAt, zoneName),
      grants: made.map((grant) => ({
        ...grant,
        endsAt: grant.endsAt === null ? null : grant.endsAt + now,
        createdAt: now,
      })),
    };
    return { zone: zoneName, now, account };
  });
