// What the pages need from their host besides the panel: a browser does it itself, the desktop through its main process.
import type { DesktopApi } from './desktop-api.ts';

export interface HostApi {
  readonly kind: 'browser' | 'desktop';
  /** Copies text to the clipboard; the desktop removes a secret from it after a while. Rejects if the host does not allow it. */
  copy(text: string, isSecret?: boolean): Promise<void>;
  /** Offers the user a file to save. False: the user cancelled. Rejects if it cannot be written. */
  save(name: string, type: string, content: string | Uint8Array<ArrayBuffer>): Promise<boolean>;
  /** Prints the page: resolves when the dialog is closed. */
  print(): Promise<void>;
  /** The page as a PDF document; null in a browser, whose print dialog offers it. */
  readonly makePdf: (() => Promise<Uint8Array<ArrayBuffer>>) | null;
  /** The application around the pages; null in a browser. */
  readonly shell: Pick<
    DesktopApi,
    'versions' | 'settings' | 'changeSettings' | 'setActs' | 'onAct' | 'openRecord' | 'openInMain' | 'closeWindow'
  > | null;
  /** The hash of the record whose own window this is; null: the window shows all pages. */
  readonly record: string | null;
}
