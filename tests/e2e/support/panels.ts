// Panels for browser tests, with or without an administrator, in a process beside that of the tests.
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext } from '@playwright/test';
import { type Administrator, createAdministrator } from '../../support/administrator.ts';
import { PASSWORD } from '../../support/cli.ts';
import { closeHosted, type HostedPanel, openHosted, removeHosted } from '../../support/hosted-panels.ts';

export const ADMIN = { name: 'admin', password: PASSWORD } as const;
/** Made-up users of a panel for tests, unless a test asks for another number. */
export const USERS = 200;

export interface BrowserPanel extends AsyncDisposable {
  /** With a slash at its end. */
  readonly url: string;
  readonly baseUrl: string;
  /** null: there is an administrator. */
  readonly setupUrl: string | null;
  /** Its data folder. */
  readonly folder: string;
  /** The certificate of its own authority. */
  readonly caPath: string;
  /** Acts beside the browser, as another window of the administrator would. null: there is none. */
  readonly administrator: Administrator | null;
  /** Signs a browser in with a session of its own: its pages opened from now on have it. */
  signIn(context: BrowserContext): Promise<void>;
  /** Ends it as a signal does. */
  stop(): Promise<void>;
  /** Starts it again at the same address. */
  startAgain(): Promise<void>;
}

export interface PanelOptions {
  /** 0: an empty panel. */
  readonly users?: number;
  /** false: there is no administrator. */
  readonly hasAdministrator?: boolean;
  /** false: neither a key file nor a keychain. */
  readonly hasVault?: boolean;
  /** Whether it sells through the test provider of demonstrations. */
  readonly sells?: boolean;
}

export async function openBrowserPanel(options: PanelOptions = {}): Promise<BrowserPanel> {
  const { users = USERS, hasAdministrator = true, hasVault = true, sells = false } = options;
  const parent = mkdtempSync(join(tmpdir(), 'gatehouse-pages-'));
  if (hasAdministrator && users === 0) cpSync(await preparedFolder(), parent, { recursive: true });
  const place = { ...placeIn(parent, users, hasVault), sells };
  const { folder } = place;
  const opened = await openHosted(place);
  const { panelUrl, caPath } = opened;
  const ca = readFileSync(caPath, 'utf8');

  let administrator: Administrator | null = null;
  if (hasAdministrator) {
    if (opened.setupUrl !== null) await setUp(opened);
    administrator = createAdministrator(panelUrl, ca);
    await signInWith(administrator);
  }
  return {
    url: panelUrl,
    baseUrl: opened.baseUrl,
    setupUrl: opened.setupUrl,
    folder,
    caPath,
    administrator,
    async signIn(context) {
      const browser = createAdministrator(panelUrl, ca);
      await signInWith(browser);
      browser.close();
      await storeSession(context, browser, panelUrl);
    },
    stop: () => closeHosted(folder),
    async startAgain() {
      await openHosted({ ...place, port: Number(new URL(panelUrl).port) });
    },
    async [Symbol.asyncDispose]() {
      administrator?.close();
      void removeHosted(folder);
    },
  };
}

function placeIn(parent: string, users: number, hasVault = true) {
  const keyFile = hasVault ? join(parent, 'secrets.key') : undefined;
  return { folder: join(parent, 'data'), keyFile, users, port: 0 };
}

/** Makes the administrator. */
async function setUp({ panelUrl, caPath, setupUrl }: HostedPanel): Promise<void> {
  const browser = createAdministrator(panelUrl, readFileSync(caPath, 'utf8'));
  const token = setupUrl?.split('/').at(-1) ?? '';
  const { status } = await browser.call('setUp', { token, ...ADMIN });
  browser.close();
  if (status >= 300) throw new Error(`setUp answered ${status}`);
}

async function signInWith(administrator: Administrator): Promise<void> {
  const { status } = await administrator.call('signIn', ADMIN);
  if (status !== 200) throw new Error(`signIn answered ${status}`);
}

let prepared: Promise<string> | null = null;

/** The folder of an empty panel with its administrator, made once in this worker: a copy of it takes less than a first start. */
function preparedFolder(): Promise<string> {
  prepared ??= prepareFolder();
  return prepared;
}

async function prepareFolder(): Promise<string> {
  const parent = mkdtempSync(join(tmpdir(), 'gatehouse-prepared-'));
  process.once('exit', () => rmSync(parent, { recursive: true, force: true }));
  const { folder } = placeIn(parent, 0);
  await setUp(await openHosted(placeIn(parent, 0)));
  await closeHosted(folder);
  return parent;
}

/** Both halves of a session: the cookie, and the half that the page stores once, as it does when somebody signs in. */
async function storeSession(context: BrowserContext, { jar }: Administrator, panelUrl: string): Promise<void> {
  const { origin, hostname: domain } = new URL(panelUrl);
  const [name = '', value = ''] = jar.cookie() ?? [];
  const bounds = { path: '/', expires: -1, httpOnly: true, secure: true, sameSite: 'Strict' } as const;
  await context.addCookies([{ name, value, domain, ...bounds }]);
  // Once for each session: one that ended or followed stays as the pages left it.
  const content = `(([own, cookieHalf, half]) => {
    if (location.origin !== own || localStorage.getItem('given-session') === cookieHalf) return;
    localStorage.setItem('given-session', cookieHalf);
    localStorage.setItem('gatehouse.session', half);
  })(${JSON.stringify([origin, value, jar.pageHalf()])})`;
  await context.addInitScript({ content });
}
