// The port to the ledger of a node's machine: what its engine has counted, until the panel has taken it. Implemented in src/store.
import type { EngineCounters, LedgerPage } from './engines.ts';

export interface NodeLedger {
  /** The process that has it open: another one each time. */
  readonly run: string;
  /** The last number that was given. */
  latest(): number;
  /** Writes down what has grown since the last time, durably. Counters of an engine that no panel started are left out. */
  record(counters: EngineCounters): void;
  /** The panel has stored everything up to this number: of starts that have ended it is forgotten. */
  acknowledge(seq: number): void;
  /** What is behind a number. */
  read(after: number): Omit<LedgerPage, 'failure'>;
  close(): void;
}
