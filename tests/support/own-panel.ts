// A whole panel in this process, composed as `panel serve` composes it, with an administrator who is signed in.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PanelOptions } from '../../src/panel/config.ts';
import { openPanel, type Panel } from '../../src/panel/panel.ts';
import { type Administrator, createAdministrator } from './administrator.ts';
import { CHEAP_COST } from './cheap-password.ts';
import { freePort } from './free-port.ts';

export const PASSWORD = 'correct horse battery';

export interface OwnPanel extends AsyncDisposable {
  readonly panel: Panel;
  readonly folder: string;
  readonly ca: string;
  readonly administrator: Administrator;
  /** A key's value. */
  newKey(access: 'read' | 'full'): Promise<string>;
}

/** Starts it on a free port of its own, with no rate limit unless `options` set one. */
export async function openOwnPanel(options: Partial<PanelOptions> = {}): Promise<OwnPanel> {
  const folder = join(mkdtempSync(join(tmpdir(), 'gatehouse-own-')), 'data');
  const panel = await openPanel({ folder, port: await freePort(), rateLimit: 0, passwordCost: CHEAP_COST, ...options });
  await panel.core.local.setUp('admin', PASSWORD);
  const ca = readFileSync(join(folder, 'tls', 'ca.pem'), 'utf8');
  const administrator = createAdministrator(panel.panelUrl, ca);
  const signedIn = await administrator.call('signIn', { name: 'admin', password: PASSWORD });
  if (signedIn.status !== 200) throw new Error(`sign-in: ${signedIn.status}`);
  return {
    panel,
    folder,
    ca,
    administrator,
    async newKey(access) {
      const { body } = await administrator.call('createKey', { name: access, access, password: PASSWORD });
      return body.value;
    },
    async [Symbol.asyncDispose]() {
      administrator.close();
      await panel.close();
      rmSync(join(folder, '..'), { recursive: true, force: true });
    },
  };
}
