// The state of users at a given time, in SQL: the stored state is correct except for the few rows whose state time has changed since.
import type { UserState } from '../../contract/users/users.ts';
import type { UserStore } from '../../core/ports/users.ts';
import type { Connection } from '../database.ts';
import type { Params } from '../statements.ts';

/**
 * Sources of rows `u` whose state may have changed since it was written: the term ended, something else was due before its end, or it had
 * ended by a clock that was set back since.
 */
export const STALE_SOURCES = [
  {
    from: 'users AS u INDEXED BY users_state_expires',
    where: "u.state IN ('active', 'on_hold', 'limited') AND u.expires_at <= :now",
  },
  {
    from: 'users AS u INDEXED BY users_state_due',
    where: 'u.state_due_at <= :now AND u.state_due_at < u.expires_at AND u.expires_at > :now',
  },
  { from: 'users AS u INDEXED BY users_state_expires', where: "u.state = 'expired' AND u.expires_at > :now" },
] as const;

/** Whether the stored state of `u` may have changed; no row is in two of the sources. */
export const IS_STALE = `(${STALE_SOURCES.map(({ where }) => `(${where})`).join(' OR ')})`;

/** The ids of all such rows: for very many rows, a set of these is cheaper than a test of each. */
export const STALE_IDS = STALE_SOURCES.map(({ from, where }) => `SELECT u.id FROM ${from} WHERE ${where}`).join(
  ' UNION ALL ',
);

/** The state of `u` at `:now`, computed as in domain/account.ts. */
export const COMPUTED_STATE = `CASE
  WHEN u.enabled = 0 THEN 'disabled'
  WHEN u.expires_at <= :now THEN 'expired'
  WHEN u.used >= u.traffic_limit AND (u.resets_at IS NULL OR u.resets_at > :now) AND NOT EXISTS (
    SELECT 1 FROM grants AS g WHERE g.user_id = u.id AND g.bytes_left > 0 AND (g.ends_at IS NULL OR g.ends_at > :now)
  ) THEN 'limited'
  WHEN u.hold_months IS NOT NULL THEN 'on_hold'
  ELSE 'active' END`;

/** The state of `u` at `:now`, whether or not the stored one is stale. */
export const CURRENT_STATE = `CASE WHEN ${IS_STALE} THEN ${COMPUTED_STATE} ELSE u.state END`;

/** Fills the counts; triggers maintain them after that. */
export const FILL_COUNTS = `
  DELETE FROM user_counts;
  INSERT INTO user_counts (tariff_id, state, count)
  SELECT coalesce(tariff_id, 0), state, count(*) FROM users GROUP BY 1, 2;
  DELETE FROM user_blocks;
  INSERT INTO user_blocks (block, count) SELECT id / 1024, count(*) FROM users NOT INDEXED GROUP BY 1`;

function noUsers(): Record<UserState, number> {
  return { active: 0, on_hold: 0, limited: 0, expired: 0, disabled: 0 };
}

export interface UserStates {
  /** Whether the stored state of any user may be wrong at `now`: a few lookups in two indexes. */
  isAnyStale(now: number): boolean;
  /** The number of users of a tariff, in a state, or both, at `now`. */
  count(where: { readonly state?: UserState | undefined; readonly tariffId?: number | undefined }, now: number): number;
  countsByState(now: number): Readonly<Record<UserState, number>>;
  countsByTariff: UserStore['countsByTariff'];
}

export function createUserStates(db: Connection): UserStates {
  const firstStale = STALE_SOURCES.map(({ from, where }) =>
    db.prepare<[Params], number>(`SELECT 1 FROM ${from} WHERE ${where} LIMIT 1`).pluck(),
  );
  const stored = db
    .prepare<[Params], number>(
      `SELECT coalesce(sum(count), 0) FROM user_counts
       WHERE (:state IS NULL OR state = :state) AND (:tariff IS NULL OR tariff_id = :tariff)`,
    )
    .pluck();
  const storedOfTariff = db
    .prepare<[Params], number>(
      `SELECT coalesce(sum(count), 0) FROM user_counts
       WHERE tariff_id = :tariff AND (:state IS NULL OR state = :state)`,
    )
    .pluck();
  const correction = STALE_SOURCES.map(({ from, where }) =>
    db
      .prepare<[Params], number>(
        `SELECT coalesce(sum((${COMPUTED_STATE} = :state) - (u.state = :state)), 0)
         FROM ${from} WHERE ${where} AND (:tariff IS NULL OR u.tariff_id = :tariff)`,
      )
      .pluck(),
  );
  const storedByState = db
    .prepare<[], [state: UserState, count: number]>('SELECT state, sum(count) FROM user_counts GROUP BY state')
    .raw();
  const corrections = STALE_SOURCES.map(({ from, where }) =>
    db
      .prepare<[Params], [stored: UserState, computed: UserState, count: number]>(
        `SELECT u.state, ${COMPUTED_STATE} AS computed, count(*) FROM ${from} WHERE ${where} GROUP BY 1, 2`,
      )
      .raw(),
  );

  const storedByTariff = db
    .prepare<[], [tariffId: number, state: UserState, count: number]>('SELECT tariff_id, state, count FROM user_counts')
    .raw();
  const tariffCorrections = STALE_SOURCES.map(({ from, where }) =>
    db
      .prepare<[Params], [tariffId: number, stored: UserState, computed: UserState, count: number]>(
        `SELECT coalesce(u.tariff_id, 0), u.state, ${COMPUTED_STATE} AS computed, count(*) FROM ${from} WHERE ${where} GROUP BY 1, 2, 3`,
      )
      .raw(),
  );

  const isAnyStale = (now: number) => firstStale.some((first) => first.get({ now }) !== undefined);
  return {
    isAnyStale,
    count: ({ state, tariffId }, now) => {
      const params = { state: state ?? null, tariff: tariffId ?? null, now };
      const sum = (tariffId === undefined ? stored : storedOfTariff).get(params) ?? 0;
      if (state === undefined || !isAnyStale(now)) return sum;
      return correction.reduce((corrected, part) => corrected + (part.get(params) ?? 0), sum);
    },
    countsByTariff: (now) => {
      const byTariff = new Map<number, Record<UserState, number>>();
      const add = (tariffId: number, state: UserState, count: number) => {
        const states = byTariff.get(tariffId) ?? noUsers();
        states[state] += count;
        byTariff.set(tariffId, states);
      };
      for (const row of storedByTariff.all()) add(...row);
      for (const [tariffId, before, after, count] of tariffCorrections.flatMap((part) => part.all({ now }))) {
        add(tariffId, before, -count);
        add(tariffId, after, count);
      }
      return [...byTariff].map(([id, states]) => ({ tariffId: id === 0 ? null : id, states }));
    },
    countsByState: (now) => {
      const counts = noUsers();
      for (const [state, count] of storedByState.all()) counts[state] = count;
      if (!isAnyStale(now)) return counts;
      for (const [before, after, count] of corrections.flatMap((part) => part.all({ now }))) {
        counts[before] -= count;
        counts[after] += count;
      }
      return counts;
    },
  };
}
