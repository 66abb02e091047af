// Webhook requests: body, headers and signature by Standard Webhooks (https://www.standardwebhooks.com), and the times of retries.
import { SECRET_OVERLAP_HOURS, TEST_TYPE } from '../../contract/webhooks.ts';
import { DAY_MS, HOUR_MS } from '../../domain/limits.ts';
import { viewEvent } from '../kernel/events.ts';
import { PanelError } from '../kernel/panel-error.ts';
import { toBase64, toInstant } from '../kernel/wire.ts';
import type { EventRow } from '../ports/events.ts';
import type { Crypto, Store, Vault } from '../ports/ports.ts';
import type { DeliveryRow, WebhookRow } from '../ports/webhooks.ts';

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;

export function secretPlace(webhookId: number): string {
  return `webhook:${webhookId}:secret`;
}

export function previousSecretPlace(webhookId: number): string {
  return `webhook:${webhookId}:previous_secret`;
}

export function newSecret(crypto: Crypto): string {
  return SECRET_PREFIX + toBase64(crypto.randomBytes(SECRET_BYTES));
}

/** The event as in GET /events, with its time also under the standard's name. */
export function buildBody(row: EventRow): string {
  const event = viewEvent(row);
  return JSON.stringify({ ...event, timestamp: event.at });
}

export function testBody(webhookId: number, now: number): string {
  return JSON.stringify({ type: TEST_TYPE, timestamp: toInstant(now), data: { webhook_id: webhookId } });
}

/** The same for every attempt, so that receivers can deduplicate. */
export function messageId({ id, eventId }: Pick<DeliveryRow, 'id' | 'eventId'>): string {
  return eventId === null ? `test_${id}` : `evt_${eventId}`;
}

/** The secrets that sign now, current one first; null if the current one is missing or cannot be decrypted. */
export function openSecrets(store: Store, vault: Vault, webhook: WebhookRow, now: number): readonly string[] | null {
  const isOverlap = webhook.previousSecretEndsAt !== null && now < webhook.previousSecretEndsAt;
  const places = [secretPlace(webhook.id)];
  if (isOverlap) places.push(previousSecretPlace(webhook.id));
  const opened: string[] = [];
  for (const place of places) {
    const sealed = store.sealed.get(place);
    if (!sealed && place === secretPlace(webhook.id)) return null;
    if (!sealed) continue;
    try {
      opened.push(vault.open(sealed));
    } catch (error) {
      if (!(error instanceof PanelError)) throw error;
      return null;
    }
  }
  return opened;
}

/** The headers of one attempt: signed with every secret over id, timestamp and body. */
export function buildHeaders(
  crypto: Crypto,
  secrets: readonly string[],
  id: string,
  now: number,
  body: string,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(now / 1000));
  const signatures = secrets.map((secret) => {
    const key = Uint8Array.from(atob(secret.slice(SECRET_PREFIX.length)), (char) => char.charCodeAt(0));
    return `v1,${crypto.hmacSha256(key, `${id}.${timestamp}.${body}`)}`;
  });
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}

export const SECRET_OVERLAP_MS = SECRET_OVERLAP_HOURS * HOUR_MS;

const FIRST_DELAY_MS = 5000;
const FACTOR = 3;
const LONGEST_DELAY_MS = 8 * HOUR_MS;
/** Relative jitter of the delay, in both directions. */
const JITTER = 0.2;
/** Upper bound of a receiver's Retry-After. */
const LONGEST_RETRY_AFTER_MS = DAY_MS;

/** Delay after this many consecutive failures (from 1), ms. `random`: 0 inclusive to 1 exclusive. */
export function delayAfter(failures: number, random: number): number {
  const delay = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * FACTOR ** Math.min(30, failures - 1));
  return Math.round(delay * (1 - JITTER + 2 * JITTER * random));
}

/** Retry-After in ms: seconds or a date (RFC 9110 section 10.2.3); 0 if missing. */
export function retryAfterMs(header: string | null, now: number): number {
  if (header === null) return 0;
  const requestedMs = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isFinite(requestedMs) ? Math.min(LONGEST_RETRY_AFTER_MS, Math.max(0, requestedMs)) : 0;
}

/** 0 inclusive to 1 exclusive. */
export function randomFraction(crypto: Crypto): number {
  const [a = 0, b = 0, c = 0] = crypto.randomBytes(3);
  return (a * 65_536 + b * 256 + c) / 2 ** 24;
}
