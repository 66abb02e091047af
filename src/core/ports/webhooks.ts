// The ports of webhooks: their rows, and the client that sends requests.
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
  /** null: it is enabled. */
  readonly disabledReason: WebhookDisabledReason | null;
  readonly allowPrivate: boolean;
  /** The last event of the feed for which deliveries were created. */
  readonly position: number;
  /** How long the previous secret also signs; null: there is none. */
  readonly previousSecretEndsAt: number | null;
  readonly deliveredAt: number | null;
  /** The first failure since the last success; null: none. */
  readonly failingSince: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface DeliveryRow {
  readonly id: number;
  readonly webhookId: number;
  /** null: a test, which is not in the feed. */
  readonly eventId: number | null;
  readonly type: WebhookEventType;
  /** JSON, sent unchanged. */
  readonly body: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** Failed attempts since `begunAt`. */
  readonly failures: number;
  readonly createdAt: number;
  /** When the present series of attempts began. */
  readonly begunAt: number;
  /** When a pending delivery is tried next; null: not pending. */
  readonly nextAt: number | null;
  readonly endedAt: number | null;
}

export interface AttemptRow {
  readonly deliveryId: number;
  /** From 1. */
  readonly number: number;
  readonly at: number;
  readonly durationMs: number;
  /** HTTP status; null: no reply. */
  readonly status: number | null;
  /** null: success. */
  readonly error: WebhookErrorCode | null;
}

export interface DeliveryQuery {
  readonly webhookId: number;
  /** Only ids below this one. */
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
  /** Also deletes its deliveries. */
  remove(id: number): void;
  addDelivery(delivery: Omit<DeliveryRow, 'id'>): number;
  delivery(id: number): DeliveryRow | undefined;
  saveDelivery(delivery: DeliveryRow): void;
  /** Ids of pending deliveries with `nextAt <= now`, the earliest first. */
  due(webhookId: number, now: number, limit: number): number[];
  countPending(webhookId: number): number;
  /** Makes pending deliveries due that are scheduled later. */
  makeDue(webhookId: number, now: number): void;
  addAttempt(attempt: AttemptRow): void;
  /** The attempts of a delivery, by number. */
  attempts(deliveryId: number): readonly AttemptRow[];
  /** Newest first. */
  deliveries(query: DeliveryQuery): readonly DeliveryRow[];
  /** Deletes deliveries that ended before `before`, and of ended ones all but the newest `keep`. */
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

/** The result of one request for a delivery. */
export interface Attempted {
  readonly deliveryId: number;
  readonly at: number;
  readonly endedAt: number;
  readonly outcome: WebhookOutcome | { readonly error: 'no_secret' };
}

/** Sends requests. It follows no redirects, uses no proxies, and connects only to checked addresses. */
export interface WebhookClient {
  /** Never rejects. A reply that does not come within 15 s is `timeout`. */
  post(request: WebhookRequest): Promise<WebhookOutcome>;
  /** Whether the URL's host is a literal address that must not be connected to. */
  isRefused(url: string, allowPrivate: boolean): boolean;
  /** Aborts running requests, whose outcome is `stopped`. */
  close(): void;
}
