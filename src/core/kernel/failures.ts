// Tracks failed keys and sign-ins: limited log lines per minute, audit rows for a series, and counts of the last hour. Counted in memory, so that an
// attack causes no writes per attempt.
import { computeNetwork } from '../../domain/client-network.ts';
import { HOUR_MS, MINUTE_MS } from '../../domain/limits.ts';
import type { Clock, Log } from '../ports/ports.ts';

export type FailureKind = 'sign_in' | 'key';

/** Attempts per minute that start a series; fewer are typing errors. */
const SERIES = 10;
/** A series ends after this time without attempts. */
const QUIET_MS = 5 * MINUTE_MS;
/** Networks counted separately per minute and in the audit log; others are summed up. */
const MAX_NETWORKS = 500;
const MAX_SERIES = 20;
/** Maximum log lines per minute about single networks, so that an attacker with many networks cannot flood the log. */
const MAX_LINES = 10;
const OTHERS = 'others';
const EVENTS: Readonly<Record<FailureKind, string>> = { key: 'failed keys', sign_in: 'failed sign-ins' };

interface Tally {
  readonly kind: FailureKind;
  readonly network: string;
  count: number;
  /** The part of them that was refused without a check, after too many failures. */
  throttled: number;
}

interface Minute {
  readonly at: number;
  readonly tallies: Map<string, Tally>;
  isWritten: boolean;
}

interface Series extends Tally {
  readonly since: number;
  lastAt: number;
}

/** The start or end of a series. */
export interface FailureRow {
  readonly kind: FailureKind;
  readonly address: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface Failures {
  recordFailure(kind: FailureKind, address: string | null, isThrottled: boolean): void;
  /** Logs completed minutes (`isLast`: all) and returns the rows for the audit log. */
  report(isLast?: boolean): readonly FailureRow[];
  /** Counts of the last hour by kind, and the number of networks. */
  lastHour(): Readonly<Record<FailureKind, { readonly count: number; readonly networks: number }>>;
}

function add(tallies: Map<string, Tally>, { kind, network, count, throttled }: Tally): void {
  const isKnown = tallies.has(`${kind} ${network}`) || tallies.size < MAX_NETWORKS;
  const place = isKnown ? network : OTHERS;
  const tally = tallies.get(`${kind} ${place}`) ?? { kind, network: place, count: 0, throttled: 0 };
  tally.count += count;
  tally.throttled += throttled;
  tallies.set(`${kind} ${place}`, tally);
}

function buildRow({ kind, network, count, throttled }: Tally, facts: Readonly<Record<string, unknown>>): FailureRow {
  const address = network === OTHERS ? null : network.replace('/64', '');
  return { kind, address, detail: { network, count, throttled, ...facts } };
}

export function createFailures({ clock, log }: { readonly clock: Clock; readonly log: Log }): Failures {
  /** Oldest first; at most one hour. */
  let minutes: Minute[] = [];
  const series = new Map<string, Series>();

  function getMinute(now: number): Minute {
    const at = now - (now % MINUTE_MS);
    const last = minutes.at(-1);
    if (last?.at === at) return last;
    const minute = { at, tallies: new Map<string, Tally>(), isWritten: false };
    // A clock that was set back restarts the hour.
    minutes = minutes.filter((each) => each.at > at - HOUR_MS && each.at < at);
    minutes.push(minute);
    return minute;
  }

  /** Logs the networks with most failures in one line each, and the rest of each kind together. */
  function logMinute({ at, tallies }: Minute): void {
    const minute = new Date(at).toISOString();
    const sorted = [...tallies.values()].sort((a, b) => b.count - a.count);
    for (const { kind, network, count, throttled } of sorted.slice(0, MAX_LINES))
      log.warn(EVENTS[kind], { minute, network, count, throttled });
    const rest = Map.groupBy(sorted.slice(MAX_LINES), ({ kind }) => kind);
    for (const [kind, all] of rest) {
      const sum = (member: 'count' | 'throttled') => all.reduce((total, each) => total + each[member], 0);
      log.warn(EVENTS[kind], { minute, networks: all.length, count: sum('count'), throttled: sum('throttled') });
    }
  }

  /** Starts and continues series with the counts of a minute. */
  function follow({ at, tallies }: Minute): Tally[] {
    const started: Tally[] = [];
    for (const [name, tally] of tallies) {
      const known = series.get(name);
      if (known) {
        known.count += tally.count;
        known.throttled += tally.throttled;
        known.lastAt = at;
      } else if (tally.count >= SERIES) {
        started.push(tally);
        if (series.size < MAX_NETWORKS) series.set(name, { ...tally, since: at, lastAt: at });
      }
    }
    return started;
  }

  function endQuiet(now: number, isLast: boolean): Series[] {
    const ended: Series[] = [];
    for (const [name, each] of series) {
      const isOver = now - each.lastAt >= QUIET_MS || now < each.since;
      if (!isOver && !isLast) continue;
      series.delete(name);
      ended.push(each);
    }
    return ended;
  }

  function buildRows(started: readonly Tally[], ended: readonly Series[]): FailureRow[] {
    const rest = new Map<string, Tally>();
    for (const tally of started.slice(MAX_SERIES)) add(rest, { ...tally, network: OTHERS });
    const beginnings = started.slice(0, MAX_SERIES).concat(...rest.values());
    const ends = ended.slice(0, MAX_SERIES).map((each) => {
      const minutes = Math.round((each.lastAt - each.since) / MINUTE_MS) + 1;
      return buildRow(each, { series: 'ended', minutes });
    });
    return [...beginnings.map((tally) => buildRow(tally, { series: 'begun' })), ...ends];
  }

  return {
    recordFailure(kind, address, isThrottled) {
      const { tallies } = getMinute(clock.now());
      const network = address === null ? OTHERS : computeNetwork(address);
      add(tallies, { kind, network, count: 1, throttled: isThrottled ? 1 : 0 });
    },
    report(isLast = false) {
      const now = clock.now();
      const present = now - (now % MINUTE_MS);
      const started: Tally[] = [];
      for (const minute of minutes) {
        if (minute.isWritten || (minute.at === present && !isLast)) continue;
        minute.isWritten = true;
        logMinute(minute);
        started.push(...follow(minute));
      }
      return buildRows(started, endQuiet(now, isLast));
    },
    lastHour() {
      const now = clock.now();
      const seen = { sign_in: new Map<string, number>(), key: new Map<string, number>() };
      for (const { at, tallies } of minutes) {
        if (at <= now - HOUR_MS || at > now) continue;
        for (const { kind, network, count } of tallies.values()) {
          seen[kind].set(network, (seen[kind].get(network) ?? 0) + count);
        }
      }
      const sumCounts = (counts: ReadonlyMap<string, number>) => ({
        count: [...counts.values()].reduce((sum, count) => sum + count, 0),
        networks: counts.size,
      });
      return { sign_in: sumCounts(seen.sign_in), key: sumCounts(seen.key) };
    },
  };
}
