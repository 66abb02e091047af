// What this window knows of its session: whether it has been signed in, and whether that has ended meanwhile.
import { create } from 'zustand';

export interface Session {
  /** Since sign-in in this window; the pages stay as they are while it is true, also when the session has ended. */
  readonly hasBegun: boolean;
  /** The panel no longer knows the session: sign-in is asked for over the page, which keeps what was typed. */
  readonly hasEnded: boolean;
}

export const useSession = create<Session>()(() => ({ hasBegun: false, hasEnded: false }));

export function beginSession(): void {
  useSession.setState({ hasBegun: true, hasEnded: false });
}

/** What any call tells that was answered with `signed_out`. */
export function noteSessionEnd(): void {
  if (useSession.getState().hasBegun) useSession.setState({ hasEnded: true });
}

/** The administrator has signed out: nothing stays. */
export function leaveSession(): void {
  useSession.setState({ hasBegun: false, hasEnded: false });
}
