// The interface of the core to doors and hosts: one entry point for every operation, and lifecycle functions.

import type { Event } from '../../contract/event-types.ts';
import type { Access } from '../../contract/operation.ts';
import type { PromoEffect } from '../../contract/sales/promos.ts';
import type { ProviderKind } from '../../contract/sales/providers.ts';
import type { Sold } from '../../contract/sales/sales.ts';
import type { Acme } from '../../contract/settings/acme.ts';
import type { Format } from '../../contract/subscription/formats.ts';
import type { FormatReason, SubscriptionRule } from '../../contract/subscription/rules.ts';
import type { BuiltInTemplate, TemplateDocument, TemplateDocuments } from '../../contract/subscription/templates.ts';
import type { Input, Output } from '../../contract/table.ts';
import type { ReleaseManifest, UpdateProblem } from '../../contract/updates.ts';
import type { UserState } from '../../contract/users/users.ts';
import type { Money } from '../../domain/sales/money.ts';
import type { ShopPlace } from '../../domain/sales/shop-place.ts';
import type { Place } from '../../domain/subscription/hosts.ts';
import type { AcmeSettings } from '../ports/acme.ts';
import type { BackupPlaces, OpenPlace, StoredBackup } from '../ports/backup-places.ts';
import type { BackupFiles, Backups, BackupVerdict, RestoreRequest } from '../ports/backups.ts';
import type { BotClient, BotService } from '../ports/bot.ts';
import type { Actor, Call, HandledId, ReadId, Reply } from '../ports/call.ts';
import type { Checkpointer } from '../ports/checkpointer.ts';
import type { Credentials } from '../ports/credentials.ts';
import type { LocalMachine, NodeTrust, OpenEngine } from '../ports/engines.ts';
import type { HeavyWriter } from '../ports/heavy-writer.ts';
import type { HostPorts } from '../ports/host.ts';
import type { ImportFiles, ImportReport, ImportRequest, ImportUploads } from '../ports/imports.ts';
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
import type { LinkSettings, SettingValues, UpdateLastValue } from '../ports/settings.ts';
import type { PanelClock } from '../ports/time.ts';
import type { UpDown } from '../ports/traffic.ts';
import type { UserRow } from '../ports/users.ts';
import type { WebhookClient } from '../ports/webhooks.ts';

/** The values of the metrics: all from maintained counts, none by a scan. */
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

/** Fields of a user that a link shows. */
export type LinkUser = Pick<
  UserRow,
  | 'id'
  | 'name'
  | 'token'
  | 'state'
  | 'usedUp'
  | 'usedDown'
  | 'expiresAt'
  | 'resetsAt'
  | 'deviceLimit'
  | 'updatedAt'
  | 'tariffId'
  | 'tags'
>;

/** The content of a subscription link at the time of the call. */
export interface Subscription<User extends LinkUser = LinkUser> {
  readonly user: User;
  readonly credentials: Credentials;
  readonly canConnect: boolean;
  /** used + remaining, bytes; null: unlimited. */
  readonly total: number | null;
  /** Connections of the user, one for each host of theirs. Empty if the user may not connect. */
  readonly inbounds: readonly (Place<MachineInbound> & {
    /** Of another user behind the same link; default: those of the subscription. */
    readonly credentials?: Credentials;
  })[];
  readonly url: string;
  /** Offers for the user, each with its first price. Read on call, since apps do not show them. */
  offers(place: ShopPlace): readonly Offered[];
  /** The bot to link a Telegram account with; null: none runs. Read on call. */
  bot(): { readonly username: string; readonly isLinked: boolean; readonly hasFriends: boolean } | null;
}

export interface Templates {
  /** Those that come with the panel. */
  builtIn(): Readonly<Record<BuiltInTemplate, TemplateDocuments>>;
  /** Why apps would refuse the document, for the administrator; null: they would not. */
  check(document: TemplateDocument, text: string): Promise<string | null>;
}

