// This window's session: whether it has signed in, and whether the session has ended since.
import { create } from 'zustand';

export interface Session {
  /** Whether this window has signed in; the pages stay mounted while it is true, even if the session has ended. */
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

/** After signing out: resets everything. */
export function clearSession(): void {
  useSession.setState({ hasBegun: false, hasEnded: false });
}
