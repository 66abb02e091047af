// Toasts. Any layer may send one; components/toasts.tsx shows them.
import { create } from 'zustand';
import { PanelCallError, toPanelCallError } from '../../../contract/client.ts';

export interface Message {
  /** What has happened: "Anna extended to 14 Mar 2027". */
  readonly text: string;
  /** Whether it explains a refusal. */
  readonly isRefusal?: true;
  /** Undoes the action; another toast confirms that. */
  readonly undo?: () => Promise<unknown>;
}

export type PendingMessage = Message | PanelCallError;

export const useMessages = create<{ readonly pending: readonly PendingMessage[] }>()(() => ({ pending: [] }));

function send(message: PendingMessage): void {
  useMessages.setState(({ pending }) => ({ pending: [...pending, message] }));
}

/** Shows a toast. */
export function notify(message: Message): void {
  send(message);
}

/** Shows why a call failed. Except if the session has ended: then the sign-in appears. */
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