/** The reply of a link to an app, and why it is this one. */
export type SubscriptionReply = (
  subscription: Subscription,
  settings: LinkSettings,
  request: {
    readonly userAgent: string | undefined;
    readonly accept: string | undefined;
    readonly format: string | undefined;
    readonly allHeaders: Readonly<Record<string, string>>;
    readonly now: number;
  },
) => {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly choice: { readonly format: Format; readonly reason: FormatReason; readonly rule: SubscriptionRule | null };
};

/** An offer as shown to a buyer. */
export interface Offered {
  readonly id: number;
  readonly name: string;
  readonly sold: Sold;
  readonly price: Money;
  /** Free of charge, and applied at once. */
  readonly isTrial: boolean;
}

/** One price at one provider. */
export interface PaymentOption {
  readonly providerId: number;
  readonly kind: ProviderKind;
  /** A test account without real money. */
  readonly isTest: boolean;
  readonly price: Money;
  /** The provider sends a receipt: the buyer must enter an e-mail address. */
  readonly needsEmail: boolean;
  /** Where it is paid, once it was opened; else null. */
  readonly payUrl: string | null;
}

export interface OrderPage {
  readonly id: number;
  readonly tariff: string;
  readonly offer: string;
  readonly sold: Sold;
  readonly prices: readonly Money[];
  /** The promo code in use, with the original prices; null: none. */
  readonly promo: { readonly code: string; readonly effect: PromoEffect; readonly prices: readonly Money[] } | null;
  /** `decision`: a payment arrived and needs a decision of the administrator. */
  readonly state: 'unpaid' | 'decision' | 'paid' | 'refunded';
  /** Payment options; empty if the order cannot be paid. */
  readonly paymentOptions: readonly PaymentOption[];
  /** Whether a provider can be polled. */
  readonly canPoll: boolean;
  /** Free of charge. */
  readonly isTrial: boolean;
  readonly paid: (Money & { readonly at: number }) | null;
  /** The end of the purchased term; null: no term, or it has not begun. */
  readonly until: number | null;
  /** Whether the purchased term begins with the first connection. */
  readonly startsLater: boolean;
  readonly refundedAt: number | null;
  /** The page of the subscription; null: the user was deleted. */
  readonly subscriptionUrl: string | null;
}

export interface Shop {
  /** The order with this token; null: none. */
  order(token: string, place: ShopPlace): OrderPage | null;
  /**
   * Opens an order at a provider and returns the payment URL. Throws the same PanelErrors as openOrder; `validation` about `email` if the
   * option needs one, and it is missing or none.
   */
  pay(
    token: string,
    option: Pick<PaymentOption, 'providerId'> & {
      readonly currency: string;
      /** Where the buyer returns to; default: the page of the order. */
      readonly returnUrl?: string;
      /** As the buyer typed it. */
      readonly email?: string;
      readonly place: ShopPlace;
    },
  ): Promise<string>;
  /** Polls the providers of an order now, if their minimum interval allows. */
  pollOrder(token: string): Promise<void>;
  /** Applies a promo code to an order. PanelError `promo_refused`, `order_ended`, `rate_limited` after too many wrong codes. */
  enterPromo(token: string, code: string): Promise<void>;
  /** Removes the promo code of an order. PanelError `order_ended`. */
  removePromo(token: string): Promise<void>;
  /** Whether a provider sends webhooks with this token. */
  isWebhookToken(token: string): boolean;
  /** Uses a webhook as a hint to poll the provider; false if it is not from the provider. Rejects if this cannot be decided now. */
  hint(token: string, webhook: Omit<Webhook, 'now'>): Promise<boolean>;
  /** Creates an order of an offer for the user of a subscription and returns its token. Throws the same PanelErrors as makeOrder. */
  buy(subscription: string, offerId: number): Promise<string>;
}

