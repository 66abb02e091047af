// Offers newer versions of the installed application. Nothing is downloaded or installed without a confirmation.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AppUpdater } from 'electron-updater';
import type { DesktopTexts } from '../i18n/host.ts';

/** The part of electron-updater that is used. */
export type Updater = Pick<
  AppUpdater,
  | 'autoDownload'
  | 'autoInstallOnAppQuit'
  | 'allowDowngrade'
  | 'disableWebInstaller'
  | 'checkForUpdates'
  | 'downloadUpdate'
  | 'quitAndInstall'
  | 'on'
>;

/** The file that electron-builder writes beside the application from its `publish` option. */
const FEED = 'app-update.yml';

/** The updater of an installed application that has a feed; null, and nothing is loaded, otherwise. `resources`: absolute path. */
export async function findUpdater(
  isPackaged: boolean,
  resources: string,
  load: () => Promise<Updater>,
): Promise<Updater | null> {
  return isPackaged && existsSync(join(resources, FEED)) ? load() : null;
}

export interface Question {
  readonly message: string;
  readonly detail: string;
  /** The last is the answer if the dialog is closed. */
  readonly buttons: readonly string[];
  /** The index of the one that Enter presses: the first without it. */
  readonly enter?: number;
}

export interface UpdateParts {
  readonly updater: Updater;
  texts(): DesktopTexts;
  /** Shows a dialog; resolves to the index of the button. */
  ask(question: Question): Promise<number>;
  /** The version that is not to be offered again, or null. */
  skipped(): string | null;
  skip(version: string): void;
  /** Closes the panel before the installer starts. */
  close(): Promise<void>;
  /** Reopens the panel, because the installer did not start. False: it is not open, or the application is quitting. */
  reopen(): Promise<boolean>;
  log(message: string, fields: Readonly<Record<string, unknown>>): void;
}

export interface Updates {
  /** Checks in a minute and then every day, without a message if there is nothing new. */
  start(): void;
  /** Checks on request: also reports that there is nothing new, or that the check failed. */
  check(): Promise<void>;
  stop(): void;
}

export const FIRST_CHECK_MS = 60_000;
export const INTERVAL_MS = 86_400_000;
/** An installer that has not ended the application by then has not started. */
export const INSTALL_MS = 10_000;

export function createUpdates(parts: UpdateParts): Updates {
  const { updater, texts, ask } = parts;
  updater.autoDownload = false;
  updater.allowDowngrade = false;
  updater.disableWebInstaller = true;
  let isChecking = false;
  let timer: NodeJS.Timeout | null = null;
  /** Of the installation that was requested. */
  let onRefused: (reason: string) => void = () => {};
  updater.on('error', (error) => onRefused(error.message));

  async function check(isManual: boolean): Promise<void> {
    if (isChecking) return;
    isChecking = true;
    try {
      await offer(isManual);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      parts.log('update check failed', { reason });
      if (isManual) await inform(texts()('updateFailed'), texts()('updateFailedDetail', { reason: firstLine(reason) }));
    } finally {
      isChecking = false;
    }
  }

  async function offer(isManual: boolean): Promise<void> {
    const found = await updater.checkForUpdates();
    if (!found?.isUpdateAvailable) {
      if (isManual) await inform(texts()('newestVersion'), texts()('newestVersionDetail'));
      return;
    }
    const { version } = found.updateInfo;
    if (!isManual && parts.skipped() === version) return;
    const t = texts();
    const answer = await ask({
      message: t('updateFound', { version }),
      detail: t('updateFoundDetail'),
      buttons: [t('downloadUpdate'), t('skipVersion'), t('notNow')],
    });
    if (answer === 1) parts.skip(version);
    if (answer !== 0) return;
    // Only a confirmed version is downloaded, so it may be installed on quitting.
    updater.autoInstallOnAppQuit = true;
    await updater.downloadUpdate();
    await install(version);
  }

  async function install(version: string): Promise<void> {
    const t = texts();
    const answer = await ask({
      message: t('updateReady', { version }),
      detail: t('updateReadyDetail'),
      buttons: [t('restartNow'), t('whenQuitting')],
      enter: 1,
    });
    if (answer !== 0) return;
    parts.log('installing an update', { version });
    await parts.close();
    const reason = await findRefusal();
    // Otherwise quitting would ask for the same permission again.
    updater.autoInstallOnAppQuit = false;
    const isOpen = await parts.reopen();
    parts.log('update not installed', { version, reason, isOpen });
    if (isOpen) await inform(t('updateRefused', { version }), t('updateRefusedDetail', { reason: firstLine(reason) }));
  }

  /** Starts the installer. Resolves to the reason if that was refused or cancelled; otherwise the application ends first. */
  function findRefusal(): Promise<string> {
    return new Promise((resolve) => {
      const refused = (reason: string) => {
        clearTimeout(limit);
        onRefused = () => {};
        resolve(reason);
      };
      let limit: NodeJS.Timeout | undefined;
      onRefused = refused;
      try {
        // Blocks until the system's password dialog is answered, if there is one.
        updater.quitAndInstall(false, true);
      } catch (error) {
        refused(error instanceof Error ? error.message : String(error));
      }
      limit = setTimeout(() => refused('the installer did not start'), INSTALL_MS).unref();
    });
  }

  async function inform(message: string, detail: string): Promise<void> {
    await ask({ message, detail, buttons: [texts()('ok')] });
  }

  function checkAfter(ms: number): void {
    timer = setTimeout(() => {
      void check(false);
      checkAfter(INTERVAL_MS);
    }, ms);
    timer.unref();
  }

  return {
    start: () => checkAfter(FIRST_CHECK_MS),
    check: () => check(true),
    stop() {
      if (timer !== null) clearTimeout(timer);
    },
  };
}

/** The other lines are a stack or a server's error page. */
function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
