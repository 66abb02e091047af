// The core as the doors and hosts see it: one way in for every operation, and what surrounds it.

import type { Event } from '../../contract/event-types.ts';
import type { Access } from '../../contract/operation.ts';
import type { PromoEffect } from '../../contract/sales/promos.ts';
import type { ProviderKind } from '../../contract/sales/providers.ts';
import type { Sold } from '../../contract/sales/sales.ts';
import type { Acme } from '../../contract/settings/acme.ts';
import type { Input, Output } from '../../contract/table.ts';
import type { ReleaseManifest, UpdateProblem } from '../../contract/updates.ts';
import type { UserState } from '../../contract/users/users.ts';
import type { EngineVersion } from '../../domain/nodes/engine-facts.ts';
import type { Money } from '../../domain/sales/money.ts';
import type { AcmeSettings } from '../ports/acme.ts';
import type { BackupPlaces, OpenPlace, StoredBackup } from '../ports/backup-places.ts';
import type { BackupFiles, Backups, BackupVerdict, RestoreRequest } from '../ports/backups.ts';
import type { BotClient, BotService } from '../ports/bot.ts';
import type { Actor, Call, HandledId, ReadId, Reply } from '../ports/call.ts';
import type { Checkpointer } from '../ports/checkpointer.ts';
import type { Credentials, InboundSecrets } from '../ports/credentials.ts';
import type { LocalMachine, NodeTrust, OpenEngine } from '../ports/engines.ts';
import type { HeavyWriter } from '../ports/heavy-writer.ts';
import type { HostPorts } from '../ports/host.ts';
import type { MachineInbound } from '../ports/inbounds.ts';
import type { NodeRow } from '../ports/nodes.ts';
import type {
  CertificateMaker,
  Clock,
  Crypto,
  Log,
  PasswordHasher,
  Store,
  TargetProbe,
  Timers,
  Totp,
  Vault,
} from '../ports/ports.ts';
import type { PaymentProviders, Webhook } from '../ports/providers.ts';
import type { Releases } from '../ports/releases.ts';
import type { PanelRole } from '../ports/role.ts';
import type { SettingValues, UpdateLastValue } from '../ports/settings.ts';
import type { PanelClock } from '../ports/time.ts';
import type { UpDown } from '../ports/traffic.ts';
import type { UserRow } from '../ports/users.ts';
import type { WebhookClient } from '../ports/webhooks.ts';

/** The figures behind the metrics: all from maintained counts, none by a scan. */
export interface Figures {
  readonly users: Readonly<Record<UserState, number>>;
  readonly usersOnline: number;
  readonly traffic: UpDown;
  readonly nodes: readonly NodeRow[];
  readonly nodeTraffic: readonly (UpDown & { readonly nodeId: number; readonly name: string })[];
  readonly inboundTraffic: readonly (UpDown & { readonly inboundId: number; readonly name: string })[];
  readonly keys: Readonly<Record<Access, number>>;
  readonly databaseBytes: number;
  /** Ordinary writes are refused until there is space again. */
  readonly isDiskFull: boolean;
  readonly epoch: number;
}

/** What a link shows of its user. */
export type LinkUser = Pick<
  UserRow,
  'id' | 'token' | 'state' | 'usedUp' | 'usedDown' | 'expiresAt' | 'resetsAt' | 'deviceLimit' | 'updatedAt'
>;

/** What a subscription link gives, at the moment of the call. */
export interface Subscription<User extends LinkUser = LinkUser> {
  readonly user: User;
  readonly credentials: Credentials;
  readonly canConnect: boolean;
  /** used + remaining, bytes; null: unlimited. */
  readonly total: number | null;
  /** What the user may connect to, each with the address to connect to. Empty where they may not connect. */
  readonly inbounds: readonly {
    readonly inbound: MachineInbound;
    readonly address: string;
    /** The engine of its node, as it last answered; null: it never did. */
    readonly engine: EngineVersion | null;
    readonly secrets: InboundSecrets;
  }[];
  readonly url: string;
  /** What the user can buy, each at its first price. Read when it is called, as applications do not show it. */
  offers(): readonly Offered[];
  /** The bot to which the user can tie a Telegram account, or has; null: none runs. Read when it is called. */
  bot(): { readonly username: string; readonly isLinked: boolean; readonly hasFriends: boolean } | null;
}

/** An offer as a user can buy it. */
export interface Offered {
  readonly id: number;
  readonly name: string;
  readonly sold: Sold;
  readonly price: Money;
  /** It costs nothing, and is given at once. */
  readonly isTrial: boolean;
}

/** One price at one provider. */
export interface PaymentOption {
  readonly providerId: number;
  readonly kind: ProviderKind;
  /** It takes play money. */
  readonly isTest: boolean;
  readonly price: Money;
}

