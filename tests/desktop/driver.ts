// Starts and controls the desktop in a test, in the stand-in for Electron or in Electron itself (`npm run test:desktop`).
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { describe, inject } from 'vitest';
import { launch as launchStandIn, launchAndWait as waitForStandIn } from '../support/electron/desktop.ts';
import { launch as launchReal, launchAndWait as waitForReal } from '../support/electron-real/desktop.ts';
import { poll } from './poll.ts';

export interface ShownDialog {
  readonly kind: 'message' | 'save' | 'error';
  readonly options: Readonly<Record<string, unknown>>;
  /** The address of the window that it belongs to; null: none. */
  readonly parent: string | null;
}

/** What is on the screen, and which calls Electron received. */
export interface Snapshot {
  readonly windows: readonly { readonly isShown: boolean; readonly url: string }[];
  readonly toolTip: string | null;
  readonly tray: readonly unknown[];
  readonly menu: readonly unknown[];
  /** All dialogs so far. */
  readonly dialogs: readonly ShownDialog[];
  readonly notifications: readonly { readonly title: string; readonly body: string }[];
  /** The number on the application's icon. */
  readonly badge: number;
  /** Addresses and paths that the system was asked to open. */
  readonly opened: readonly string[];
  /** External addresses that a page requested: all of them were blocked. */
  readonly blockedRequests: readonly string[];
  readonly clipboard: string;
  readonly appCalls: readonly string[];
  /** In the order in which they were set. */
  readonly sessionHandlers: readonly string[];
}

/** Actions of the user, and failures of the application. */
export interface Controls {
  /** Presses a button of the oldest open dialog, by its index. */
  answerMessage(index: number): void;
  /** null: cancelled. */
  answerSave(path: string | null): void;
  /** `place`: a part of the address of its page; the main window without it. */
  closeWindow(place?: string): void;
  pressTray(label: string): void;
  pressMenu(label: string): void;
  pressNotification(index: number): void;
  /** Ends the window's renderer. Resolves before it is gone. */
  crashPage(): void;
  /** Presses a key of the whole system, as Electron names it. */
  pressShortcut(key: string): void;
  /** The computer goes to sleep, and wakes. */
  suspend(): void;
  resume(): void;
  throwUncaught(): void;
}

export interface Desktop {
  readonly pid: number;
  control<Name extends keyof Controls>(name: Name, ...args: Parameters<Controls[Name]>): Promise<void>;
  snapshot(): Promise<Snapshot>;
  /** Resolves once a snapshot passes. */
  until(passes: (snapshot: Snapshot) => boolean): Promise<Snapshot>;
  /** The page in the main window, or in one at this place: `page('/?record#/users/7')`. */
  page(place?: string): Promise<Page>;
  /** Runs in the page of the window, also after it crashed and was reloaded. */
  inPage<Given, Result>(work: (given: Given) => Result | Promise<Result>, given: Given): Promise<Result>;
  /** Resolves to the exit code, null if it was killed. */
  readonly ended: Promise<number | null>;
  kill(): Promise<void>;
}

/** How a desktop is started. */
export interface LaunchOptions {
  /** The system's folder for application data. */
  readonly appData: string;
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  /** Behaves as an installed application. */
  readonly isPackaged: boolean;
  /** The system's. */
  readonly language: string;
  /** As a system gives them that opens a link. */
  readonly args: readonly string[];
}

export interface Machine extends AsyncDisposable {
  readonly appData: string;
  /** The panel's data folder. */
  readonly data: string;
  /** Files that the user saves. */
  readonly home: string;
  /** Resolves once a window or a dialog is shown. */
  start(...args: string[]): Promise<Desktop>;
  /** Starts a desktop and waits until it ends by itself: resolves to its exit code. */
  startAndEnd(...args: string[]): Promise<number | null>;
}

/** The browser of a killed application may outlive it for a moment, and write its profile again. */
async function endProcessesIn(folder: string): Promise<void> {
  if (process.platform !== 'linux') return;
  await poll(async () => {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isStartedIn(folder, name));
    for (const pid of pids) {
      try {
        process.kill(Number(pid), 'SIGKILL');
      } catch {
        // It has ended meanwhile.
      }
    }
    return pids.length === 0 ? true : undefined;
  }, 'the processes of the machine have ended');
}

function isStartedIn(folder: string, pid: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder);
  } catch {
    // It has ended.
    return false;
  }
}

/** Tests of the desktop; if Electron is requested and cannot run, they are skipped, and their titles say why. */
export function describeDesktop(title: string, work: () => void): void {
  const missing = inject('noElectron');
  describe.skipIf(missing !== null)(missing === null ? title : `${title} (${missing})`, work);
}

/** A computer for a test: temporary folders, deleted at the end, when all processes in them are killed. */
export function openMachine({
  env = {},
  isPackaged = false,
  language = 'en-GB',
}: {
  env?: NodeJS.ProcessEnv;
  isPackaged?: boolean;
  /** The system's. */
  language?: string;
} = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-desktop-'));
  const [home, appData, data] = [join(folder, 'home'), join(folder, 'config'), join(folder, 'data')];
  // What a killed application leaves of its browser goes with the folder. Short, as sockets are in it.
  const temporary = join(folder, 't');
  mkdirSync(join(home, 'Downloads'), { recursive: true });
  mkdirSync(appData);
  mkdirSync(temporary);
  const options: Omit<LaunchOptions, 'args'> = {
    appData,
    home,
    isPackaged,
    language,
    env: {
      ...process.env,
      TMPDIR: temporary,
      GATEHOUSE_DATA: data,
      GATEHOUSE_KEY_FILE: join(folder, 'master.key'),
      ...env,
    },
  };
  const isReal = inject('isElectronReal');
  const running: Desktop[] = [];
  return {
    appData,
    data,
    home,
    async start(...args) {
      const desktop = await (isReal ? launchReal : launchStandIn)({ ...options, args });
      running.push(desktop);
      await desktop.until(({ windows, dialogs }) => windows.length > 0 || dialogs.length > 0);
      return desktop;
    },
    startAndEnd: (...args) => (isReal ? waitForReal : waitForStandIn)({ ...options, args }),
    async [Symbol.asyncDispose]() {
      for (const desktop of running) await desktop.kill();
      await endProcessesIn(folder);
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  } satisfies Machine;
}
