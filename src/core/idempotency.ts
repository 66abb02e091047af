// Replies remembered under their Idempotency-Key, in the effect's own transaction: a retry has no second effect.
import { HOUR_MS } from '../domain/limits.ts';
import type { Call, Reply } from './context.ts';
import { PanelError } from './panel-error.ts';
import type { Store } from './ports/ports.ts';
import { IDEMPOTENCY_HOURS } from './settings/settings.ts';

type Idempotency = NonNullable<Call['idempotency']>;

/** The remembered reply, if there is one; `idempotency_mismatch` if the key was used with another body. */
export function recall(store: Store, { scope, key, fingerprint }: Idempotency, now: number): Reply | undefined {
  const stored = store.idempotency.get(scope, key, now - IDEMPOTENCY_HOURS * HOUR_MS);
  if (!stored) return undefined;
  if (stored.fingerprint !== fingerprint) throw new PanelError('idempotency_mismatch');
  const { status, body, location } = stored;
  return {
    status,
    replayed: true,
    ...(body !== null && { raw: body }),
    ...(location !== null && { location }),
  };
}

/** Remembers the reply of an executed effect and returns it with its body as text. */
export function remember(store: Store, { scope, key, fingerprint }: Idempotency, now: number, reply: Reply): Reply {
  if (reply.isEffectless) return reply;
  const raw = reply.body === undefined ? undefined : JSON.stringify(reply.body);
  const { status, location } = reply;
  store.idempotency.put(scope, key, now, { fingerprint, status, body: raw ?? null, location: location ?? null });
  return raw === undefined ? reply : { ...reply, raw };
}
