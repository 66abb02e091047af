// The channels of the desktop itself: clipboard, saving files, links, versions, settings and appearance.
import { rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { App, BrowserWindow, Clipboard, Dialog, NativeTheme, WebContents } from 'electron';
import type { DesktopSettings, MenuAct, Versions } from '../bridge/desktop-api.ts';
import { commandName } from '../panel/command-name.ts';
import { isRecord, parseAppearance, type StateFile } from './desktop-state.ts';
import type { Handlers } from './ipc.ts';
import type { LoginItem } from './login-item.ts';
import { parseActs } from './menu.ts';
import type { QuickSearch } from './quick-search.ts';
import { externalUrl } from './security.ts';

/** A4 in landscape, which the columns of a list need. */
const PAPER = { landscape: true, printBackground: true, pageSize: 'A4' } as const;

export interface HostChannelParts {
  readonly loginItem: LoginItem;
  readonly quickSearch: QuickSearch;
  readonly nativeTheme: Pick<NativeTheme, 'themeSource'>;
  readonly versions: Versions;
  readonly state: StateFile;
  readonly clipboard: SecretClipboard;
  save(sender: number, name: unknown, content: unknown): Promise<boolean>;
  /** The contents that called; null if they are gone. */
  findContents(sender: number): Pick<WebContents, 'print' | 'printToPDF'> | null;
  openExternal(url: string): Promise<void>;
  /** Shows the record of a user in a window of its own. */
  openRecord(userId: number): void;
  /** Shows a page in the main window. */
  openInMain(hash: string): void;
  closeWindow(sender: number): void;
  /** Stores the current session, or deletes the stored one. False if the keychain did not store it. */
  staySignedIn(isEnabled: boolean): Promise<boolean>;
  setActs(sender: number, acts: readonly MenuAct[]): void;
  /** The language or a setting has changed. */
  onChange(): void;
}

export function createHostChannels(parts: HostChannelParts): Omit<Handlers, 'call' | 'watch' | 'unwatch'> {
  const { loginItem, quickSearch, state, clipboard } = parts;

  const settings = (): DesktopSettings => {
    const { closeToTray, staySignedIn, notifications } = state.get();
    return {
      closeToTray,
      startAtLogin: loginItem.isOn(),
      staySignedIn,
      notifications,
      quickSearch: quickSearch.isOn(),
    };
  };

  return {
    copy: (_sender, text, isSecret) => clipboard.copy(text, isSecret === true),
    save: parts.save,
    print(sender) {
      const contents = parts.findContents(sender);
      if (contents === null) return false;
      return new Promise((resolve) => contents.print(PAPER, resolve));
    },
    makePdf: (sender) => parts.findContents(sender)?.printToPDF(PAPER),
    async openExternal(_sender, url) {
      const allowed = typeof url === 'string' ? externalUrl(url) : null;
      if (allowed === null) return false;
      await parts.openExternal(allowed);
      return true;
    },
    openRecord(_sender, userId) {
      if (Number.isSafeInteger(userId) && Number(userId) > 0) parts.openRecord(Number(userId));
    },
    openInMain(_sender, hash) {
      if (typeof hash !== 'string' || !hash.startsWith('#/') || hash.length > MAX_HASH_LENGTH) return;
      parts.openInMain(hash);
    },
    closeWindow: (sender) => parts.closeWindow(sender),
    versions: () => parts.versions,
    settings,
    async changeSettings(_sender, change) {
      const given = isRecord(change) ? change : {};
      const { closeToTray, notifications, startAtLogin, staySignedIn } = given;
      if (typeof closeToTray === 'boolean') state.set({ closeToTray });
      if (typeof notifications === 'boolean') state.set({ notifications });
      const isSearching = given.quickSearch;
      if (typeof isSearching === 'boolean' && quickSearch.set(isSearching)) state.set({ quickSearch: isSearching });
      if (typeof startAtLogin === 'boolean') loginItem.set(startAtLogin);
      if (typeof staySignedIn === 'boolean' && (await parts.staySignedIn(staySignedIn))) state.set({ staySignedIn });
      parts.onChange();
      return settings();
    },
    setAppearance(_sender, value) {
      const appearance = parseAppearance(value);
      if (appearance === null) return;
      parts.nativeTheme.themeSource = appearance.theme;
      state.set({ appearance });
      parts.onChange();
    },
    setActs(sender, value) {
      const acts = parseActs(value);
      if (acts !== null) parts.setActs(sender, acts);
    },
  };
}

/** Longer hashes are not those of pages. */
const MAX_HASH_LENGTH = 4000;

type Running = Pick<NodeJS.Process, 'platform' | 'versions' | 'execPath' | 'env'>;

/** What the pages show about the running application. */
export function readVersions(app: Pick<App, 'getVersion' | 'isPackaged'>, running: Running): Versions {
  const { electron = '', chrome = '', node } = running.versions;
  return { app: app.getVersion(), electron, chromium: chrome, node, command: commandName(app.isPackaged, running) };
}

/** How long a copied secret stays in the clipboard, in ms. */
const SECRET_MS = 60_000;
/** Longer texts are not keys, links or codes. */
const MAX_COPIED_LENGTH = 1_000_000;

export interface SecretClipboard {
  /** Throws TypeError for anything but a text of reasonable length. */
  copy(text: unknown, isSecret: boolean): Promise<void>;
  /** Removes a copied secret now instead of later, because the application quits. */
  clearSecret(): Promise<void>;
}

/** A copied secret is removed after a while, unless something else was copied since. */
export function createSecretClipboard(clipboard: Pick<Clipboard, 'readText' | 'writeText' | 'clear'>): SecretClipboard {
  let secret: string | null = null;
  let timer: NodeJS.Timeout | undefined;
  const clearSecret = async () => {
    clearTimeout(timer);
    const copied = secret;
    secret = null;
    if (copied !== null && (await clipboard.readText()) === copied) clipboard.clear();
  };
  return {
    async copy(text, isSecret) {
      if (typeof text !== 'string' || text.length > MAX_COPIED_LENGTH) throw new TypeError('not a text to copy');
      clearTimeout(timer);
      await clipboard.writeText(text);
      secret = isSecret ? text : null;
      if (isSecret) timer = setTimeout(() => void clearSecret().catch(() => undefined), SECRET_MS).unref();
    },
    clearSecret,
  };
}

export interface SaveParts {
  readonly dialog: Pick<Dialog, 'showSaveDialog'>;
  /** The folder that the dialog suggests. */
  readonly folder: string;
  /** The window that the dialog belongs to. */
  readonly parent: BrowserWindow | null;
}

/**
 * Saves what the pages made (OpenAPI, CSV, codes) where the system's dialog says. False: the dialog was cancelled. Rejects if the
 * file cannot be written; a file of that name is then unchanged.
 */
export async function saveFile(
  { dialog, folder, parent }: SaveParts,
  name: unknown,
  content: unknown,
): Promise<boolean> {
  const isContent = typeof content === 'string' || content instanceof Uint8Array;
  if (typeof name !== 'string' || !isContent) throw new TypeError('not a file');
  const options = { defaultPath: join(folder, safeName(name)) };
  const { canceled, filePath } = await (parent === null
    ? dialog.showSaveDialog(options)
    : dialog.showSaveDialog(parent, options));
  if (canceled || !filePath) return false;
  const partial = `${filePath}.${process.pid}.part`;
  try {
    // Links and codes are for the file's owner only.
    await writeFile(partial, content, { mode: 0o600 });
    await rename(partial, filePath);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
  return true;
}

/** A file name without any part of a path, valid on every system. */
export function safeName(name: string): string {
  const plain = basename(name.replaceAll('\\', '/')).replace(/[^\w.() -]/g, '_');
  return plain.replace(/^\.+/, '') || 'gatehouse';
}
