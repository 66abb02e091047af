// What the pages need of the host they run in beyond the panel itself. A browser does it by its own means, the desktop by its shell.

export interface HostApi {
  readonly kind: 'browser' | 'desktop';
  /** Puts text into the clipboard. Rejects where the host does not allow it. */
  copy(text: string): Promise<void>;
  /** Gives the user a file. */
  save(name: string, type: string, content: string | Uint8Array<ArrayBuffer>): void;
}
