// Short messages about what happened. Any layer may send one; components/toasts.tsx shows them.
import { create } from 'zustand';
import { PanelCallError, toPanelCallError } from '../../../contract/client.ts';

export interface Message {
  /** What has happened: "Anna extended to 14 Mar 2027". */
  readonly text: string;
  /** Says why something was not done. */
  readonly isRefusal?: true;
  /** Restores what was before; the toast then confirms it. */
  readonly undo?: () => Promise<unknown>;
}

export type PendingMessage = Message | PanelCallError;

export const useMessages = create<{ readonly pending: readonly PendingMessage[] }>()(() => ({ pending: [] }));

function send(message: PendingMessage): void {
  useMessages.setState(({ pending }) => ({ pending: [...pending, message] }));
}

/** Confirms that something is done, or says why it is not. */
export function notify(message: Message): void {
  send(message);
}

/** Explains why a call failed. A session that has ended is left out: sign-in is asked for instead. */
export function notifyFailure(failure: unknown): void {
  const known = failure instanceof PanelCallError ? failure : toPanelCallError(failure);
  if (known.code !== 'signed_out') send(known);
}

/** The messages that have not been shown yet; each is returned once. */
export function dequeueMessages(): readonly PendingMessage[] {
  const { pending } = useMessages.getState();
  useMessages.setState({ pending: [] });
  return pending;
}
