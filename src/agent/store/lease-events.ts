// What happened to users here while the panel was away, numbered with the ledger, until the panel has taken it.
import type { LedgerEvent } from '../../core/ports/lease.ts';
import type { LeaseEventKind } from '../../domain/nodes/lease.ts';
import type { CountedBy, LeaseStatements } from './lease-statements.ts';

export interface LeaseEvents {
  /** `counted`: what the engine had counted by then. */
  append(kind: LeaseEventKind, at: number, userId: number, counted: CountedBy | null): void;
  /**
   * What the panel has not taken yet belongs before a reset, or before what uses up a limit: it must be able to count it there, and so it is
   * offered behind that. A start that has ended ends once more behind it, as nothing of it is counted after its end.
   */
  recordUncounted(kind: LeaseEventKind, at: number, userId: number, except: string | null): void;
  /** Behind a number, at most so many. */
  events(after: number, limit: number): readonly LedgerEvent[];
  acknowledge(seq: number): void;
}

/** `nextSeq`: the next number of the ledger. `offered`: up to which number entries were offered. */
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
