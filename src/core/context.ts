// What handlers are and what they work with: the environment of the core, a read's context, a write's transaction.

import type { EventActorKind, EventData, EventType } from '../contract/event-types.ts';
import type { Input, Output } from '../contract/table.ts';
import { localDay } from '../domain/calendar.ts';
import { createFailures, type Failures } from './access/failures.ts';
import type { Actor, Call, HandledId, ReadId, Result } from './call.ts';
import { type Checkpoints, createCheckpoints } from './checkpoints.ts';
import type { CoreParts } from './core.ts';
import type { PanelError } from './panel-error.ts';
import { type BotStatus, FRESH_STATUS } from './ports/bot.ts';
import type { Engine, EngineUpdateRun } from './ports/engines.ts';
import type { ListenAddress } from './ports/host.ts';
import type { Crypto, Store, Totp, Vault } from './ports/ports.ts';
import type { ProviderFailure } from './ports/providers.ts';
import type { ActorKind, EventRow, UserDayCounts } from './ports/records.ts';
import type { SettingValues } from './ports/settings.ts';
import { createLinkReads, type LinkReads } from './users/link-reads.ts';
import { createWriteQueue, type WriteQueue } from './write-queue.ts';

/** A change of the listening address that waits to be confirmed from there. In memory only: a restart reverts it. */
export interface AddressTrial {
  readonly place: ListenAddress;
  readonly tokenHash: string;
  readonly endsAt: number;
  /** Stops the timer that ends it. */
  readonly stop: () => void;
}

/** What the parts of the core share for as long as it runs. */
export interface Env extends CoreParts {
  readonly queue: WriteQueue;
  /** Null: SQLite checkpoints by itself. */
  readonly checkpoints: Checkpoints | null;
  settings(): SettingValues;
  /** To be called after a write to the settings. */
  forgetSettings(): void;
  baseUrl(): string;
  /** The subscription link of a token. */
  subUrl(token: string): string;
  addressTrial: AddressTrial | null;
  /** Ends the order by ACME that runs; null: none does. */
  acmeOrder: AbortController | null;
  /** What the Telegram bot does at the moment. */
  botStatus: BotStatus;
  /** Tokens by which machines can be joined now: by node, how to end each. In memory only: a restart ends them. */
  readonly invitations: Map<number, () => void>;
  /** Resolves in a turn of the event loop of its own, one after the other: for work that would keep requests waiting if it were done at once. */
  turn(): Promise<void>;
  /** Engines of nodes that are spoken to at the moment, by node. */
  readonly engines: Map<number, Engine>;
  /** The last update of engines since the start; null: none. In memory only. */
  engineUpdate: EngineUpdateRun | null;
  /** Questions to payment providers that are on their way, by invoice. */
  readonly providerCalls: Map<number, Promise<ProviderFailure | null>>;
  /** When links were read. */
  readonly linkReads: LinkReads;
  /** Failed keys and sign-ins. */
  readonly failures: Failures;
  /** A write in several transactions ends after the present one. */
  isStopping: boolean;
  /** Notifies subscribers of the events that were committed. */
  announce(): void;
  /** Called where sessions may end, or the path under which they were used: who watches is asked for his session after the commit. */
  noteEndedSessions(): void;
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

export function createEnv(parts: CoreParts, announce: () => void, noteEndedSessions: () => void = () => {}): Env {
  let cached: SettingValues | null = null;
  const settings = () => {
    cached ??= parts.store.settings.get();
    return cached;
  };
  const forgetSettings = () => {
    cached = null;
  };
  const queueParts = createQueue(parts, forgetSettings);
  return {
    ...parts,
    ...queueParts,
    linkReads: createLinkReads({ ...parts, ...queueParts }),
    failures: createFailures(parts),
    addressTrial: null,
    acmeOrder: null,
    botStatus: FRESH_STATUS,
    invitations: new Map(),
    turn: createTurns(parts.timers),
    engines: new Map(),
    engineUpdate: null,
    providerCalls: new Map(),
    isStopping: false,
    settings,
    forgetSettings,
    baseUrl: () => `${parts.origin()}/${settings().secretPath}/api/v1`,
    subUrl: (token) => {
      const { publicUrl, subPath } = settings();
      return `${publicUrl ?? parts.origin()}/${subPath}/${token}`;
    },
    announce,
    noteEndedSessions,
  };
}

function createTurns({ soon }: CoreParts['timers']): () => Promise<void> {
  let last = Promise.resolve();
  return () => {
    last = last.then(() => new Promise((resolve) => soon(resolve)));
    return last;
  };
}

/** The queue of writes, with the checkpoints after them. What a failed write wrote to the settings is forgotten. */
function createQueue(
  { store, timers, log, checkpointer }: CoreParts,
  forgetSettings: () => void,
): Pick<Env, 'queue' | 'checkpoints'> {
  const orForget = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      forgetSettings();
      throw error;
    }
  };
  const queue = createWriteQueue({
    commit: (works) => orForget(() => store.writeTogether(works)),
    soon: timers.soon,
    turned: () => checkpoints?.note(),
  });
  const { runAlone } = queue;
  const checkpoints = checkpointer ? createCheckpoints({ store, log, checkpointer, runAlone }) : null;
  return { queue: { ...queue, run: (work) => queue.run(() => orForget(work)) }, checkpoints };
}

