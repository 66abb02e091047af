// The parts of the desktop application, which its entry or a test passes in.
import type * as Electron from 'electron';
import type { StartKeychainProcess } from '../adapters/vault/keychain-process.ts';
import type { Clock } from '../core/ports/ports.ts';
import type { openPanel } from '../panel/panel.ts';
import type { DeepLinks } from './deep-link.ts';
import type { PageSource } from './protocol.ts';
import type { Updater } from './updates.ts';

export type ElectronParts = Pick<
  typeof Electron,
  | 'app'
  | 'BrowserWindow'
  | 'clipboard'
  | 'dialog'
  | 'globalShortcut'
  | 'ipcMain'
  | 'Menu'
  | 'nativeImage'
  | 'nativeTheme'
  | 'Notification'
  | 'powerMonitor'
  | 'protocol'
  | 'screen'
  | 'session'
  | 'shell'
  | 'Tray'
>;

export interface DesktopParts {
  readonly electron: ElectronParts;
  readonly openPanel: typeof openPanel;
  readonly pages: PageSource;
  readonly clock: Clock;
  /** Absolute path of the panel's data folder. */
  readonly folder: string;
  readonly keyFile: string | undefined;
  /** Starts the keychain process of Electron, because the binary cannot run as Node. */
  readonly startKeychain: StartKeychainProcess;
  /** Absolute path of the built preload. */
  readonly preload: string;
  /** null: this installation has no update feed. */
  readonly updater: Updater | null;
  readonly links: DeepLinks;
  readonly process: Pick<NodeJS.Process, 'on' | 'platform' | 'versions' | 'argv' | 'execPath' | 'env'>;
}