export interface OrderPage {
  readonly id: number;
  readonly tariff: string;
  readonly offer: string;
  readonly sold: Sold;
  readonly prices: readonly Money[];
  /** The code that is used for it, and what it costs without; null: none is. */
  readonly promo: { readonly code: string; readonly effect: PromoEffect; readonly prices: readonly Money[] } | null;
  /** `decision`: money came, and a person has yet to decide about it. */
  readonly state: 'unpaid' | 'decision' | 'paid' | 'refunded';
  /** How it can be paid; none where it cannot. */
  readonly paymentOptions: readonly PaymentOption[];
  /** Whether there is a provider to ask. */
  readonly canPoll: boolean;
  /** It cost nothing. */
  readonly isTrial: boolean;
  readonly paid: (Money & { readonly at: number }) | null;
  /** The end of the term that it gave; null: it gave none, or one that has not begun. */
  readonly until: number | null;
  /** Whether it gave a term that begins with the first connection. */
  readonly startsLater: boolean;
  readonly refundedAt: number | null;
}

export interface Shop {
  /** The order behind a token; null: there is none. */
  order(token: string): OrderPage | null;
  /** Opens an order at a provider; the address at which it is paid. PanelError as openOrder has it. */
  pay(
    token: string,
    option: Pick<PaymentOption, 'providerId'> & {
      readonly currency: string;
      /** Where the buyer comes back to; left out: the page of the order. */
      readonly returnUrl?: string;
    },
  ): Promise<string>;
  /** Asks about an order at once, where its providers allow. */
  pollOrder(token: string): Promise<void>;
  /** Uses a promo code for an order. PanelError `promo_refused`, `order_ended`, `rate_limited` after too many wrong ones. */
  enterPromo(token: string, code: string): Promise<void>;
  /** Takes its promo code from an order. PanelError `order_ended`. */
  removePromo(token: string): Promise<void>;
  /** Whether a provider reports under this token. */
  isWebhookToken(token: string): boolean;
  /** Takes what a provider reports as a hint to ask it; false where it is not the provider's. Rejects where that cannot be said now. */
  hint(token: string, webhook: Omit<Webhook, 'now'>): Promise<boolean>;
  /** Makes an order of an offer for the user of a subscription; the order's token. PanelError as makeOrder has it. */
  buy(subscription: string, offerId: number): Promise<string>;
}

/** The command line's own commands; they never come over TCP. */
export interface LocalCommands {
  /** A fresh one-time setup token (one hour), or null when there is an administrator. */
  renewSetupToken(): Promise<string | null>;
  isSetUp(): boolean;
  /** Whether a code is required besides the password. */
  hasSecondFactor(): boolean;
  /** Makes the administrator. PanelError `already_set_up`, `validation`. */
  setUp(name: string, password: string): Promise<void>;
  /**
   * Sets the password, revokes all keys, ends all sessions, removes the administrator's accounts at Telegram; with `disableTwoFactor` turns the second factor off, for an
   * administrator who lost phone and codes. PanelError `not_found` before setup, `validation`.
   */
  resetPassword(
    password: string,
    disableTwoFactor?: boolean,
  ): Promise<{ readonly keys: number; readonly sessions: number; readonly telegram: number }>;
  /** A new secret path from the next request on; the former leads nowhere. */
  rotateSecretPath(): Promise<void>;
  /** Orders certificates by ACME, unless the same are ordered already. PanelError `unavailable` behind a reverse proxy. */
  orderCertificate(settings: AcmeSettings): Promise<void>;
  acme(): Acme;
  /** Looks for the newest release and stores what was found. */
  checkReleases(): Promise<ReleaseManifest | { readonly problem: UpdateProblem }>;
  /** Records how an update ended, with an audit row. */
  recordUpdate(outcome: Omit<UpdateLastValue, 'at'>): Promise<void>;
  /** Checks a backup file of this machine (absolute path). PanelError `not_found`, `rate_limited`. */
  checkBackup(path: string, passphrase: string | null): Promise<BackupVerdict>;
  /** Records that the backup of that name was stored at another place, and of which kind that is. */
  recordStoredBackup(name: string, kind: string): Promise<void>;
  /** Makes a backup for the place of that name and stores it there. PanelError `not_found`, `place_failed`, `rate_limited`. */
  backUpToPlace(name: string): Promise<StoredBackup>;
  /** Opens the place of that name; to be closed. PanelError `not_found`, `place_failed`, `vault_unavailable`; `validation` of a chat. */
  openPlace(name: string): OpenPlace;
  /** Restores it. PanelError `backup_refused`, `vault_unavailable`, `storage_full`. */
  restore(
    path: string,
    passphrase: string | null,
    options?: Partial<Pick<RestoreRequest, 'confirmed' | 'acceptsKeys'>>,
  ): Promise<Output<'restoreBackup'>>;
}

