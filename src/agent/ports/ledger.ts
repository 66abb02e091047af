// The port to the ledger of a node's machine: counters that the panel has not acknowledged. Implemented in agent/store.
import type { EngineCounters, LedgerPage, LedgerWaiting } from '../../core/ports/engines.ts';
import type { NodeLease } from './lease.ts';

export interface NodeLedger {
  /** Random id of the process that has the ledger open. */
  readonly run: string;
  /** The last sequence number. */
  latest(): number;
  /**
   * Records the counters and the events that follow from them, durably. Counters of an engine that no panel started are ignored. Returns
   * users who moved bytes although they may not connect.
   */
  record(counters: EngineCounters, now: number): readonly number[];
  /** The panel has stored everything up to this number. Acknowledged entries of ended starts are deleted. */
  acknowledge(seq: number): void;
  /** Entries that the panel has not acknowledged. */
  waiting(): LedgerWaiting;
  /** A page of entries after a number. */
  read(after: number): Omit<LedgerPage, 'failure'>;
  /** The signed claim of the panel that this machine obeys; null: none. */
  panel(): string | null;
  savePanel(claim: string | null): void;
  /** In the same file, so that both are written in one transaction. */
  readonly lease: NodeLease;
  close(): void;
}
