// Types of handlers and their arguments: the environment of the core, the context of a read, the transaction of a write.

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
  ImportJobRecord,
  Invitations,
  ProviderCalls,
} from './live-state.ts';
import type { PanelError } from './panel-error.ts';
import type { Tasks } from './tasks.ts';
import type { WriteQueue } from './write-queue.ts';

/** Internal jobs; used instead of a request id in the audit log. */
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

/** A write transaction, as named in the audit log. */
export interface Action {
  readonly name: string;
  /** The caller: a call, or an internal job. */
  readonly by: Call | Job;
  /** Epoch ms; default: now. */
  readonly at?: number;
  readonly importance?: Importance;
}

/**
 * Events of a sale for handlers in the same transaction (core/notify), so that selling code knows neither chats nor texts. They are not in the feed.
 */
export type SaleEvent =
  /** A payment arrived; `needs_decision`: a payment recorded earlier needs a decision now. */
  | {
      readonly type: 'payment.recorded' | 'payment.needs_decision';
      readonly order: OrderRow | undefined;
      readonly payment: PaymentRow;
    }
  /** A provider refuses the panel's account until the administrator acts. */
  | { readonly type: 'provider.refused'; readonly provider: ProviderRow; readonly error: ProviderRefusal }
  /** A user got days for a friend's purchase. */
  | { readonly type: 'referrer.rewarded'; readonly referrer: UserRow; readonly days: number; readonly orderId: number };

/** Shared services of the core during its lifetime. Modules declare what they use by `Pick`. */
export interface Env extends CoreParts {
  readonly queue: WriteQueue;
  /** Runs a write transaction in queue order, then notifies subscribers of its events. A throw rolls it back. */
  transact<T>(action: Action, work: (tx: Transaction) => T): Promise<T>;
  /** Like `transact`, but synchronously: inside a queue turn, another transaction, or the worker thread. Notifies no subscribers. */
  transactNow<T>(action: Action, work: (tx: Transaction) => T): T;
  /** Null: SQLite checkpoints automatically. */
  readonly checkpoints: Checkpoints | null;
  settings(): SettingValues;
  /** Must be called after settings were written. */
  forgetSettings(): void;
  baseUrl(): string;
  /** The subscription URL of a token. */
  subUrl(token: string): string;
  readonly addressTrial: AddressTrial;
  readonly acmeOrder: AcmeOrder;
  readonly importJob: ImportJobRecord;
  readonly botStatus: BotStatusRecord;
  readonly invitations: Invitations;
  /** Resolves in a separate turn of the event loop, in order: for long work that must not block requests. */
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
  /** Background tasks. */
  readonly tasks: Tasks;
  /** Runs the reactions to an event in its transaction. */
  react(tx: Transaction, event: SaleEvent): void;
  /** Notifies subscribers of committed events. */
  announce(): void;
  /** Called when sessions may have ended or the secret path changed; open streams are re-authenticated after the commit. */
  notifyEndedSessions(): void;
}

/** Arguments of an operation at one moment. */
export interface Context {
  readonly env: Env;
  readonly call: Call;
  /** Constant during the operation. */
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
   * Appends an event of this operation to the feed; subscribers are notified after the commit. `changed`: names of the changed fields of the record.
   */
  emit<Type extends EventType>(type: Type, data: EventData<Type>, changed?: readonly string[]): void;
  /** Appends an event that time caused at `at`, rather than this operation. */
  emitDue<Type extends EventType>(type: Type, data: EventData<Type>, at: number): void;
  /** Writes the events emitted by `work` at its end, several per statement. The events must not be read during `work`. */
  gatherEvents<T>(work: () => T): T;
  /** Publishes an internal event to handlers in this transaction. */
  publish(event: SaleEvent): void;
  /** Writes the audit row of this operation and returns its id. `detail` must not contain a secret. `by`: the actor, if it is only known now. */
  audit(
    target: string | null,
    detail?: Readonly<Record<string, unknown>>,
    outcome?: 'done' | 'refused',
    by?: Actor,
  ): number;
}

/** A failure whose writes are committed: a failed attempt is counted and audited. */
export interface Refusal {
  readonly refusal: PanelError;
}

/** Arguments of an asynchronous handler. */
export interface AsyncContext<Id extends HandledId> {
  readonly env: Env;
  readonly call: Call;
  /** Runs a separate transaction. A throw rolls it back; a refusal is thrown after the commit. */
  transaction<T>(work: (tx: Transaction) => T | Refusal): Promise<T>;
  /** Runs the transaction of the operation's effect. Its result is stored under the Idempotency-Key; a repeated call returns the stored one. */
  commit(work: (tx: Transaction) => Result<Output<Id>> | Refusal): Promise<Result<Output<Id>>>;
}

export interface ReadHandler<Id extends HandledId> {
  readonly read: (input: Input<Id>, context: Context) => Result<Output<Id>>;
  /** The handler opens a read transaction itself when it needs one, since a transaction costs more than a single statement. */
  readonly opensTransaction?: true;
}

/** A stored part of a write that continues in another transaction: plain data. */
export interface Part {
  /** Null: nothing to store. */
  readonly part: unknown;
}

/** A write in several transactions; other writes may run in between. */
export interface SteppedWrite<Id extends HandledId> {
  /**
   * Runs the next part. `before`: parts that an interrupted call under the same Idempotency-Key stored; only for the first part. Not called again
   * after a throw.
   */
  step(tx: Transaction, before: readonly unknown[]): Result<Output<Id>> | Part;
}

/** A write in one synchronous transaction. */
export interface WriteHandler<Id extends HandledId> {
  readonly write: (input: Input<Id>, tx: Transaction) => Result<Output<Id>> | Refusal;
  /** Allowed on a full disk (core/ports/disk-space.ts). */
  readonly isEssential?: true;
  /** Whether this input takes too long for the event loop and runs on the worker thread. */
  readonly isHeavy?: (input: Input<Id>) => boolean;
  /** A heavy write in several transactions. */
  readonly begin?: (input: Input<Id>) => SteppedWrite<Id>;
}

/** A write that awaits something before or after its transaction, such as password hashing, the vault, sockets or files. */
export interface AsyncHandler<Id extends HandledId> {
  readonly run: (input: Input<Id>, context: AsyncContext<Id>) => Promise<Result<Output<Id>>>;
  readonly isEssential?: true;
}

/** The handlers of these operations. A read of the table cannot have a write handler. */
export type Handlers<Ids extends HandledId> = {
  readonly [Id in Ids]: Id extends ReadId ? ReadHandler<Id> : WriteHandler<Id> | AsyncHandler<Id>;
};
