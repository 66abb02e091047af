// The store's ports for settings, the schedule of backups, and the state of updates.

import type { AdminNotice } from '../../contract/bot/bot-admins.ts';
import type { UserNotice } from '../../contract/bot/bot-notices.ts';
import type { OfferedApp } from '../../contract/subscription/apps.ts';
import type { SubscriptionHeaders } from '../../contract/subscription/headers.ts';
import type { SubscriptionRule } from '../../contract/subscription/rules.ts';
import type { OwnTemplate, TemplateChoice, TemplateId } from '../../contract/subscription/templates.ts';
import type { ROLLBACK_REASONS, UPDATE_RESULTS, UpdateProblem } from '../../contract/updates.ts';
import type { UserView } from '../../contract/users/user-views.ts';
import type { QuietHours } from '../../domain/users/user-notices.ts';
import type { Language } from '../../i18n/languages.ts';
import type { AcmeSettings, AcmeState } from './acme.ts';

/** Values that the administrator sets. Stored as one row each; a missing or invalid one has its default. */
export interface SettingValues {
  readonly timeZone: string;
  readonly language: Language;
  readonly panelTitle: string;
  readonly subscriptionTitle: string;
  readonly updateIntervalHours: number;
  readonly supportUrl: string | null;
  readonly announcement: string;
  readonly subscriptionRules: readonly SubscriptionRule[];
  readonly subscriptionHeaders: SubscriptionHeaders;
  readonly subscriptionTemplates: SubscriptionTemplatesValue;
  /** The apps that users are offered; null: the panel's own list. */
  readonly subscriptionApps: readonly OfferedApp[] | null;
  /** Requests a minute per key; 0: no limit. */
  readonly rateLimit: number;
  /** Days before the end of a term at which `user.expiring` is emitted, the longest first. */
  readonly expiringNoticeDays: readonly number[];
  readonly eventsKeptDays: number;
  readonly auditKeptDays: number;
  /** The program of local engines; null: `xray` or `v2ray` on PATH. */
  readonly enginePath: string | null;
  /** Whether users who are connected from too many addresses are blocked for a while. */
  readonly cutOffConcurrent: boolean;
  /** The speed of a node's fastest line, in Gbit/s. */
  readonly nodeLineGbps: number;
  /** Whether an engine is restarted if blocked users still move bytes. */
  readonly restartToCutOff: boolean;
  /** Whether users can create orders and pay them at a provider. */
  readonly selling: boolean;
  /** Whether the bot's chat offers only Stars for payment. */
  readonly starsOnlyInTelegram: boolean;
  readonly referrals: ReferralsValue;
  readonly botNotices: BotNoticesValue;
  readonly adminNotices: AdminNoticesValue;
  readonly botRequests: BotRequestsValue;
  readonly userViews: UserViewsValue;
  readonly host: string;
  readonly port: number;
  readonly secretPath: string;
  readonly subPath: string;
  /** Scheme, host and port that links begin with; null: the panel's own. */
  readonly publicUrl: string | null;
  /** The address in base_url; null: the LAN address listened on. */
  readonly publicAddress: string | null;
  /** The port of a separate listener for links only; null: none. */
  readonly linksPort: number | null;
  readonly linksHost: string;
  /** Names accepted in Host besides the panel's own. */
  readonly hostNames: readonly string[];
  readonly trustedProxies: readonly string[];
  /** Part of the cookie's name: cookies ignore the port. */
  readonly instanceId: string;
  /** null: certificates by ACME are off. */
  readonly acme: AcmeSettings | null;
  readonly acmeState: AcmeState;
  /** The panel's own authority as last seen; null: the panel has not served TLS yet. */
  readonly authority: SeenAuthority | null;
  readonly backupSchedule: BackupScheduleValue;
  readonly backupLast: BackupOutcomeValue;
  /** When a backup was last stored at a remote place or downloaded, epoch ms; null: never. */
  readonly backupLeftAt: number | null;
  /** When the administrator was last notified that no backup has left the machine for long, epoch ms; null: never. */
  readonly backupLateAt: number | null;
  /** Whether the panel looks for releases once a day. */
  readonly updateChecks: boolean;
  readonly updateSeen: UpdateSeenValue;
  readonly updateLast: UpdateLastValue | null;
  /** The last time at which the clock was trusted, epoch ms; null: the panel has not run. */
  readonly knownAt: number | null;
  /** Counts the machines that this data was restored to: nodes obey the highest number (docs/decisions/0025). */
  readonly epoch: number;
  /** The start time in this panel's claim at its nodes, epoch ms; 0: never started. */
  readonly startedAt: number;
}

