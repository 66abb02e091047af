// What a window may do: its own pages, and nothing of the network, the machine or other windows (Electron's security checklist).
import type { App, Session, WebContents, WebPreferences } from 'electron';

export const SCHEME = 'app';
const HOST = 'gatehouse';
export const ORIGIN = `${SCHEME}://${HOST}`;

/** Items 2, 3, 4, 6, 8, 9, 10 and 12 of the checklist, each said and none left to a default. */
export function webPreferences(preload: string): WebPreferences {
  return {
    preload,
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    webviewTag: false,
    webSecurity: true,
    allowRunningInsecureContent: false,
    experimentalFeatures: false,
    navigateOnDragDrop: false,
    spellcheck: false,
    // Figures on screen stay fresh while the window is behind another one.
    backgroundThrottling: true,
  };
}

/** Whether an address is one of the pages' own. Parsed, since `app://gatehouse.example` begins alike. */
export function isOwnUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.protocol !== `${SCHEME}:`) return false;
  return url.hostname === HOST && url.port === '' && url.username === '' && url.password === '';
}

/** Longer ones are no links that a person follows. */
const LONGEST_LINK = 2000;

/** An address that may be given to the system's browser or mail program, as it is parsed; null for all others. */
export function externalUrl(text: string): string | null {
  const url = text.length <= LONGEST_LINK ? URL.parse(text) : null;
  if (url === null || url.username !== '' || url.password !== '') return null;
  if (url.protocol === 'mailto:') return url.href;
  return url.protocol === 'https:' && url.hostname !== '' ? url.href : null;
}

/** No page of the panel needs a permission: copying and saving go through the main process. */
export function isPermitted(): boolean {
  return false;
}

/** Holds every content that will ever be made: it stays at its own pages, opens no window and embeds nothing. */
export function guardContents(app: Pick<App, 'on'>, openExternal: (url: string) => unknown): void {
  app.on('web-contents-created', (_event, contents) => guard(contents, openExternal));
}

function guard(contents: WebContents, openExternal: (url: string) => unknown): void {
  const stay = (event: { preventDefault(): void; readonly url: string; readonly isMainFrame?: boolean }) => {
    if (!isOwnUrl(event.url) || event.isMainFrame === false) event.preventDefault();
  };
  contents.on('will-navigate', stay);
  contents.on('will-frame-navigate', stay);
  contents.on('will-redirect', stay);
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.setWindowOpenHandler(({ url }) => {
    const allowed = externalUrl(url);
    if (allowed !== null) openExternal(allowed);
    return { action: 'deny' };
  });
}

type Guarded = Pick<
  Session,
  | 'setPermissionRequestHandler'
  | 'setPermissionCheckHandler'
  | 'setDevicePermissionHandler'
  | 'setDisplayMediaRequestHandler'
  | 'setSpellCheckerEnabled'
  | 'on'
>;

/** Every permission, device and screen is refused; a download is only what the pages themselves hand out. */
export function guardSession(session: Guarded): void {
  session.setPermissionRequestHandler((_contents, _permission, answer) => answer(isPermitted()));
  session.setPermissionCheckHandler(isPermitted);
  session.setDevicePermissionHandler(isPermitted);
  session.setDisplayMediaRequestHandler((_request, answer) => answer(null));
  // It would fetch dictionaries from the network, and names are no words.
  session.setSpellCheckerEnabled(false);
  session.on('will-download', (event, item) => {
    const url = item.getURL();
    if (!isOwnUrl(url.replace(/^blob:/, ''))) event.preventDefault();
    else item.setSaveDialogOptions({ defaultPath: item.getFilename() });
  });
}