/** Commands of the command line; not available over TCP. */
export interface LocalCommands {
  /** A new one-time setup token (valid for one hour); null if there is an administrator. */
  renewSetupToken(): Promise<string | null>;
  isSetUp(): boolean;
  /** Whether a code is required in addition to the password. */
  hasSecondFactor(): boolean;
  /** Creates the administrator. PanelError `already_set_up`, `validation`. */
  setUp(name: string, password: string): Promise<void>;
  /**
   * Sets the password, revokes all keys, ends all sessions and unpairs the administrator's Telegram accounts. `disableTwoFactor`: also turns the
   * second factor off, for an administrator who lost phone and codes. PanelError `not_found` before setup, `validation`.
   */
  resetPassword(
    password: string,
    disableTwoFactor?: boolean,
  ): Promise<{ readonly keys: number; readonly sessions: number; readonly telegram: number }>;
  /** Sets a new secret path from the next request on; the old one stops working. */
  rotateSecretPath(): Promise<void>;
  /** Orders certificates by ACME, unless the same order exists. PanelError `unavailable` behind a reverse proxy. */
  orderCertificate(settings: AcmeSettings): Promise<void>;
  acme(): Acme;
  /** Checks for the newest release and stores the result. */
  checkReleases(): Promise<ReleaseManifest | { readonly problem: UpdateProblem }>;
  /** Records the result of an update, with an audit row. */
  recordUpdate(outcome: Omit<UpdateLastValue, 'at'>): Promise<void>;
  /** Checks a backup file of this machine (absolute path). PanelError `not_found`, `rate_limited`. */
  checkBackup(path: string, passphrase: string | null): Promise<BackupVerdict>;
  /** Records that a backup was stored at another place; `kind`: of the place. */
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

/** Users and inbounds of other panels, and the document of one's own. */
export interface Imports {
  /** What an import would do; nothing is written. PanelError `unavailable`. */
  plan(request: ImportRequest): Promise<ImportReport>;
  /** Makes a backup, then imports. An interrupted import is continued by the next one. */
  apply(request: ImportRequest): Promise<ImportReport>;
  /** The document, in parts of its text. Audited before the first one. PanelError `storage_full`. */
  exportDocument(): AsyncIterable<string>;
}

export interface Core {
  /**
   * Runs an operation. `input` is the flat, validated input (contract/input/input.ts). Reads return synchronously, writes return a promise. Throws
   * (or rejects with) PanelError. The door has checked key, rate and route.
   */
  call<Id extends ReadId>(id: Id, input: Input<Id>, call: Call): Reply<Output<Id>>;
  call<Id extends HandledId>(id: Id, input: Input<Id>, call: Call): Reply<Output<Id>> | Promise<Reply<Output<Id>>>;
  /** The actor of an API key; null if it is malformed, unknown, expired or revoked. Reads the store each time. */
  authenticateKey(key: string): Actor | null;
  /** Records the use of a key; written at most once a minute, outside the request. */
  recordKeyUse(keyId: number, address: string): void;
  /**
   * The administrator of a session token; null if the session ended (12 h idle, 30 days absolute). `isUse` false: does not extend the session, as for
   * an idle page.
   */
  authenticateSession(token: string, isUse?: boolean): Actor | null;
  /** Counts a request with an invalid key; `isThrottled`: it was refused without a check. */
  recordFailedKey(address: string, isThrottled: boolean): void;
  /** The current settings; cached, changed only through the core. */
  settings(): SettingValues;
  /** The current base_url, without a trailing slash. */
  baseUrl(): string;
  /** Calls the listener soon after sessions may have ended early. Returns the unsubscribe function. */
  onEndedSessions(listener: () => void): () => void;
  /** Calls the listener with each event after its commit. Returns the unsubscribe function. */
  subscribe(listener: (event: Event) => void): () => void;
  /** Events after `after`, for a client that reconnects; null if they were pruned. */
  eventsAfter(after: number, limit: number): readonly Event[] | null;
  latestEventId(): number;
  figures(): Figures;
  subscription(token: string): Subscription<UserRow> | null;
  /** What is behind a link of another panel, with any text as its token; null: nothing, or it was revoked. */
  importedSubscription(token: string): Subscription<UserRow> | null;
  /** The paths of links of other panels, without slashes at their ends. */
  linkPaths(): readonly string[];
  /** The interface of the shop pages. */
  readonly shop: Shop;
  /** Records that an application read the user's link; written at most once a minute, outside the request. */
  recordLinkRead(userId: number, app: string | null): void;
  readonly local: LocalCommands;
  readonly imports: Imports;
  readonly backupFiles: BackupFiles;
  /** The store interface of the running bot. */
  readonly bot: BotService;
  /** Starts the periodic jobs (sweep, pruning, scheduled backups, webhooks) and the engines of nodes. */
  start(): void;
  /** Runs overdue jobs after a suspend: settles users, reads nodes, sends webhooks. */
  catchUp(): Promise<void>;
  /** In energy-saving mode, node counters are read only at every third turn. */
  saveEnergy(isOn: boolean): void;
  /**
   * Stops timers and engines, waits for running tasks and writes pending data. The store stays open but unused: operations throw PanelError
   * `unavailable`, subscribers get no events.
   */
  stop(): Promise<void>;
}

/** The ports that a core is composed of. */
export interface CoreParts {
  readonly store: Store;
  readonly clock: Clock;
  /** `clock` with doubt detection. Default: always trusted. */
  readonly panelClock?: PanelClock;
  readonly timers: Timers;
  readonly crypto: Crypto;
  readonly passwords: PasswordHasher;
  readonly vault: Vault;
  readonly totp: Totp;
  readonly certificateMaker: CertificateMaker;
  readonly log: Log;
  /** The host's sockets and certificates; null if it has none, or not yet. */
  host(): HostPorts | null;
  /** null: every write runs on this thread. */
  readonly heavy: HeavyWriter | null;
  /** Default: no other panel has this data. */
  readonly role?: PanelRole;
  /** Default: this core runs no engines. */
  readonly openEngine?: OpenEngine;
  /** Default: machines cannot be joined. */
  readonly nodeTrust?: NodeTrust;
  /** Poll interval of engine counters in ms; default: 10 s. */
  readonly pollEveryMs?: number | undefined;
  /** How long a new address waits for confirmation in ms; default: a minute. */
  readonly addressTrialMs?: number | undefined;
  /** The last log lines of a local node's engine, oldest first. Default: no engines. */
  readonly engineLog?: (nodeId: number) => readonly string[];
  /** Default: no local node can be suggested. */
  readonly localMachine?: LocalMachine;
  /** Default: REALITY targets are not probed. */
  readonly targetProbe?: TargetProbe;
  /** Default: no webhooks are delivered. */
  readonly webhookClient?: WebhookClient;
  /** Default: no payment providers. */
  readonly paymentProviders?: PaymentProviders;
  /** Default: no Bot API. */
  readonly botClient?: BotClient;
  /** Default: no release checks. */
  readonly releases?: Releases;
  /** Default: SQLite checkpoints automatically. */
  readonly checkpointer?: Checkpointer;
  /** Default: no backups. */
  readonly backups?: Backups;
  /** Default: no imports. */
  readonly importFiles?: ImportFiles;
  /** Default: no imports in the pages. */
  readonly importUploads?: ImportUploads;
  /** Left out: this core stores backups on its machine alone. */
  readonly backupPlaces?: BackupPlaces;
  /** The page of a subscription link, without its script. Left out: this core has no pages. */
  readonly subscriptionPage?: (subscription: Subscription, settings: SettingValues, now: number) => string;
  /** The reply of a subscription link to an app. Left out: this core answers no links. */
  readonly subscriptionReply?: SubscriptionReply;
  /** Templates of subscription links. Left out: this core answers no links. */
  readonly templates?: Templates;
  /** Called with a new secret path before it can appear in a log line. */
  hideSecret?(secret: string): void;
  /** The panel's version. */
  readonly version: string;
  /** Path of the master key file; default or null: none. */
  readonly keyFile?: string | null;
  /** How to call the command line on this machine, as in `npx panel`. */
  readonly command: string;
  /** `https://<address>:<port>` of base_url: the public address if set, else the LAN's, else 127.0.0.1. */
  origin(): string;
}
