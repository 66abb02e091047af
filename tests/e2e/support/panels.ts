// Panels for browser tests: the real command in a process of its own, with or without an administrator.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cookie } from '@playwright/test';
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
  /** Acts beside the browser, as another window of the administrator would. null: nobody has been made. */
  readonly administrator: Administrator | null;
  /** The cookie of a session of its own, for a browser. */
  signIn(): Promise<Cookie>;
}

export interface PanelOptions {
  /** 0: an empty panel. */
  readonly users?: number;
  /** false: nobody is set up. */
  readonly hasAdministrator?: boolean;
}

export async function openBrowserPanel(options: PanelOptions = {}): Promise<BrowserPanel> {
  const { users = USERS, hasAdministrator = true } = options;
  const commandLine = openCommandLine();
  const keyFile = join(commandLine.folder, '..', 'secrets.key');
  const demo = users > 0 ? [`--demo=${users}`] : [];
  const serving = await commandLine.serve(['--port', '0', '--rate-limit', '0', '--key-file', keyFile, ...demo]);
  const ca = readFileSync(serving.caPath ?? '', 'utf8');
  const signedIn = async (administrator: Administrator) => cookieOf(administrator, serving.panelUrl);

  let administrator: Administrator | null = null;
  if (hasAdministrator) {
    administrator = createAdministrator(serving.panelUrl, ca);
    const token = serving.setupUrl?.split('/').at(-1) ?? '';
    const { status } = await administrator.call('setUp', { token, ...ADMIN });
    if (status >= 300) throw new Error(`setUp answered ${status}`);
  }
  return {
    url: serving.panelUrl,
    baseUrl: serving.baseUrl,
    setupUrl: serving.setupUrl,
    commandLine,
    serving,
    administrator,
    async signIn() {
      const browser = createAdministrator(serving.panelUrl, ca);
      await browser.call('signIn', ADMIN);
      browser.close();
      return signedIn(browser);
    },
    async [Symbol.asyncDispose]() {
      administrator?.close();
      await commandLine[Symbol.asyncDispose]();
    },
  };
}

/** The session's cookie as Playwright takes it. */
function cookieOf(administrator: Administrator, panelUrl: string): Cookie {
  const [name = '', value = ''] = (administrator.cookie() ?? '').split('=');
  return {
    name,
    value,
    domain: new URL(panelUrl).hostname,
    path: '/',
    expires: -1,
    httpOnly: true,
    secure: true,
    sameSite: 'Strict',
  };
}
