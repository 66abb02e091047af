// Panels for browser tests: the real command in a process of its own, with or without an administrator.
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext } from '@playwright/test';
import { type Administrator, createAdministrator } from '../../support/administrator.ts';
import { type CommandLine, openCommandLine, PASSWORD, type Serving } from '../../support/cli.ts';

export const ADMIN = { name: 'admin', password: PASSWORD } as const;
/** Made-up users of a panel for tests, unless a test asks for another number. */
export const USERS = 200;

export interface BrowserPanel extends AsyncDisposable {
  /** With a slash at its end. */
  readonly url: string;
  readonly baseUrl: string;
  /** null: there is an administrator. */
  readonly setupUrl: string | null;
  readonly commandLine: CommandLine;
  readonly serving: Serving;
  /** Acts beside the browser, as another window of the administrator would. null: there is none. */
  readonly administrator: Administrator | null;
  /** Signs a browser in with a session of its own: its pages opened from now on have it. */
  signIn(context: BrowserContext): Promise<void>;
}

export interface PanelOptions {
  /** 0: an empty panel. */
  readonly users?: number;
  /** false: there is no administrator. */
  readonly hasAdministrator?: boolean;
  /** false: neither a key file nor a keychain. */
  readonly hasVault?: boolean;
}

export async function openBrowserPanel(options: PanelOptions = {}): Promise<BrowserPanel> {
  const { users = USERS, hasAdministrator = true, hasVault = true } = options;
  // Where there is no session bus there is no Secret Service.
  const commandLine = openCommandLine(hasVault ? {} : { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' });
  if (hasAdministrator && users === 0)
    cpSync(await preparedFolder(), join(commandLine.folder, '..'), { recursive: true });
  const serving = await serve(commandLine, users, hasVault);
  const ca = readFileSync(serving.caPath ?? '', 'utf8');

  let administrator: Administrator | null = null;
  if (hasAdministrator) {
    if (serving.setupUrl !== null) await setUp(serving);
    administrator = createAdministrator(serving.panelUrl, ca);
    await signInWith(administrator);
  }
  return {
    url: serving.panelUrl,
    baseUrl: serving.baseUrl,
    setupUrl: serving.setupUrl,
    commandLine,
    serving,
    administrator,
    async signIn(context) {
      const browser = createAdministrator(serving.panelUrl, ca);
      await signInWith(browser);
      browser.close();
      await storeSession(context, browser, serving.panelUrl);
    },
    async [Symbol.asyncDispose]() {
      administrator?.close();
      await commandLine[Symbol.asyncDispose]();
    },
  };
}

function serve(commandLine: CommandLine, users: number, hasVault = true): Promise<Serving> {
  const vault = hasVault ? ['--key-file', join(commandLine.folder, '..', 'secrets.key')] : [];
  const demo = users > 0 ? [`--demo=${users}`] : [];
  return commandLine.serve(['--port', '0', '--rate-limit', '0', ...vault, ...demo]);
}

/** Makes the administrator. */
async function setUp({ panelUrl, caPath, setupUrl }: Serving): Promise<void> {
  const browser = createAdministrator(panelUrl, readFileSync(caPath ?? '', 'utf8'));
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
  await using commandLine = openCommandLine();
  const serving = await serve(commandLine, 0);
  await setUp(serving);
  await serving.end('SIGTERM');
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-prepared-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  cpSync(join(commandLine.folder, '..'), folder, { recursive: true });
  return folder;
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
