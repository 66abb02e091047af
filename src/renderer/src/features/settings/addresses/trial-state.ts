// The address that waits to be confirmed, as this window was told it: nobody else knows its token.
import { create } from 'zustand';

export interface WaitingAddress {
  /** Where to confirm. */
  readonly url: string;
  /** Epoch milliseconds, by the panel's clock. */
  readonly endsAt: number;
}

export const useWaitingAddress = create<{ readonly waiting: WaitingAddress | null }>()(() => ({ waiting: null }));

export function waitFor(waiting: WaitingAddress | null): void {
  useWaitingAddress.setState({ waiting });
}
