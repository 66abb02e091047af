// The ports of webhooks: their rows, and the client that sends.
import type { EventType } from '../../contract/event-types.ts';
import type {
  DeliveryState,
  WebhookDisabledReason,
  WebhookErrorCode,
  WebhookEventType,
} from '../../contract/webhooks.ts';

export interface WebhookRow {
  readonly id: number;
  readonly url: string;
  readonly description: string;
  /** null: all, including those added later. */
  readonly types: readonly EventType[] | null;
  readonly enabled: boolean;
  /** null where it is enabled. */
  readonly disabledReason: WebhookDisabledReason | null;
  readonly allowPrivate: boolean;
  /** The last event of the feed that was handed out. */
  readonly position: number;
  /** Until when the previous secret signs as well; null: there is none. */
  readonly previousSecretEndsAt: number | null;
  readonly deliveredAt: number | null;
  /** The first failure since the last success; null: there is none. */
  readonly failingSince: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface DeliveryRow {
  readonly id: number;
  readonly webhookId: number;
  /** null: a test, which is no event of the feed. */
  readonly eventId: number | null;
  readonly type: WebhookEventType;
  /** JSON, sent as it is. */
  readonly body: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** Failed attempts since `begunAt`. */
  readonly failures: number;
  readonly createdAt: number;
  /** When the present series of attempts began. */
  readonly begunAt: number;
  /** Of a pending one. */
  readonly nextAt: number | null;
  readonly endedAt: number | null;
}

export interface AttemptRow {
  readonly deliveryId: number;
  /** From 1. */
  readonly number: number;
  readonly at: number;
  readonly durationMs: number;
  /** HTTP status; null: there was no reply. */
  readonly status: number | null;
  /** null: it succeeded. */
  readonly error: WebhookErrorCode | null;
}

export interface DeliveryQuery {
  readonly webhookId: number;
  /** Those with a lower id. */
  readonly before?: number | undefined;
  readonly state?: DeliveryState | undefined;
  readonly limit: number;
}

export interface WebhookStore {
  insert(webhook: Omit<WebhookRow, 'id'>): number;
  get(id: number): WebhookRow | undefined;
  /** By id. */
  all(): readonly WebhookRow[];
  save(webhook: WebhookRow): void;
  /** With its deliveries. */
  remove(id: number): void;
  addDelivery(delivery: Omit<DeliveryRow, 'id'>): number;
  delivery(id: number): DeliveryRow | undefined;
  saveDelivery(delivery: DeliveryRow): void;
  /** The ids of pending ones with `nextAt <= now`, the earliest first. */
  due(webhookId: number, now: number, limit: number): number[];
  countPending(webhookId: number): number;
  /** Makes pending ones due that would be later. */
  makeDue(webhookId: number, now: number): void;
  addAttempt(attempt: AttemptRow): void;
  /** Of one delivery, by number. */
  attempts(deliveryId: number): readonly AttemptRow[];
  /** Newest first. */
  deliveries(query: DeliveryQuery): readonly DeliveryRow[];
  /** Removes those that ended before `before`, and all but the newest `keep` of those that ended. */
  prune(webhookId: number, before: number, keep: number): void;
}

export interface WebhookRequest {
  readonly url: string;
  /** Whether private addresses and plain HTTP are allowed. */
  readonly allowPrivate: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A reply's status and its Retry-After header, or why there was none. */
export type WebhookOutcome =
  | { readonly status: number; readonly retryAfter: string | null }
  | { readonly error: Exclude<WebhookErrorCode, 'status' | 'redirect' | 'no_secret'> };

/** What became of one request for a delivery. */
export interface Attempted {
  readonly deliveryId: number;
  readonly at: number;
  readonly endedAt: number;
  readonly outcome: WebhookOutcome | { readonly error: 'no_secret' };
}

/** Sends requests. It follows no redirects, uses no proxies, and connects only to addresses that it has checked. */
export interface WebhookClient {
  /** Never rejects. A reply that does not come within 15 s is `timeout`. */
  post(request: WebhookRequest): Promise<WebhookOutcome>;
  /** Whether the URL names an address, rather than a host, that may not be connected to. */
  isRefused(url: string, allowPrivate: boolean): boolean;
  /** Ends running requests, whose outcome is `stopped`. */
  close(): void;
}
