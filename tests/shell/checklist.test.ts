// Electron's security checklist (docs/tutorial/security.md), all twenty items by their numbers.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserWindow } from 'electron';
import { describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { openInstalledPages } from '../../src/http/pages.ts';
import { isFromOwnPage } from '../../src/main/ipc.ts';
import { answer, builtPages, registerScheme } from '../../src/main/protocol.ts';
import { externalUrl, isOwnUrl, ORIGIN, webPreferences } from '../../src/main/security.ts';
import { createShellWindow } from '../../src/main/window.ts';
import { guardedContents, guardedSession } from './fakes.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const shellSources = globSync('src/{main,preload,bridge}/**/*.ts', { cwd: root })
  .filter((path) => !path.endsWith('.test.ts'))
  .map((path) => [path, read(path)] as const);
const preferences = webPreferences('/app/out/preload/index.cjs');
const log = { error: vi.fn(), warn: vi.fn() };
const page = async (path: string) => {
  const pages = openInstalledPages();
  if (pages === null) throw new Error('the pages are not built');
  return answer({ pages: builtPages(pages), session: () => null, log }, new Request(`${ORIGIN}${path}`));
};

describe('the checklist', () => {
  it('1. loads nothing from the network: the window shows its own pages only', () => {
    const loaded: string[] = [];
    const window = createShellWindow(fakeWindowParts(loaded), 'go');
    window.show();
    expect(loaded).toEqual([`${ORIGIN}/`]);
    for (const [path, text] of shellSources) expect(text, path).not.toMatch(/load(?:URL|File)\((?!`\$\{ORIGIN\})/);
  });

  it('2. no page has Node', () => {
    expect(preferences).toMatchObject({
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
    });
  });

  it('3. context isolation is on', () => expect(preferences.contextIsolation).toBe(true));

  it('4. every renderer is in the sandbox', () => {
    expect(preferences.sandbox).toBe(true);
    expect(read('src/main/index.ts')).toContain('app.enableSandbox()');
  });

  it('5. every permission is refused', () => {
    const { handlers } = guardedSession();
    const answers: boolean[] = [];
    for (const permission of PERMISSIONS) {
      handlers.request?.({}, permission, (isGranted: boolean) => answers.push(isGranted), {});
      answers.push(handlers.check?.(null, permission, ORIGIN, {}) as boolean);
    }
    expect(PERMISSIONS.length).toBeGreaterThan(30);
    expect(new Set(answers)).toEqual(new Set([false]));
    expect(handlers.device?.({ deviceType: 'usb', origin: ORIGIN })).toBe(false);
    handlers.display?.({}, (streams: unknown) => expect(streams).toBeNull());
  });

  it('6. web security is on', () => expect(preferences.webSecurity).toBe(true));

  it('7. the policy is a header of the page, allows no inline script, and styles by a fresh nonce', async () => {
    const [first, second] = await Promise.all([page('/'), page('/')]);
    const readPolicy = (response: Response) => response.headers.get('content-security-policy') ?? '';
    expect(readPolicy(first)).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self' 'nonce-[\w-]{22}';/);
    for (const word of ['unsafe-inline', 'unsafe-eval', 'http:', 'https:', '*']) {
      expect(readPolicy(first), word).not.toContain(word);
    }
    expect(readPolicy(first)).not.toBe(readPolicy(second));
    const nonce = /'nonce-([\w-]+)'/.exec(readPolicy(first))?.[1];
    await expect(first.text()).resolves.toContain(`nonce="${nonce}"`);
  });

  it('8. no insecure content runs', () => expect(preferences.allowRunningInsecureContent).toBe(false));

  it('9. no experimental features', () => expect(preferences.experimentalFeatures).toBe(false));

  it('10. no Blink features are turned on', () => {
    expect(preferences).not.toHaveProperty('enableBlinkFeatures');
    for (const [path, text] of shellSources) expect(text, path).not.toContain('BlinkFeatures');
    // Of Chromium's switches these, and no other: none gives a page more.
    const switches = shellSources.flatMap(([, text]) => [...text.matchAll(/appendSwitch\(.*/g)].map(([line]) => line));
    expect(switches.sort()).toEqual([
      "appendSwitch('disable-software-rasterizer');",
      "appendSwitch('enable-features', 'GlobalShortcutsPortal');",
      'appendSwitch(NO_LIMIT);',
    ]);
  });

  it('11. there is no webview whose popups could be allowed', () => {
    expect(preferences.webviewTag).toBe(false);
    for (const text of globSync('src/renderer/src/**/*.tsx', { cwd: root }).map(read)) {
      expect(text).not.toContain('<webview');
    }
  });

  it('12. a webview that is attached anyway is refused, whatever its options', () => {
    const { emit } = guardedContents();
    expect(emit('will-attach-webview', {}).defaultPrevented).toBe(true);
  });

  it.each([
    [`${ORIGIN}/#/users/7`, true],
    [`${ORIGIN}/`, true],
    ['app://gatehouse.example/', false],
    ['app://user@gatehouse/', false],
    ['app://gatehouse:1/', false],
    ['app://other/', false],
    ['https://gatehouse/', false],
    ['file:///etc/passwd', false],
    ['data:text/html,x', false],
    ['javascript:alert(1)', false],
    ['blob:app://gatehouse/1', false],
    ['about:blank', false],
    ['chrome://settings', false],
    ['devtools://devtools/x', false],
    ['', false],
  ])('13. navigation to %s is allowed: %s', (url, isAllowed) => {
    expect(isOwnUrl(url)).toBe(isAllowed);
    for (const name of ['will-navigate', 'will-frame-navigate', 'will-redirect']) {
      const { emit } = guardedContents();
      expect(emit(name, { url, isMainFrame: true }).defaultPrevented, name).toBe(!isAllowed);
      expect(emit(name, { url, isMainFrame: false }).defaultPrevented, `${name} of a frame`).toBe(true);
    }
  });

  it.each([
    ['https://example.com/help', 'https://example.com/help'],
    [`${ORIGIN}/#/users/7`, '#/users/7'],
    ['app://other/#/users/7', null],
    ['about:blank', null],
  ])('14. no window is opened for %s', (url, opened) => {
    const guarded = guardedContents();
    expect(guarded.openWindow(url)).toEqual({ action: 'deny' });
    expect(guarded.opened).toEqual(opened === null ? [] : [opened]);
  });

  it.each([
    ['https://example.com/a?b#c', 'https://example.com/a?b#c'],
    ['mailto:help@example.com', 'mailto:help@example.com'],
    ['HTTPS://EXAMPLE.com', 'https://example.com/'],
    ['http://example.com/', null],
    ['https://user:word@example.com/', null],
    ['file:///etc/passwd', null],
    ['smb://host/share', null],
    ['ms-msdt:/id', null],
    ['javascript:alert(1)', null],
    ['vscode://x', null],
    [' not a url', null],
    [`https://example.com/${'x'.repeat(3000)}`, null],
  ])('15. for %s the system opens %s', (url, opened) => expect(externalUrl(url)).toBe(opened));

  it('16. Electron is of a major version that is maintained, and pinned', () => {
    const { devDependencies } = JSON.parse(read('package.json'));
    // The three latest as of November 2026 are 43 to 45.
    expect(devDependencies.electron).toMatch(/^4[3-9]\.\d+\.\d+$/);
  });

  it.each([
    ['the page', { url: `${ORIGIN}/#/users` }, 7, true],
    ['no frame', null, 7, false],
    ['an iframe', { url: `${ORIGIN}/`, parent: {} }, 7, false],
    ['a foreign origin', { url: 'https://example.com/' }, 7, false],
    ['an origin with the same prefix', { url: 'app://gatehouse.example/' }, 7, false],
    ['the page after its renderer crashed and was loaded again', { url: `${ORIGIN}/`, detached: true }, 7, true],
    ['a window of a record', { url: `${ORIGIN}/?record#/users/7` }, [6, 7], true],
    ['other contents', { url: `${ORIGIN}/` }, 8, false],
    ['a window that is closed', { url: `${ORIGIN}/` }, [], false],
  ])('17. a message of %s is trusted: %s', (_what, frame, contents, isTrusted) => {
    const senderFrame = frame && { parent: null, detached: false, ...frame };
    expect(isFromOwnPage({ sender: { id: 7 }, senderFrame } as never, [contents].flat())).toBe(isTrusted);
  });

  it('17. a message of a frame that was destroyed is not trusted', () => {
    const gone = {
      get url(): string {
        throw new Error('Render frame was disposed');
      },
      parent: null,
      detached: false,
    };
    expect(isFromOwnPage({ sender: { id: 7 }, senderFrame: gone } as never, [7])).toBe(false);
  });

  it('18. files are served by a custom protocol, which is only standard and secure', async () => {
    const register = vi.fn();
    registerScheme({ registerSchemesAsPrivileged: register });
    const privileges = { standard: true, secure: true, supportFetchAPI: true, stream: true };
    expect(register).toHaveBeenCalledExactlyOnceWith([{ scheme: 'app', privileges }]);
    for (const path of ESCAPES) expect((await page(path)).status, path).toBe(404);
    expect((await page('/favicon.svg')).status).toBe(200);
    for (const [path, text] of shellSources)
      expect(text, path).not.toMatch(/file:\/\/|registerFileProtocol|pathToFileURL/);
  });

  it('19. the fuses turn off what is not needed', () => {
    expect(parse(read('electron-builder.yml')).electronFuses).toMatchObject({
      runAsNode: false,
      enableNodeOptionsEnvironmentVariable: false,
      enableNodeCliInspectArguments: false,
      enableEmbeddedAsarIntegrityValidation: true,
      onlyLoadAppFromAsar: true,
      grantFileProtocolExtraPrivileges: false,
    });
  });

  it('20. no Electron API is exposed to the pages', () => {
    expect(read('src/preload/index.ts').match(/exposeInMainWorld\(/g)).toHaveLength(1);
    // No way to send on arbitrary channels; preload.test.ts runs the preload and checks what it exposes.
    expect(read('out/preload/index.cjs')).not.toMatch(/ipcRenderer\.(?:send|sendSync|postMessage|sendToHost)/);
  });
});

it('the window has exactly these preferences', () => {
  expect(preferences).toEqual({
    preload: '/app/out/preload/index.cjs',
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
    backgroundThrottling: true,
  });
});

/** Every permission in Electron's types. */
const PERMISSIONS = [
  ...new Set(
    [...read('node_modules/electron/electron.d.ts').matchAll(/setPermission(?:Request|Check)Handler\(handler: .*/g)]
      .flatMap(([line]) => [...(/permission: ((?:'[\w-]+'(?: \| )?)+)/.exec(line)?.[1]?.matchAll(/'([\w-]+)'/g) ?? [])])
      .map(([, name = '']) => name),
  ),
];

const ESCAPES = [
  '/../main/index.js',
  '/%2e%2e/main/index.js',
  '/..%2f..%2fpackage.json',
  '/assets/../../package.json',
  '/..\\..\\package.json',
  '/%00',
  '/etc/passwd',
  '//etc/passwd',
  '/index.html.br',
  '/assets/',
  '/assets',
  '/INDEX.HTML',
];

function fakeWindowParts(loaded: string[]): Parameters<typeof createShellWindow>[0] {
  class FakeWindow {
    readonly webContents = { on() {}, id: 1 };
    loadURL = async (url: string) => void loaded.push(url);
    on() {}
    show() {}
    focus() {}
    isMinimized = () => false;
    isDestroyed = () => false;
  }
  return {
    BrowserWindow: FakeWindow as unknown as typeof BrowserWindow,
    preload: '/app/out/preload/index.cjs',
    icon: null,
    workAreas: () => [],
    state: () => ({ bounds: null, isMaximized: false, zoom: 0 }),
    saveState() {},
    startAt: () => '',
    staysOpen: () => false,
    onPageGone() {},
    onFocus() {},
    onClosed() {},
    onLoadFailed() {},
    onFailed: async () => 'close',
    onUnresponsive: async () => 'wait',
    background: () => '#000000',
  };
}