export interface SeenAuthority {
  readonly fingerprint: string;
  /** The former authority, which some clients still trust; null: all know the present one. */
  readonly former: { readonly fingerprint: string; readonly replacedAt: number } | null;
}

/** Rewards for referrals. */
export interface ReferralsValue {
  readonly on: boolean;
  readonly referrerDays: number;
  readonly friendDays: number;
  /** Rewards for one user in 30 days. */
  readonly maxPerMonth: number;
}

/** Own templates of links. */
export interface SubscriptionTemplatesValue {
  readonly items: readonly OwnTemplate[];
  /** For all others; null: the usual document. */
  readonly chosen: TemplateId | null;
  /** For some users: the first that fits, where no rule names a template. */
  readonly choices: readonly TemplateChoice[];
}

/** The notices to users by the bot. */
export interface BotNoticesValue {
  /** Enabled notices. */
  readonly on: readonly UserNotice[];
  readonly quiet: QuietHours | null;
  /** Texts that replace the default ones. */
  readonly texts: Readonly<Partial<Record<Language, Readonly<Partial<Record<UserNotice, string>>>>>>;
}

/** Whether strangers can ask for access in the bot. */
export interface BotRequestsValue {
  readonly on: boolean;
  /** Whether accepted users begin without a term. */
  readonly buysFirst: boolean;
}

/** The notices to the administrator by the bot. */
export interface AdminNoticesValue {
  /** Enabled notices. */
  readonly on: readonly AdminNotice[];
  readonly quiet: QuietHours | null;
}

/** The saved views of the list of users. */
export interface UserViewsValue {
  /** The last used id: ids are not reused. */
  readonly lastId: number;
  readonly items: readonly UserView[];
}

/** What the last check for releases found. */
export interface UpdateSeenValue {
  /** null: no check yet. */
  readonly at: number | null;
  /** null: the last check succeeded. */
  readonly problem: UpdateProblem | null;
  /** The newest known release; null: none. */
  readonly release: {
    readonly version: string;
    readonly publishedAt: string;
    /** When it was signed: a release with an earlier signature is refused. */
    readonly signedAt: string;
    readonly notes: string;
    readonly platforms: readonly string[];
  } | null;
}

/** How the last update ended. */
export interface UpdateLastValue {
  readonly at: number;
  readonly from: string;
  readonly to: string;
  readonly result: (typeof UPDATE_RESULTS)[number];
  readonly reason: (typeof ROLLBACK_REASONS)[number] | null;
  /** Whether the data from before the update was restored. */
  readonly restored: boolean;
}

export interface BackupScheduleValue {
  /** null: no scheduled backups. */
  readonly everyHours: number | null;
  /** How many scheduled backups are kept. */
  readonly keep: number;
  /** Whether they are encrypted, with the passphrase in the vault. */
  readonly encrypted: boolean;
}

/** When the last scheduled backup succeeded, and why a later one failed. */
export interface BackupOutcomeValue {
  readonly at: number | null;
  readonly error: string | null;
}

export interface SettingStore {
  get(): SettingValues;
  /** Whether the setting is stored. */
  has(name: keyof SettingValues): boolean;
  set(values: Partial<SettingValues>): void;
}

/** The settings that links show. */
export type LinkSettings = Pick<
  SettingValues,
  | 'subscriptionTitle'
  | 'language'
  | 'supportUrl'
  | 'timeZone'
  | 'announcement'
  | 'updateIntervalHours'
  | 'subscriptionRules'
  | 'subscriptionHeaders'
  | 'subscriptionTemplates'
  | 'subscriptionApps'
>;
