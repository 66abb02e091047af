// A panel in a process of its own, which takes this machine for a reverse proxy, so that an attack can come from many networks.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Administrator, createAdministrator } from '../support/administrator.ts';
import { cheapenPassword } from '../support/cheap-password.ts';
import { type CommandLine, openCommandLine, PASSWORD, type Serving } from '../support/cli.ts';

export interface Attacked extends AsyncDisposable {
  readonly cli: CommandLine;
  readonly panel: Serving;
  readonly ca: string;
  /** A browser at an address; closed with the panel. */
  browserAt(address: string): Administrator;
}

/** Set up, with a password that is cheap to verify. */
export async function openAttacked(args: readonly string[] = []): Promise<Attacked> {
  const cli = openCommandLine({}, { hashing: 'real' });
  await cli.run(['setup', '--name', 'admin'], PASSWORD);
  await cheapenPassword(join(cli.folder, 'panel.db'), PASSWORD);
  const panel = await cli.serve(['--port', '0', '--trusted-proxy', '127.0.0.1', ...args]);
  const ca = readFileSync(panel.caPath ?? '', 'utf8');
  const browsers: Administrator[] = [];
  return {
    cli,
    panel,
    ca,
    browserAt(address) {
      const browser = createAdministrator(panel.panelUrl, ca, { address });
      browsers.push(browser);
      return browser;
    },
    async [Symbol.asyncDispose]() {
      for (const browser of browsers) browser.close();
      await cli[Symbol.asyncDispose]();
    },
  };
}
