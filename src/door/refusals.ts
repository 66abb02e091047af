// Logs forbidden calls of valid keys: one line a minute for each key, reason and route.
import type { ErrorCode } from '../contract/errors.ts';
import type { Clock, Log, Timers } from '../core/ports/ports.ts';
import { MINUTE_MS } from '../domain/limits.ts';
import type { CallState } from './call.ts';

/** Unknown keys and failed sign-ins are logged by the core (failures.ts); wrong proofs are in the audit log. */
const REASONS: ReadonlySet<ErrorCode> = new Set(['read_only_key', 'panel_only']);
/** Maximum lines per minute; the rest is summed up in one. */
const MAX_LINES = 200;

interface Tally {
  readonly caller: string;
  readonly reason: ErrorCode | 'others';
  readonly route: string;
  /** The request id of the first call. */
  readonly requestId: string;
  count: number;
}

export interface Refusals {
  recordRefusal(state: CallState, reason: ErrorCode): void;
  /** Logs pending lines. */
  close(): void;
}

export function createRefusals(parts: { readonly clock: Clock; readonly timers: Timers; readonly log: Log }): Refusals {
  const { clock, timers, log } = parts;
  const tallies = new Map<string, Tally>();
  let since = 0;
  let cancel: (() => void) | null = null;

  function write(): void {
    cancel?.();
    cancel = null;
    for (const tally of tallies.values()) log.warn('refused calls', { since: new Date(since).toISOString(), ...tally });
    tallies.clear();
  }

  return {
    recordRefusal({ id, caller, route, method }, reason) {
      if (caller === null || !REASONS.has(reason)) return;
      if (cancel === null) {
        since = clock.now();
        cancel = timers.after(MINUTE_MS, write);
      }
      const name = `${caller} ${reason} ${method} ${route}`;
      const isOne = tallies.has(name) || tallies.size < MAX_LINES;
      const key = isOne ? name : 'others';
      const tally = tallies.get(key);
      if (tally) tally.count += 1;
      else if (isOne) tallies.set(key, { caller, reason, route: `${method} ${route}`, requestId: id, count: 1 });
      else tallies.set(key, { caller: 'others', reason: 'others', route: 'others', requestId: id, count: 1 });
    },
    close: write,
  };
}
