// The end of the user's session on Windows, which ends processes without asking.
import type { BrowserWindow } from 'electron';

export interface SessionEndParts {
  readonly BrowserWindow: typeof BrowserWindow;
  readonly platform: NodeJS.Platform;
  /** Stops the panel. */
  stop(): Promise<void>;
  exit(): void;
}

/**
 * Windows reports the end of a session to windows only, and an application that was started at login has none. So create a window that is never
 * shown and loads nothing. The system waits for the panel to stop, and shows for which program it waits.
 */
export function followSessionEnd({ BrowserWindow: WindowClass, platform, stop, exit }: SessionEndParts): void {
  if (platform !== 'win32') return;
  const window = new WindowClass({ show: false, skipTaskbar: true, focusable: false, title: 'Gatehouse' });
  window.on('query-session-end', (event) => {
    event.preventDefault();
    void stop().then(exit);
  });
  // For a forced end, without a query before.
  window.on('session-end', () => void stop());
}
