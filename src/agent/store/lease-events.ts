// Events of users while the panel is away, numbered together with the ledger's entries, until the panel has acknowledged them.
import type { LedgerEvent } from '../../core/ports/lease.ts';
import type { LeaseEventKind } from '../../domain/nodes/lease.ts';
import type { CountedBy, LeaseStatements } from './lease-statements.ts';

export interface LeaseEvents {
  /** `counted`: the user's counters in the engine at the time of the event. */
  append(kind: LeaseEventKind, at: number, userId: number, counted: CountedBy | null): void;
  /**
   * Records an event that must come after the traffic before it (a reset, or a limit that was reached), so that the panel counts that
   * traffic in the right period: the user's unacknowledged entries get new sequence numbers after it. So do the ends of their starts, as
   * nothing is counted after the end of a start. `except`: the start that the caller records itself.
   */
  recordUncounted(kind: LeaseEventKind, at: number, userId: number, except: string | null): void;
  /** Events after a number, at most `limit`. */
  events(after: number, limit: number): readonly LedgerEvent[];
  acknowledge(seq: number): void;
}

/** `nextSeq`: returns the next sequence number of the ledger. `offered`: returns the number up to which entries were offered. */
export function createLeaseEvents(sql: LeaseStatements, nextSeq: () => number, offered: () => number): LeaseEvents {
  function append(kind: LeaseEventKind, at: number, userId: number, counted: CountedBy | null): void {
    const { boot, up, down } = counted ?? { boot: null, up: 0, down: 0 };
    sql.insertEvent.run({ seq: nextSeq(), kind, at, userId, boot, up, down });
  }

  function recordUncounted(kind: LeaseEventKind, at: number, userId: number, except: string | null): void {
    for (const counted of sql.unknown.all(userId)) {
      if (counted.boot === except) continue;
      append(kind, at, userId, counted);
      const { changes } = sql.offerAgain.run({ boot: counted.boot, userId, seq: nextSeq(), offered: offered() });
      if (changes > 0) sql.endAgain.run({ boot: counted.boot, seq: nextSeq() });
    }
  }

  return {
    append,
    recordUncounted,
    events: (after, limit) => sql.events.all(after, limit),
    acknowledge: (seq) => void sql.dropEvents.run(seq),
  };
}
