// What this window knows of its session: whether it has signed in, and whether the session has ended since.
import { create } from 'zustand';

export interface Session {
  /** Since sign-in in this window; the pages stay as they are while it is true, also when the session has ended. */
  readonly hasBegun: boolean;
  /** The panel no longer knows the session: sign-in appears over the page, which keeps its input. */
  readonly hasEnded: boolean;
}

export const useSession = create<Session>()(() => ({ hasBegun: false, hasEnded: false }));

export function beginSession(): void {
  useSession.setState({ hasBegun: true, hasEnded: false });
}

/** Called when any call is answered with `signed_out`. */
export function markSessionEnded(): void {
  if (useSession.getState().hasBegun) useSession.setState({ hasEnded: true });
}

/** The administrator has signed out: nothing remains. */
export function clearSession(): void {
  useSession.setState({ hasBegun: false, hasEnded: false });
}
