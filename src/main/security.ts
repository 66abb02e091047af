// What a window may do: show its own pages; no network, no devices, no other windows (Electron's security checklist).
import type { App, Session, WebContents, WebPreferences } from 'electron';

export const SCHEME = 'app';
const HOST = 'gatehouse';
export const ORIGIN = `${SCHEME}://${HOST}`;

/** Items 2, 3, 4, 6, 8, 9, 10 and 12 of the checklist; each is set explicitly, none left to its default. */
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

/** Whether an address belongs to the pages. Parsed, because `app://gatehouse.example` has the same prefix. */
export function isOwnUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.protocol !== `${SCHEME}:`) return false;
  return url.hostname === HOST && url.port === '' && url.username === '' && url.password === '';
}

/** Longer addresses are not links to follow. */
const MAX_LINK_LENGTH = 2000;

/** The normalised address if the system's browser or mail program may open it; null otherwise. */
export function externalUrl(text: string): string | null {
  const url = text.length <= MAX_LINK_LENGTH ? URL.parse(text) : null;
  if (url === null || url.username !== '' || url.password !== '') return null;
  if (url.protocol === 'mailto:') return url.href;
  return url.protocol === 'https:' && url.hostname !== '' ? url.href : null;
}

/** The pages need no permission: copying and saving go through the main process. */
export function isPermitted(): boolean {
  return false;
}

/** Restricts all future contents: they stay at their own pages, open no window by themselves and embed nothing. */
export function guardContents(app: Pick<App, 'on'>, openers: Openers): void {
  app.on('web-contents-created', (_event, contents) => guard(contents, openers));
}

/** What is done instead of opening a window. */
export interface Openers {
  /** An address for the system's browser or mail program. */
  external(url: string): unknown;
  /** The hash of an own page, of a link that was clicked with Ctrl or the middle button. */
  own(hash: string): unknown;
}

function guard(contents: WebContents, openers: Openers): void {
  const blockNavigation = (event: { preventDefault(): void; readonly url: string; readonly isMainFrame?: boolean }) => {
    if (!isOwnUrl(event.url) || event.isMainFrame === false) event.preventDefault();
  };
  contents.on('will-navigate', blockNavigation);
  contents.on('will-frame-navigate', blockNavigation);
  contents.on('will-redirect', blockNavigation);
  contents.on('will-attach-webview', (event) => event.preventDefault());
  contents.setWindowOpenHandler(({ url }) => {
    const allowed = externalUrl(url);
    if (allowed !== null) openers.external(allowed);
    else if (isOwnUrl(url)) openers.own(new URL(url).hash);
    return { action: 'deny' };
  });
}

type RestrictedSession = Pick<
  Session,
  | 'setPermissionRequestHandler'
  | 'setPermissionCheckHandler'
  | 'setDevicePermissionHandler'
  | 'setDisplayMediaRequestHandler'
  | 'setSpellCheckerEnabled'
  | 'on'
>;

/** Refuses every permission, device and screen capture; only the pages' own files can be downloaded. */
export function guardSession(session: RestrictedSession): void {
  session.setPermissionRequestHandler((_contents, _permission, answer) => answer(isPermitted()));
  session.setPermissionCheckHandler(isPermitted);
  session.setDevicePermissionHandler(isPermitted);
  session.setDisplayMediaRequestHandler((_request, answer) => answer(null));
  // It would download dictionaries, and names are not in them.
  session.setSpellCheckerEnabled(false);
  session.on('will-download', (event, item) => {
    const url = item.getURL();
    if (!isOwnUrl(url.replace(/^blob:/, ''))) event.preventDefault();
    else item.setSaveDialogOptions({ defaultPath: item.getFilename() });
  });
}
