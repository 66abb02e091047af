// The port to the ledger of a node's machine: what its engine has counted, until the panel has taken it. Implemented in src/store.
import type { EngineCounters, LedgerPage, LedgerWaiting } from '../../core/ports/engines.ts';
import type { NodeLease } from './lease.ts';

export interface NodeLedger {
  /** The process that has it open: another one each time. */
  readonly run: string;
  /** The last number that was given. */
  latest(): number;
  /**
   * Writes down what has grown since the last time and what that means for users, durably. Counters of an engine that no panel started are left
   * out. Returns those who moved bytes and may not connect.
   */
  record(counters: EngineCounters, now: number): readonly number[];
  /** The panel has stored everything up to this number: of starts that have ended it is forgotten. */
  acknowledge(seq: number): void;
  /** What the panel has not acknowledged yet. */
  waiting(): LedgerWaiting;
  /** What is behind a number. */
  read(after: number): Omit<LedgerPage, 'failure'>;
  /** The signed claim of the panel that this machine obeys; null: none was made. */
  panel(): string | null;
  savePanel(claim: string | null): void;
  /** In the same file, so that both are written together. */
  readonly lease: NodeLease;
  close(): void;
}
