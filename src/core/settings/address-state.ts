// What is remembered of a change of address that is being tried.
import type { Place } from '../ports/host.ts';

/** A change of the listening place that waits to be confirmed from there. It lives in memory: a restart is a way back. */
interface Trial {
  readonly place: Place;
  readonly tokenHash: string;
  readonly endsAt: number;
  /** Stops the watch over its end. */
  readonly stop: () => void;
}

/** What is remembered of addresses while the panel runs. */
export interface AddressState {
  trial: Trial | null;
}
