// Durations and limits that several rules share. Limits of input are in contract/.

export const MINUTE_MS = 60_000;

export const HOUR_MS = 3_600_000;

/** A day of a term or a grant always has this length, regardless of daylight saving time. */
export const DAY_MS = 86_400_000;

/** Payments that arrive longer after their order was created are flagged for review. */
export const LATE_PAYMENT_MS = 30 * DAY_MS;

/** Minimum time between restarts of an engine that cut users off. */
export const RESTART_EVERY_MS = 600_000;
/** Connections of a node are reopened over cut-off users at most once in this time: apps over Hysteria2 need up to 30 seconds to come back. */
export const REOPEN_EVERY_MS = 120_000;

/** No term ends later than 2100-01-01T00:00:00Z (epoch ms, inclusive). */
export const MAX_INSTANT = Date.UTC(2100, 0, 1);

/** How long replies are stored under an Idempotency-Key. */
export const IDEMPOTENCY_HOURS = 24;