export interface Core {
  /**
   * Runs an operation. `input` is the flat, validated input (contract/input/input.ts). Reads return at once, writes a promise.
   * Throws (or rejects with) PanelError. The caller has checked the door's own rules: key, rate, route.
   */
  call<Id extends ReadId>(id: Id, input: Input<Id>, call: Call): Reply<Output<Id>>;
  call<Id extends HandledId>(id: Id, input: Input<Id>, call: Call): Reply<Output<Id>> | Promise<Reply<Output<Id>>>;
  /** The actor behind an API key as sent; null for any that is malformed, unknown, expired or revoked. Reads the store each time. */
  authenticateKey(key: string): Actor | null;
  /** Records that a key was used; written at most once a minute, outside the request. */
  recordKeyUse(keyId: number, address: string): void;
  /**
   * The administrator behind a session token; null if it ended. Idle 12 h, absolute 30 days. `isUse` false: does
   * not count as use, as for a page that was left open.
   */
  authenticateSession(token: string, isUse?: boolean): Actor | null;
  /** Counts a request with a key that is none; `isThrottled`: it was refused unseen. */
  recordFailedKey(address: string, isThrottled: boolean): void;
  /** The settings as of now; cached, changed through the core only. */
  settings(): SettingValues;
  /** How base_url reads at the moment, without a trailing slash. */
  baseUrl(): string;
  /** Calls the listener soon after sessions may have ended before their time. Returns how to unsubscribe. */
  onEndedSessions(listener: () => void): () => void;
  /** Calls the listener with each event after its commit. Returns how to unsubscribe. */
  subscribe(listener: (event: Event) => void): () => void;
  /** Events behind `after`, for a client that reconnects; null when they were pruned. */
  eventsAfter(after: number, limit: number): readonly Event[] | null;
  latestEventId(): number;
  figures(): Figures;
  subscription(token: string): Subscription<UserRow> | null;
  /** What buyers see and do. */
  readonly shop: Shop;
  /** Records that an application read the user's link; written at most once a minute, outside the request. */
  recordLinkRead(userId: number, app: string | null): void;
  readonly local: LocalCommands;
  readonly backupFiles: BackupFiles;
  /** What the running bot reads and writes. */
  readonly bot: BotService;
  /** Starts the periodic jobs: sweep, pruning, scheduled backups, webhooks; and the engines of nodes. */
  start(): void;
  /** Does at once what came due while the timers stood still, as in a machine that slept: settles users, reads nodes, sends webhooks. */
  catchUp(): Promise<void>;
  /** While it is on, the counters of nodes are read at every third time only, as on a battery. */
  saveEnergy(isOn: boolean): void;
  /**
   * Stops timers and engines, waits for what runs and writes what is pending. The store stays open, and nothing uses it any more: operations
   * throw PanelError `unavailable`, subscribers hear of no event.
   */
  stop(): Promise<void>;
}

/** The ports that a core is composed of. */
export interface CoreParts {
  readonly store: Store;
  readonly clock: Clock;
  /** `clock`, where it may be in doubt. Left out: it is always trusted. */
  readonly panelClock?: PanelClock;
  readonly timers: Timers;
  readonly crypto: Crypto;
  readonly passwords: PasswordHasher;
  readonly vault: Vault;
  readonly totp: Totp;
  readonly certificateMaker: CertificateMaker;
  readonly log: Log;
  /** The host's sockets and certificates; null where it has none, or not yet. */
  host(): HostPorts | null;
  /** null: every write runs on this thread. */
  readonly heavy: HeavyWriter | null;
  /** Left out: no other panel has these data. */
  readonly role?: PanelRole;
  /** Left out: this core runs no engines. */
  readonly openEngine?: OpenEngine;
  /** Left out: no machine can be joined to a node. */
  readonly nodeTrust?: NodeTrust;
  /** How often the counters of engines are read; left out: every 10 s. */
  readonly pollEveryMs?: number | undefined;
  /** How long another address waits to be confirmed; left out: a minute. */
  readonly addressTrialMs?: number | undefined;
  /** The last lines of the engine of a local node, the oldest first. Left out: this core has no engines. */
  readonly engineLog?: (nodeId: number) => readonly string[];
  /** Left out: nothing is known of the panel's machine as a node. */
  readonly localMachine?: LocalMachine;
  /** Left out: targets of REALITY are not asked. */
  readonly targetProbe?: TargetProbe;
  /** Left out: this core delivers no webhooks. */
  readonly webhookClient?: WebhookClient;
  /** Left out: this core talks to no payment providers. */
  readonly paymentProviders?: PaymentProviders;
  /** Left out: this core talks to no Bot API. */
  readonly botClient?: BotClient;
  /** Left out: this core knows no releases. */
  readonly releases?: Releases;
  /** Left out: SQLite checkpoints by itself. */
  readonly checkpointer?: Checkpointer;
  /** Left out: this core has no backups. */
  readonly backups?: Backups;
  /** Left out: this core stores backups on its machine alone. */
  readonly backupPlaces?: BackupPlaces;
  /** The page of a subscription link, without its script. Left out: this core has no pages. */
  readonly subscriptionPage?: (subscription: Subscription, settings: SettingValues, now: number) => string;
  /** Called with a new secret path before anything can be logged that contains it. */
  hideSecret?(secret: string): void;
  /** The panel's version. */
  readonly version: string;
  /** The file with the master key; left out or null: there is none. */
  readonly keyFile?: string | null;
  /** How a terminal of this machine calls its command: `npx panel`. */
  readonly command: string;
  /** `https://<address>:<port>` as base_url begins: the public address if set, else the LAN's, else 127.0.0.1. */
  origin(): string;
}
