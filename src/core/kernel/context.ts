// What handlers are and what they work with: the environment of the core, a read's context, a write's transaction.

import type { EventData, EventType } from '../../contract/event-types.ts';
import type { Input, Output } from '../../contract/table.ts';
import type { ProviderRefusal } from '../../domain/sales/provider-health.ts';
import type { Actor, Call, HandledId, ReadId, Result } from '../ports/call.ts';
import type { Importance } from '../ports/disk-space.ts';
import type { PaymentRow } from '../ports/payments.ts';
import type { Crypto, Store, Totp, Vault } from '../ports/ports.ts';
import type { ProviderRow } from '../ports/providers.ts';
import type { OrderRow } from '../ports/sales.ts';
import type { SettingValues } from '../ports/settings.ts';
import type { UserRow } from '../ports/users.ts';
import type { Checkpoints } from './checkpoints.ts';
import type { CoreParts } from './core.ts';
import type { Failures } from './failures.ts';
import type { LinkReads } from './link-reads.ts';
import type {
  AcmeOrder,
  AddressTrial,
  BotStatusRecord,
  ConnectedEngines,
  EngineUpdates,
  Invitations,
  ProviderCalls,
} from './live-state.ts';
import type { PanelError } from './panel-error.ts';
import type { Tasks } from './tasks.ts';
import type { WriteQueue } from './write-queue.ts';

/** What the panel does without a request; in the place of the request's id in the audit log. */
export type Job =
  | 'acme'
  | 'authority'
  | 'bot'
  | 'broadcast'
  | 'certificates'
  | 'clock'
  | 'node'
  | 'payments'
  | 'schedule'
  | 'sweep'
  | 'webhooks';

/** A write transaction as the audit log names it. */
export interface Action {
  readonly name: string;
  /** Who makes it: a call, or a job of the panel itself. */
  readonly by: Call | Job;
  /** Its moment; left out: now. */
  readonly at?: number;
  readonly importance?: Importance;
}

/**
 * What happened in a sale, for those who react to it in the same transaction (core/notify): what sells knows neither chats nor texts.
 * It is in no feed.
 */
export type SaleEvent =
  /** Money came; `needs_decision`: a payment that was recorded before needs a person now. */
  | {
      readonly type: 'payment.recorded' | 'payment.needs_decision';
      readonly order: OrderRow | undefined;
      readonly payment: PaymentRow;
    }
  /** A provider refuses the panel's account until the administrator does something. */
  | { readonly type: 'provider.refused'; readonly provider: ProviderRow; readonly error: ProviderRefusal }
  /** A user got days for a friend who bought. */
  | { readonly type: 'referrer.rewarded'; readonly referrer: UserRow; readonly days: number; readonly orderId: number };

/** What the parts of the core share for as long as it runs. A noun takes what it needs of it, by `Pick`. */
export interface Env extends CoreParts {
  readonly queue: WriteQueue;
  /** Runs a write transaction in its turn, and notifies subscribers of what was committed. A throw undoes it. */
  transact<T>(action: Action, work: (tx: Transaction) => T): Promise<T>;
  /** The same at once: in a turn of the queue, inside another transaction, or on the worker thread. Notifies no subscriber. */
  transactNow<T>(action: Action, work: (tx: Transaction) => T): T;
  /** Null: SQLite checkpoints by itself. */
  readonly checkpoints: Checkpoints | null;
  settings(): SettingValues;
  /** To be called after a write to the settings. */
  forgetSettings(): void;
  baseUrl(): string;
  /** The subscription link of a token. */
  subUrl(token: string): string;
  readonly addressTrial: AddressTrial;
  readonly acmeOrder: AcmeOrder;
  readonly botStatus: BotStatusRecord;
  readonly invitations: Invitations;
  /** Resolves in a turn of the event loop of its own, one after the other: for work that would keep requests waiting if it were done at once. */
  turn(): Promise<void>;
  readonly engines: ConnectedEngines;
  readonly engineUpdate: EngineUpdates;
  readonly providerCalls: ProviderCalls;
  /** The ids of the places to which a backup is on its way. */
  readonly runningPlaces: Set<number>;
  /** When links were read. */
  readonly linkReads: LinkReads;
  /** Failed keys and sign-ins. */
  readonly failures: Failures;
  /** What goes on beside its callers. */
  readonly tasks: Tasks;
  /** Runs what follows from an event in its transaction. */
  react(tx: Transaction, event: SaleEvent): void;
  /** Notifies subscribers of the events that were committed. */
  announce(): void;
  /** Called where sessions may end, or the path under which they were used: who watches is asked for his session after the commit. */
  notifyEndedSessions(): void;
}

