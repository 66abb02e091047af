// Which key file a panel uses: the given one, or on a server without a keychain one of its own, beside the configuration of its account.
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

/** The given one, else the panel's own where it has one; null: the keychain. */
export function findKeyFile(given: string | null, instanceId: string, machine = thisMachine()): string | null {
  const own = ownKeyFile(instanceId, machine);
  return given ?? (existsSync(own) ? own : null);
}

/** As `findKeyFile`; makes the folder for an own one where no keychain answers and nothing is sealed by one. */
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
    // A home folder that cannot be written to: as where there is no place for a key.
    return null;
  }
}

/** On Linux without a screen nobody unlocks a keychain. */
export const isHeadless = (platform: NodeJS.Platform, env: NodeJS.ProcessEnv): boolean =>
  platform === 'linux' && !env.DISPLAY && !env.WAYLAND_DISPLAY;
