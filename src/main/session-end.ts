// The end of the user's session on Windows, where a process is ended without being asked.
import type { BrowserWindow } from 'electron';

export interface SessionEndParts {
  readonly BrowserWindow: typeof BrowserWindow;
  readonly platform: NodeJS.Platform;
  /** Stops the panel. */
  stop(): Promise<void>;
  exit(): void;
}

/**
 * Windows names the end of a session to windows alone, and an application that starts at login has none: one that is never shown and loads nothing
 * hears of it. The system waits for the panel to stop, and shows which program it waits for.
 */
export function followSessionEnd({ BrowserWindow: WindowClass, platform, stop, exit }: SessionEndParts): void {
  if (platform !== 'win32') return;
  const window = new WindowClass({ show: false, skipTaskbar: true, focusable: false, title: 'Gatehouse' });
  window.on('query-session-end', (event) => {
    event.preventDefault();
    void stop().then(exit);
  });
  // Not asked before, as where the user ends everything at once.
  window.on('session-end', () => void stop());
}
