// What implements an operation: a read, or a write that may need something awaited before its transaction begins.
import type { Input, OperationId } from '../contract/table.ts';
import type { Call, Reply, Scope } from './context.ts';
import type { Env } from './env.ts';
import type { PanelError } from './panel-error.ts';

/** A write that refuses but keeps what it wrote: a failed attempt is counted and audited. */
export interface Refusal {
  readonly refusal: PanelError;
}

export interface ReadHandler<Id extends OperationId> {
  /** Runs in a transaction: all that it reads is of one moment. */
  readonly read: (input: Input<Id>, scope: Scope) => Reply;
  /** Asked first, outside a transaction, which costs more than one statement does: the reply where one is enough, else null. */
  readonly glance?: (input: Input<Id>, scope: Scope) => Reply | null;
}

// Methods, not members: what a handler prepares is its own affair, and only methods may narrow a parameter.
export interface WriteHandler<Id extends OperationId> {
  /** Awaited before the transaction: password hashing. It may write in a transaction of its own. */
  prepare?(input: Input<Id>, call: Call, env: Env): Promise<unknown>;
  write(input: Input<Id>, scope: Scope, prepared: unknown): Reply | Refusal;
  /** Gives back what `prepare` took, when the write failed or refused. */
  undo?(prepared: unknown, env: Env): Promise<void>;
  /** Follows the commit. A failure here is logged, as the effect stands. */
  done?(prepared: unknown, env: Env): Promise<void>;
  /** Follows the commit and gives the reply in the write's stead; it may fail. */
  reply?(input: Input<Id>): Promise<Reply>;
  /** Done also while the disk is full, as core/ports/disk-space.ts says. */
  readonly isEssential?: true;
  /** Whether it would hold the event loop too long, and so belongs on the worker thread. */
  isHeavy?(input: Input<Id>): boolean;
}

/** The operations that the doors themselves answer: documents about them, and a try of one at the other. */
export type DoorsOwnId = 'getMetrics' | 'getOpenApi' | 'tryApi';
export type HandledId = Exclude<OperationId, DoorsOwnId>;

export type Handlers<Ids extends OperationId> = {
  readonly [Id in Ids]: ReadHandler<Id> | WriteHandler<Id>;
};
