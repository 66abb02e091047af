// Where the control socket of a data folder is: in the folder itself, or, where that cannot be, at an address noted in it.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

const SOCKET = 'control.sock';
const NOTE = 'control.address';
/** sun_path holds 108 bytes on Linux and 104 on macOS, the closing zero included (unix(7), unix(4)). */
const LONGEST_PATH = 103;
const TEMP_PREFIX = 'gatehouse-';

type Place = { readonly platform?: NodeJS.Platform; readonly temp?: string };

/**
 * The address to listen on; what a killed panel left there is removed. Only the owner of the folder's lock may call this.
 * On Windows it is a named pipe, and where the folder's path is too long for a socket it lies in a new 0700 folder for temporary
 * files: both have unguessable names, so that nobody else can be there first, and are noted in the data folder.
 */
export function claimControlAddress(
  folder: string,
  { platform = process.platform, temp = tmpdir() }: Place = {},
): string {
  releaseControlAddress(folder);
  const inside = join(folder, SOCKET);
  if (platform !== 'win32' && Buffer.byteLength(inside) <= LONGEST_PATH) return inside;
  const address =
    platform === 'win32'
      ? `\\\\.\\pipe\\gatehouse-${randomBytes(16).toString('hex')}`
      : join(mkdtempSync(join(temp, TEMP_PREFIX)), SOCKET);
  writeFileSync(join(folder, NOTE), address, { mode: 0o600 });
  return address;
}

/** Where a panel that owns the folder would listen. */
export function findControlAddress(folder: string): string {
  return notedAddress(folder) ?? join(folder, SOCKET);
}

/** Removes socket and note. */
export function releaseControlAddress(folder: string): void {
  const noted = notedAddress(folder);
  rmSync(join(folder, SOCKET), { force: true });
  rmSync(join(folder, NOTE), { force: true });
  if (noted === null || basename(noted) !== SOCKET || !basename(dirname(noted)).startsWith(TEMP_PREFIX)) return;
  try {
    rmSync(noted, { force: true });
    rmdirSync(dirname(noted));
  } catch {
    // The machine has cleaned up its temporary files, or something else is in there by now.
  }
}

function notedAddress(folder: string): string | null {
  try {
    return readFileSync(join(folder, NOTE), 'utf8').trim() || null;
  } catch {
    return null;
  }
}
