// What the pages need of the host they run in beyond the panel itself. A browser does it by its own means, the desktop by its shell.
import type { DesktopApi } from './desktop-api.ts';

export interface HostApi {
  readonly kind: 'browser' | 'desktop';
  /** Puts text into the clipboard; the desktop takes a secret out of it again. Rejects where the host does not allow it. */
  copy(text: string, isSecret?: boolean): Promise<void>;
  /** Gives the user a file. False: they thought better of it. Rejects where it cannot be written. */
  save(name: string, type: string, content: string | Uint8Array<ArrayBuffer>): Promise<boolean>;
  /** The application around the pages; null in a browser. */
  readonly shell: Pick<DesktopApi, 'versions' | 'settings' | 'changeSettings'> | null;
}
