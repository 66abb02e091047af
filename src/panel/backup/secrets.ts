// The vault's secrets on their way through a backup: opened for it here, sealed anew where it is restored.
import { PanelError } from '../../core/panel-error.ts';
import type { SealedRow } from '../../core/ports/administrator.ts';
import type { Vault } from '../../core/ports/ports.ts';
import type { Good } from './open.ts';

/** Secrets in clear by place, for a file that is encrypted. Throws PanelError `vault_unavailable`. */
export function openAll(vault: Vault, rows: readonly SealedRow[]): Readonly<Record<string, string>> {
  return Object.fromEntries(rows.map((row) => [row.place, vault.open(row)]));
}

export interface SealedAnew {
  readonly sealed: readonly SealedRow[];
  /** Places of secrets that could not be brought. */
  readonly leftOut: readonly string[];
}

/**
 * Seals for this machine what the backup has. `openVault`: the vault as it is for data without secrets. Rejects with PanelError
 * `vault_unavailable` where secrets travelled and cannot be sealed; rows sealed elsewhere are left out instead.
 */
export async function sealAnew({ manifest, judged }: Good, openVault: () => Promise<Vault>): Promise<SealedAnew> {
  const travelled = Object.entries(manifest?.secrets ?? {});
  const leftOut = [...(manifest?.left_out ?? [])];
  if (travelled.length === 0 && judged.sealed.length === 0) return { sealed: [], leftOut };
  const vault = await openVault();
  if (travelled.length > 0) await vault.prepare();
  const own = judged.sealed.filter((row) => opens(vault, row));
  leftOut.push(...judged.sealed.filter((row) => !own.includes(row)).map(({ place }) => place));
  return { sealed: [...own, ...travelled.map(([place, secret]) => vault.seal(place, secret))], leftOut };
}

function opens(vault: Vault, row: SealedRow): boolean {
  try {
    vault.open(row);
    return true;
  } catch (error) {
    if (error instanceof PanelError) return false;
    throw error;
  }
}
