// The spans and bounds that the rules share, so that each is written once. The bounds of input are in contract/.

export const MINUTE_MS = 60_000;

export const HOUR_MS = 3_600_000;

/** A day of a term or a grant is always this long, whatever the wall clock does. */
export const DAY_MS = 86_400_000;

/** Money that comes longer after its order was made is looked at by a person first. */
export const LATE_PAYMENT_MS = 30 * DAY_MS;

/** An engine is restarted over cut-off users at most once in this time. */
export const RESTART_EVERY_MS = 600_000;

/** No term ends later than 2100-01-01T00:00:00Z (epoch ms); that moment itself is allowed. */
export const MAX_INSTANT = Date.UTC(2100, 0, 1);

/** Replies are stored under an Idempotency-Key for this long. */
export const IDEMPOTENCY_HOURS = 24;
