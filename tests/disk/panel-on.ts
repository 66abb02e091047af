// The real panel, in a process of its own, on a small disk: served, with an administrator, a key and a plan.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { type Administrator, createAdministrator } from '../support/administrator.ts';
import { type CommandLine, openCommandLine, PASSWORD, type Serving } from '../support/cli.ts';
import { type Client, createClient } from '../support/http-client.ts';
import type { SmallDisk } from './small-disk.ts';

export interface PanelOn extends AsyncDisposable {
  readonly folder: string;
  readonly cli: CommandLine;
  readonly client: Client;
  readonly tariffId: number;
  pid(): number;
  /** The panel that serves now. */
  serving(): Serving;
  /** Starts the panel again after it ended; the client speaks to the new one. */
  serveAgain(): Promise<void>;
  /** Signs in as a browser that was never here; the status. */
  signIn(): Promise<number>;
  /** A browser that is signed in. */
  browser(): Promise<Administrator>;
  read(file: string): string;
}

const FLAGS = ['--port', '0', '--rate-limit', '0'];

export async function servePanelOn(disk: SmallDisk): Promise<PanelOn> {
  const folder = join(disk.folder, 'data');
  const cli = openCommandLine();
  const data = ['--data', folder];
  const serve = () => cli.serve([...FLAGS, ...data]);
  let serving = await serve();
  // Made soon after the first start, unless the disk is full before.
  await vi.waitFor(() => expect(statSync(join(folder, 'reserve')).size).toBe(8 * 2 ** 20), { timeout: 120_000 });
  expect(await cli.run(['setup', '--name', 'admin', ...data], PASSWORD)).toMatchObject({ code: 0 });
  const made = await cli.run(['key', 'add', '--name', 'bot', '--access', 'full', ...data], PASSWORD);
  expect(made.code).toBe(0);
  const ca = readFileSync(join(folder, 'tls', 'ca.pem'), 'utf8');
  const openClient = () => createClient({ baseUrl: serving.baseUrl, key: made.stdout.trim(), ca });
  let client = openClient();
  const tariff = await client.call('createTariff', { name: 'Plan' });

  const panel: PanelOn = {
    folder,
    cli,
    tariffId: tariff.body.id,
    get client() {
      return client;
    },
    pid: () => serving.process.pid ?? 0,
    serving: () => serving,
    async serveAgain() {
      client.close();
      serving = await serve();
      client = openClient();
    },
    async signIn() {
      const browser = createAdministrator(serving.panelUrl, ca);
      const { status } = await browser.call('signIn', { name: 'admin', password: PASSWORD });
      browser.close();
      return status;
    },
    async browser() {
      const browser = createAdministrator(serving.panelUrl, ca);
      expect((await browser.call('signIn', { name: 'admin', password: PASSWORD })).status).toBe(200);
      return browser;
    },
    read: (file) => readFileSync(join(folder, file), 'utf8'),
    async [Symbol.asyncDispose]() {
      client.close();
      await cli[Symbol.asyncDispose]();
    },
  };
  return panel;
}
