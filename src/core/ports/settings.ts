// The store's ports for settings, the schedule of backups, and what is known of updates.

import type { AdminNotice } from '../../contract/bot/bot-admins.ts';
import type { UserNotice } from '../../contract/bot/bot-notices.ts';
import type { ROLLBACK_REASONS, UPDATE_RESULTS, UpdateProblem } from '../../contract/updates.ts';
import type { UserView } from '../../contract/users/user-views.ts';
import type { QuietHours } from '../../domain/users/user-notices.ts';
import type { Language } from '../../i18n/languages.ts';
import type { AcmeSettings, AcmeState } from './acme.ts';

/** What an administrator sets. Stored as one row a setting; a missing or unreadable one has its default. */
export interface SettingValues {
  readonly timeZone: string;
  readonly language: Language;
  readonly panelTitle: string;
  readonly subscriptionTitle: string;
  readonly updateIntervalHours: number;
  readonly supportUrl: string | null;
  readonly announcement: string;
  /** Requests a minute per key; 0: no limit. */
  readonly rateLimit: number;
  /** Days before the end of a term at which it is announced as expiring, the longest first. */
  readonly expiringNoticeDays: readonly number[];
  readonly eventsKeptDays: number;
  readonly auditKeptDays: number;
  /** The program of local engines; null: `xray` or `v2ray` on PATH. */
  readonly enginePath: string | null;
  /** Whether users who are connected from more addresses at once than they may are cut off for a while. */
  readonly cutOffConcurrent: boolean;
  /** Of the fastest line of a node, in Gbit/s. */
  readonly nodeLineGbps: number;
  /** Whether an engine is restarted over which users who may not connect go on moving bytes. */
  readonly restartToCutOff: boolean;
  /** Whether orders can be made that users pay at a provider. */
  readonly selling: boolean;
  /** Whether the chat of the bot offers no other way to pay. */
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
  /** A listener of its own that serves nothing but links; null: none. */
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
  /** The panel's own authority as it was last seen; null: the panel has not served TLS yet. */
  readonly authority: SeenAuthority | null;
  readonly backupSchedule: BackupScheduleValue;
  readonly backupLast: BackupOutcomeValue;
  /** When a backup was last stored at another place or downloaded, epoch ms; null: none was. */
  readonly backupLeftAt: number | null;
  /** When the administrator was last told that none has left the machine for long, epoch ms; null: never. */
  readonly backupLateAt: number | null;
  /** Whether the panel looks for releases once a day. */
  readonly updateChecks: boolean;
  readonly updateSeen: UpdateSeenValue;
  readonly updateLast: UpdateLastValue | null;
  /** The last time at which the clock was trusted, epoch ms; null: the panel has not run. */
  readonly knownAt: number | null;
  /** Counts the machines that these data were restored to: nodes obey the highest one (docs/decisions/0025). */
  readonly epoch: number;
  /** When the panel was started last, as it claims at its nodes, epoch ms; 0: never. */
  readonly startedAt: number;
}

export interface SeenAuthority {
  readonly fingerprint: string;
  /** The one that clients trust where they have not got the present one; null: all have. */
  readonly former: { readonly fingerprint: string; readonly replacedAt: number } | null;
}

/** What users get for inviting friends. */
export interface ReferralsValue {
  readonly on: boolean;
  readonly referrerDays: number;
  readonly friendDays: number;
  /** Rewards for one user in 30 days. */
  readonly maxPerMonth: number;
}

/** The notices to users by the bot. */
export interface BotNoticesValue {
  /** Those that are sent. */
  readonly on: readonly UserNotice[];
  readonly quiet: QuietHours | null;
  /** In place of the usual ones. */
  readonly texts: Readonly<Partial<Record<Language, Readonly<Partial<Record<UserNotice, string>>>>>>;
}

/** Whether strangers can ask for access in the bot. */
export interface BotRequestsValue {
  readonly on: boolean;
  /** Whether who is let in begins without a term. */
  readonly buysFirst: boolean;
}

/** The notices to the administrator by the bot. */
export interface AdminNoticesValue {
  /** Those that are sent. */
  readonly on: readonly AdminNotice[];
  readonly quiet: QuietHours | null;
}

/** The saved views of the list of users. */
export interface UserViewsValue {
  /** The id of none is given to another. */
  readonly lastId: number;
  readonly items: readonly UserView[];
}

/** What the last check for releases found. */
export interface UpdateSeenValue {
  /** null: no check yet. */
  readonly at: number | null;
  /** null: the last check succeeded. */
  readonly problem: UpdateProblem | null;
  /** The newest release that is known; null: none is. */
  readonly release: {
    readonly version: string;
    readonly publishedAt: string;
    /** An earlier signature is refused from then on. */
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
  /** Whether the data are those of before the update. */
  readonly restored: boolean;
}

export interface BackupScheduleValue {
  /** null: no scheduled backups. */
  readonly everyHours: number | null;
  /** How many scheduled ones stay. */
  readonly keep: number;
  /** With the passphrase that the vault has. */
  readonly encrypted: boolean;
}

/** When the last scheduled backup succeeded, and why the one after it failed. */
export interface BackupOutcomeValue {
  readonly at: number | null;
  readonly error: string | null;
}

export interface SettingStore {
  get(): SettingValues;
  /** Whether the setting has a row of its own. */
  has(name: keyof SettingValues): boolean;
  set(values: Partial<SettingValues>): void;
}

/** What a link shows of the settings. */
export type LinkSettings = Pick<
  SettingValues,
  'subscriptionTitle' | 'language' | 'supportUrl' | 'timeZone' | 'announcement' | 'updateIntervalHours'
>;
