// Shows a user's record in a window of its own, if the host supports it.
import { useHost } from '../../../data/host.ts';
import { notifyFailure } from '../../../state/messages.ts';

/** Returns the function that opens a user's window; undefined in a browser, and inside such a window. */
export function useOpenWindow(): ((id: number) => void) | undefined {
  const { shell, record } = useHost();
  if (shell === null || record !== null) return undefined;
  return (id) => void shell.openRecord(id).catch(notifyFailure);
}
