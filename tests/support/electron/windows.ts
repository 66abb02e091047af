// The stand-in's windows: each is a page with the built preload in it, and its calls are structured clones.
import { EventEmitter } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Frame, Page } from '@playwright/test';
import { fromPage, toPage } from './addresses.ts';
import { app, preventable } from './app.ts';
import { browser, type Handler, schemes } from './browser.ts';

type IpcHandler = (event: object, ...args: unknown[]) => unknown;
const channels = new Map<string, IpcHandler>();

export const ipcMain = {
  handle(channel: string, handler: IpcHandler) {
    if (channels.has(channel)) throw new Error(`a second handler for '${channel}'`);
    channels.set(channel, handler);
  },
  removeHandler: (channel: string) => void channels.delete(channel),
};

const privileged = new Set<string>();

export const protocol = {
  registerSchemesAsPrivileged(registered: readonly { readonly scheme: string }[]): void {
    app.beforeReady('registerSchemesAsPrivileged');
    for (const { scheme } of registered) privileged.add(scheme);
  },
  handle(scheme: string, handler: Handler): void {
    app.afterReady('protocol.handle');
    // The desktop calls it once its panel is open.
    if (existsSync(join(app.getPath('userData'), 'defect'))) throw new Error('a defect of the test');
    // In Electron its pages would have no origin, and no scripts of modules.
    if (!privileged.has(scheme)) throw new Error(`the scheme '${scheme}' is not privileged`);
    schemes.set(scheme, handler);
  },
};

interface Options {
  readonly show?: boolean;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly webPreferences: { readonly preload: string };
}

let lastId = 0;

class WebContents extends EventEmitter {
  readonly id = ++lastId;
  readonly preload: string;
  page: Promise<Page> | null = null;
  #zoom = 0;
  #url = '';
  #isDestroyed = false;

  constructor(preload: string) {
    super();
    this.preload = readFileSync(preload, 'utf8');
    app.emit('web-contents-created', {}, this);
  }
  // What it refuses is asserted of the function itself, in tests/shell.
  setWindowOpenHandler(): void {}
  printToPDF = async (options: { readonly landscape: boolean; readonly printBackground: boolean }) =>
    (await this.page)?.pdf({ ...options, format: 'A4' });
  isDestroyed = () => this.#isDestroyed;
  getURL = () => this.#url;
  getZoomLevel = () => this.#zoom;
  setZoomLevel = (level: number) => {
    this.#zoom = level;
  };

  async load(url: string): Promise<void> {
    this.#url = url;
    this.emit('did-start-navigation', { isMainFrame: true, isSameDocument: false, url });
    const former = this.page;
    this.page = this.#open(await browser());
    await (await former)?.close().catch(() => undefined);
    await (await this.page).goto(toPage(url));
    this.emit('did-finish-load');
  }
  /** Opens a new page at the same address, also after a crash. */
  reload(): void {
    this.load(this.#url).catch(() => undefined);
  }

  async #open(context: BrowserContext): Promise<Page> {
    // Not the page that a new profile opens with.
    const page = await context.newPage();
    await page.exposeBinding('standInInvoke', ({ frame }, channel: string, args: unknown[]) =>
      this.#invoke(frame, channel, args),
    );
    await page.addInitScript(buildPreloadScript(this.preload));
    page.on('crash', () => this.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 1 }));
    page.on('framenavigated', (frame) => {
      if (frame === page.mainFrame()) this.#url = fromPage(frame.url());
    });
    return page;
  }

  /** As in Electron, only the message of a thrown error crosses. */
  async #invoke(frame: Frame, channel: string, args: unknown[]): Promise<unknown> {
    const handler = channels.get(channel);
    const senderFrame = { url: fromPage(frame.url()), parent: frame.parentFrame() };
    try {
      if (handler === undefined) throw new Error(`No handler registered for '${channel}'`);
      const result = await handler({ sender: this, senderFrame }, ...structuredClone(args));
      return { result: structuredClone(result) };
    } catch (error) {
      return { failure: `Error invoking remote method '${channel}': ${error}` };
    }
  }

  send(channel: string, message: unknown): void {
    const cloned = structuredClone(message);
    const sent = this.page?.then((page) => page.evaluate(SEND, [channel, cloned] as const));
    // A closed page receives nothing, as in Electron.
    sent?.catch(() => undefined);
  }
  destroy(): void {
    this.#isDestroyed = true;
    void this.page?.then((page) => page.close()).catch(() => undefined);
    this.emit('destroyed');
  }
}

/** Runs in the page. */
const SEND = ([channel, message]: readonly [string, unknown]) =>
  (globalThis as unknown as { standInSend?: (channel: string, message: unknown) => void }).standInSend?.(
    channel,
    message,
  );

/** Runs the preload as Electron does: before the page's scripts, with a `require` that has only Electron. */
function buildPreloadScript(preload: string): string {
  return `(() => {
    if (window.top !== window) return;
    const listeners = new Map();
    window.standInSend = (channel, message) => {
      for (const listener of [...(listeners.get(channel) ?? [])]) listener({}, message);
    };
    const ipcRenderer = {
      async invoke(channel, ...args) {
        const { result, failure } = await window.standInInvoke(channel, structuredClone(args));
        if (failure !== undefined) throw new Error(failure);
        return result;
      },
      on: (channel, listener) => listeners.set(channel, (listeners.get(channel) ?? new Set()).add(listener)),
      removeListener: (channel, listener) => listeners.get(channel)?.delete(listener),
    };
    const contextBridge = { exposeInMainWorld: (name, api) => { window[name] = Object.freeze({ ...api }); } };
    const require = (name) => {
      if (name !== 'electron') throw new Error('a sandboxed preload cannot load ' + name);
      return { contextBridge, ipcRenderer };
    };
    ((require, module, exports) => {${preload}
    })(require, { exports: {} }, {});
  })()`;
}

export class BrowserWindow extends EventEmitter {
  static readonly all: BrowserWindow[] = [];
  /** The one that was brought to the front last. */
  static focused: BrowserWindow | null = null;
  readonly options: Options;
  readonly webContents: WebContents;
  isShown = false;
  #isDestroyed = false;

  constructor(options: Options) {
    super();
    app.afterReady('BrowserWindow');
    this.options = options;
    this.webContents = new WebContents(options.webPreferences.preload);
    BrowserWindow.all.push(this);
  }
  loadURL = (url: string) => this.webContents.load(url);
  show = () => {
    this.isShown = true;
  };
  hide = () => {
    this.isShown = false;
  };
  focus(): void {
    BrowserWindow.focused = this;
    this.emit('focus');
  }
  restore(): void {}
  maximize(): void {}
  isVisible = () => this.isShown;
  isFocused = () => this.isShown && BrowserWindow.focused === this;
  isMinimized = () => false;
  isMaximized = () => false;
  isDestroyed = () => this.#isDestroyed;
  getNormalBounds(): object {
    const { x, y, width, height } = this.options;
    return { x, y, width, height };
  }
  close(): void {
    const event = preventable({});
    this.emit('close', event);
    if (!event.defaultPrevented) this.destroy();
  }
  destroy(): void {
    this.#isDestroyed = true;
    BrowserWindow.all.splice(BrowserWindow.all.indexOf(this), 1);
    this.webContents.destroy();
    this.emit('closed');
    if (BrowserWindow.all.length === 0) app.emit('window-all-closed');
  }
}