/** What one operation works with, at one moment. */
export interface Context {
  readonly env: Env;
  readonly call: Call;
  /** The same moment for everything in it. */
  readonly now: number;
  readonly store: Store;
  readonly settings: SettingValues;
  readonly crypto: Crypto;
  readonly vault: Vault;
  readonly totp: Totp;
}

/** An open write transaction. */
export interface Transaction extends Context {
  /** Writes settings. */
  saveSettings(values: Partial<SettingValues>): void;
  /**
   * Appends an event of this operation to the feed; subscribers are notified after the commit. `changed`: the fields of the record
   * that it changed.
   */
  emit<Type extends EventType>(type: Type, data: EventData<Type>, changed?: readonly string[]): void;
  /** Appends an event that time caused at `at`, not this operation. */
  emitDue<Type extends EventType>(type: Type, data: EventData<Type>, at: number): void;
  /** Writes the events that `work` emits at its end, many by one statement. To be used where no one reads them meanwhile. */
  gatherEvents<T>(work: () => T): T;
  /** Has others react to it in this transaction. */
  publish(event: SaleEvent): void;
  /** Writes the audit row of this operation and returns its id. Detail must not hold a secret. `by`: who acted, where that is known only now. */
  audit(
    target: string | null,
    detail?: Readonly<Record<string, unknown>>,
    outcome?: 'done' | 'refused',
    by?: Actor,
  ): number;
}

/** A write that fails but commits what it wrote: a failed attempt is counted and audited. */
export interface Refusal {
  readonly refusal: PanelError;
}

/** What a handler works with that must await something. */
export interface AsyncContext<Id extends HandledId> {
  readonly env: Env;
  readonly call: Call;
  /** A transaction of its own. A throw undoes it, a refusal is thrown after the commit. */
  transaction<T>(work: (tx: Transaction) => T | Refusal): Promise<T>;
  /** The transaction of the operation's effect: its result is stored under the Idempotency-Key, and is the stored one in a repetition. */
  commit(work: (tx: Transaction) => Result<Output<Id>> | Refusal): Promise<Result<Output<Id>>>;
}

export interface ReadHandler<Id extends HandledId> {
  readonly read: (input: Input<Id>, context: Context) => Result<Output<Id>>;
  /** It opens a read transaction itself where one statement is not enough; a transaction costs more than a statement. */
  readonly opensTransaction?: true;
}

/** What a part of a write stores that goes on in another transaction: plain data. */
export interface Part {
  /** Null: nothing is to be stored. */
  readonly part: unknown;
}

/** A write in several transactions. Others may come between them. */
export interface SteppedWrite<Id extends HandledId> {
  /**
   * Runs the next part. `before`: the parts that an interrupted call under the same Idempotency-Key stored, at the first part; later
   * none. After a throw there is no other.
   */
  step(tx: Transaction, before: readonly unknown[]): Result<Output<Id>> | Part;
}

/** A write that is one synchronous transaction. */
export interface WriteHandler<Id extends HandledId> {
  readonly write: (input: Input<Id>, tx: Transaction) => Result<Output<Id>> | Refusal;
  /** Also done while the disk is full (core/ports/disk-space.ts). */
  readonly isEssential?: true;
  /** Whether it would block the event loop too long and belongs on the worker thread. */
  readonly isHeavy?: (input: Input<Id>) => boolean;
  /** A heavy write in several transactions. */
  readonly begin?: (input: Input<Id>) => SteppedWrite<Id>;
}

/** A write that awaits something before or after its transaction: password hashing, the vault, sockets, files. */
export interface AsyncHandler<Id extends HandledId> {
  readonly run: (input: Input<Id>, context: AsyncContext<Id>) => Promise<Result<Output<Id>>>;
  readonly isEssential?: true;
}

/** The handlers of these operations: what the table calls a read cannot write. */
export type Handlers<Ids extends HandledId> = {
  readonly [Id in Ids]: Id extends ReadId ? ReadHandler<Id> : WriteHandler<Id> | AsyncHandler<Id>;
};