export function createContext(env: Env, call: Call, now: number): Context {
  const { store, crypto, vault, totp } = env;
  return { env, call, now, store, settings: env.settings(), crypto, vault, totp };
}

const NO_FIELDS: readonly string[] = [];

/** Events that are counted by day. */
const COUNTED: { readonly [Type in EventType]?: keyof UserDayCounts } = {
  'user.created': 'created',
  'user.expired': 'expired',
  'user.deleted': 'deleted',
};

type Cause = Pick<EventRow, 'actorKind' | 'keyId' | 'requestId'>;
const SYSTEM: Cause = { actorKind: 'system', keyId: null, requestId: null };

const EVENT_ACTORS: Readonly<Record<ActorKind, EventActorKind>> = {
  key: 'key',
  administrator: 'administrator',
  bot: 'administrator',
  cli: 'cli',
  panel: 'system',
  unknown: 'system',
};

/** Who causes the events of a call. */
function causeOf({ actor, requestId }: Call): Cause {
  const actorKind = EVENT_ACTORS[actor.kind];
  if (actorKind === 'system') return SYSTEM;
  return { actorKind, keyId: actorKind === 'key' ? actor.id : null, requestId };
}

/** To be called inside `store.write`. `action` names the operation in the audit log. */
export function createTransaction(env: Env, call: Call, action: string, now: number): Transaction {
  const { store } = env;
  const cause = causeOf(call);
  const countUser = (type: EventType, at: number) => {
    const what = COUNTED[type];
    if (what) store.userDays.add(localDay(at, env.settings().timeZone), what, 1);
  };
  let gathered: Omit<EventRow, 'id'>[] | null = null;
  const append = (event: Omit<EventRow, 'id'>) => {
    if (gathered) gathered.push(event);
    else store.events.append(event, now);
  };
  return {
    ...createContext(env, call, now),
    saveSettings: (values) => {
      if (values.secretPath !== undefined) env.hideSecret?.(values.secretPath);
      store.settings.set(values);
      env.forgetSettings();
      if (values.secretPath !== undefined) env.noteEndedSessions();
    },
    emit: (type, data, changed = NO_FIELDS) => {
      countUser(type, now);
      const names = changed.length === 0 ? '[]' : JSON.stringify(changed);
      append({ type, at: now, ...cause, changed: names, data: JSON.stringify(data) });
    },
    emitDue: (type, data, at) => {
      countUser(type, at);
      append({ type, at, ...SYSTEM, changed: '[]', data: JSON.stringify(data) });
    },
    gatherEvents: (work) => {
      const events: Omit<EventRow, 'id'>[] = [];
      gathered = events;
      try {
        const result = work();
        store.events.appendAll(events, now);
        return result;
      } finally {
        gathered = null;
      }
    },
    audit: (target, detail = {}, outcome = 'done', actor = call.actor) => {
      const { address, requestId } = call;
      return store.audit.append({
        at: now,
        actorKind: actor.kind,
        actorId: actor.id,
        actorName: actor.name,
        action,
        outcome,
        target,
        detail: JSON.stringify(detail),
        address,
        requestId,
      });
    },
  };
}
