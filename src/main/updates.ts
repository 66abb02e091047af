// Offers newer versions of the application. Nothing is fetched or installed that the person at the screen has not agreed to.
import type { AppUpdater } from 'electron-updater';
import type { DesktopTexts } from '../i18n/host.ts';

/** What is needed of electron-updater. */
export type Updater = Pick<
  AppUpdater,
  | 'autoDownload'
  | 'autoInstallOnAppQuit'
  | 'allowDowngrade'
  | 'disableWebInstaller'
  | 'checkForUpdates'
  | 'downloadUpdate'
  | 'quitAndInstall'
>;

export interface Question {
  readonly message: string;
  readonly detail: string;
  /** The first is the usual answer, the last one is given by closing the dialog. */
  readonly buttons: readonly string[];
}

export interface UpdateParts {
  readonly updater: Updater;
  texts(): DesktopTexts;
  /** Shows a dialog; resolves to the index of the button. */
  ask(question: Question): Promise<number>;
  /** The version that was declined for good, or null. */
  skipped(): string | null;
  skip(version: string): void;
  /** Ends the panel in good order, before the installer takes over. */
  close(): Promise<void>;
  log(message: string, about: Readonly<Record<string, unknown>>): void;
}

export interface Updates {
  /** Looks in a minute and then every day, silently where there is nothing new. */
  start(): void;
  /** Looks on request: also reports that there is nothing new, or that it failed. */
  look(): Promise<void>;
  stop(): void;
}

export const FIRST_LOOK_MS = 60_000;
export const EVERY_MS = 86_400_000;

export function createUpdates(parts: UpdateParts): Updates {
  const { updater, texts, ask } = parts;
  updater.autoDownload = false;
  // Holds for what was downloaded, and so agreed to.
  updater.autoInstallOnAppQuit = true;
  updater.allowDowngrade = false;
  updater.disableWebInstaller = true;
  let isLooking = false;
  let timer: NodeJS.Timeout | null = null;

  async function look(isAsked: boolean): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    try {
      await offer(isAsked);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      parts.log('looking for a newer version failed', { reason });
      if (isAsked) await tell(texts()('updateFailed'), texts()('updateFailedDetail', { reason: firstLine(reason) }));
    } finally {
      isLooking = false;
    }
  }

  async function offer(isAsked: boolean): Promise<void> {
    const found = await updater.checkForUpdates();
    if (!found?.isUpdateAvailable) {
      if (isAsked) await tell(texts()('newestVersion'), texts()('newestVersionDetail'));
      return;
    }
    const { version } = found.updateInfo;
    if (!isAsked && parts.skipped() === version) return;
    const t = texts();
    const answer = await ask({
      message: t('updateFound', { version }),
      detail: t('updateFoundDetail'),
      buttons: [t('downloadUpdate'), t('skipVersion'), t('notNow')],
    });
    if (answer === 1) parts.skip(version);
    if (answer !== 0) return;
    await updater.downloadUpdate();
    await install(version);
  }

  async function install(version: string): Promise<void> {
    const t = texts();
    const answer = await ask({
      message: t('updateReady', { version }),
      detail: t('updateReadyDetail'),
      buttons: [t('restartNow'), t('whenQuitting')],
    });
    if (answer !== 0) return;
    parts.log('a newer version is installed', { version });
    await parts.close();
    updater.quitAndInstall(false, true);
  }

  async function tell(message: string, detail: string): Promise<void> {
    await ask({ message, detail, buttons: [texts()('ok')] });
  }

  function lookIn(ms: number): void {
    timer = setTimeout(() => {
      void look(false);
      lookIn(EVERY_MS);
    }, ms);
    timer.unref();
  }

  return {
    start: () => lookIn(FIRST_LOOK_MS),
    look: () => look(true),
    stop() {
      if (timer !== null) clearTimeout(timer);
    },
  };
}

/** What follows is a stack or the page of a server. */
function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
