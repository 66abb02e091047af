// When a user is connected from more addresses at once than allowed: what is announced, how long a cut lasts, when it is over.

export const CUT_OFF_MS = 300_000;
/** An excess is over when none was found for so long. */
export const EXCESS_ENDS_AFTER_MS = 600_000;

export interface Excess {
  readonly addresses: number;
  /** When so many addresses were found last. */
  readonly at: number;
  /** The user may not connect until then; null: is not cut off. */
  readonly cutOffUntil: number | null;
}

/** With so many addresses found at `now`. A cut that has begun is not made longer. */
export function nextExcess(before: Excess | null, addresses: number, now: number, cutsOff: boolean): Excess {
  const cutOffUntil = before?.cutOffUntil ?? (cutsOff ? now + CUT_OFF_MS : null);
  return { addresses, at: now, cutOffUntil };
}

/** Whether it is announced: it began, or the user is cut off by it. */
export function isNewExcess(before: Excess | null, after: Excess): boolean {
  return before === null || (before.cutOffUntil === null && after.cutOffUntil !== null);
}

/** As time leaves it: a cut ends, then the excess. A clock that was set back makes neither longer. */
export function settledExcess(excess: Excess | null, now: number): Excess | null {
  if (excess === null) return null;
  const { at, cutOffUntil } = excess;
  if (cutOffUntil !== null && cutOffUntil > now && cutOffUntil <= now + CUT_OFF_MS) return excess;
  if (at > now || at <= now - EXCESS_ENDS_AFTER_MS) return null;
  return cutOffUntil === null ? excess : { ...excess, cutOffUntil: null };
}
