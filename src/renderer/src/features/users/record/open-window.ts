// Shows a user's record in a window of its own, where the host has windows.
import { useHost } from '../../../data/host.ts';
import { notifyFailure } from '../../../state/messages.ts';

/** Opens the window of a user; undefined where there is none to open: in a browser, and in such a window. */
export function useOpenWindow(): ((id: number) => void) | undefined {
  const { shell, record } = useHost();
  if (shell === null || record !== null) return undefined;
  return (id) => void shell.openRecord(id).catch(notifyFailure);
}
