// The key file of a panel: the given one, or on a server without a keychain its own, in the configuration folder of its account.
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { openVault, type VaultOptions } from '../adapters/vault/vault.ts';

type Machine = { readonly env: NodeJS.ProcessEnv; readonly home: string };
const thisMachine = (): Machine => ({ env: process.env, home: homedir() });

function ownKeyFile(instanceId: string, { env, home }: Machine): string {
  const base = env.XDG_CONFIG_HOME?.startsWith('/') ? env.XDG_CONFIG_HOME : join(home, '.config');
  return join(base, 'gatehouse', `${instanceId}.key`);
}

/** The given file, else the panel's own if it exists; null: the keychain. */
export function findKeyFile(given: string | null, instanceId: string, machine = thisMachine()): string | null {
  const own = ownKeyFile(instanceId, machine);
  return given ?? (existsSync(own) ? own : null);
}

/** Like `findKeyFile`; creates the folder of an own key file if there is no keychain and nothing was sealed with one. */
export async function prepareKeyFile(
  given: string | null,
  options: Omit<VaultOptions, 'keyFile'>,
  machine = thisMachine(),
): Promise<string | null> {
  const found = findKeyFile(given, options.instanceId, machine);
  if (found !== null || options.sealed.keyId() !== null) return found;
  const vault = await openVault({ ...options, keyFile: null });
  const state = vault.state();
  vault.close();
  if (state !== 'absent') return null;
  const own = ownKeyFile(options.instanceId, machine);
  try {
    mkdirSync(dirname(own), { recursive: true, mode: 0o700 });
    return own;
  } catch {
    // An unwritable home folder means that no key file is possible.
    return null;
  }
}

/** On Linux without a display, nobody can unlock a keychain. */
export const isHeadless = (platform: NodeJS.Platform, env: NodeJS.ProcessEnv): boolean =>
  platform === 'linux' && !env.DISPLAY && !env.WAYLAND_DISPLAY;
