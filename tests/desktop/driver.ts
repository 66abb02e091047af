// The desktop as a test drives it, whatever carries it: the stand-in for Electron, or Electron itself (`npm run test:desktop`).
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { describe, inject } from 'vitest';
import { begin as beginStandIn, beginToEnd as standInToEnd } from '../support/electron/desktop.ts';
import { begin as beginReal, beginToEnd as realToEnd } from '../support/electron-real/desktop.ts';

export interface Shown {
  readonly kind: 'message' | 'save' | 'error';
  readonly options: Readonly<Record<string, unknown>>;
}

/** What a person at the screen sees, and what Electron was told. */
export interface Look {
  readonly windows: readonly { readonly isShown: boolean; readonly url: string }[];
  readonly toolTip: string | null;
  readonly tray: readonly unknown[];
  readonly menu: readonly unknown[];
  readonly shown: readonly Shown[];
  readonly notifications: readonly { readonly title: string; readonly body: string }[];
  /** Addresses and paths that were given to the system. */
  readonly opened: readonly string[];
  /** Addresses outside that a page asked for: none of them was reached. */
  readonly strayed: readonly string[];
  readonly clipboard: string;
  readonly appCalls: readonly string[];
  /** In the order in which they were set. */
  readonly sessionHandlers: readonly string[];
}

/** What a person does, and what befalls the application. */
export interface Hand {
  /** Presses a button of the dialog that waits longest, by its index. */
  answerMessage(index: number): void;
  /** null: cancelled. */
  answerSave(path: string | null): void;
  closeWindow(): void;
  pressTray(label: string): void;
  pressMenu(label: string): void;
  pressNotification(index: number): void;
  /** Ends the window's renderer. Resolves before it is gone. */
  crashPage(): void;
  throwUp(): void;
}

export interface Desktop {
  readonly pid: number;
  control<Name extends keyof Hand>(name: Name, ...args: Parameters<Hand[Name]>): Promise<void>;
  look(): Promise<Look>;
  /** Resolves once what is seen passes. */
  until(passes: (look: Look) => boolean): Promise<Look>;
  /** The page in the window. */
  page(): Promise<Page>;
  /** Runs in the page of the window, also in one that was loaded anew after it crashed. */
  inPage<Given, Result>(work: (given: Given) => Result | Promise<Result>, given: Given): Promise<Result>;
  /** Resolves to the exit code, null where it was killed. */
  readonly ended: Promise<number | null>;
  kill(): Promise<void>;
}

/** Where one runs. */
export interface Place {
  /** The system's folder for the data of applications. */
  readonly appData: string;
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  /** Behaves as if it were installed. */
  readonly isPackaged: boolean;
}

export interface Machine extends AsyncDisposable {
  readonly appData: string;
  /** The panel's data folder. */
  readonly data: string;
  /** Files that a person saves. */
  readonly home: string;
  /** Resolves once there is something to see. */
  start(): Promise<Desktop>;
  /** Starts it and waits until it has ended by itself: resolves to its exit code. */
  startAndEnd(): Promise<number | null>;
}

/** Tests of the desktop; where Electron is asked for and cannot run, they are skipped, and their titles say why. */
export function describeDesktop(title: string, work: () => void): void {
  const missing = inject('noElectron');
  describe.skipIf(missing !== null)(missing === null ? title : `${title} (${missing})`, work);
}

/** A computer of its own for a test: folders that go with it, and with them what still runs there. */
export function openMachine({ env = {}, isPackaged = false }: { env?: NodeJS.ProcessEnv; isPackaged?: boolean } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-desktop-'));
  const [home, appData, data] = [join(folder, 'home'), join(folder, 'config'), join(folder, 'data')];
  mkdirSync(join(home, 'Downloads'), { recursive: true });
  mkdirSync(appData);
  const place: Place = {
    appData,
    home,
    isPackaged,
    env: {
      ...process.env,
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
    async start() {
      const desktop = await (isReal ? beginReal : beginStandIn)(place);
      running.push(desktop);
      await desktop.until(({ windows, shown }) => windows.length > 0 || shown.length > 0);
      return desktop;
    },
    startAndEnd: () => (isReal ? realToEnd : standInToEnd)(place),
    async [Symbol.asyncDispose]() {
      for (const desktop of running) await desktop.kill();
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  } satisfies Machine;
}
