// A file with the master key, for machines without a keychain: one line, for its owner only, outside the data folder.
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import type { VaultReason } from '../../core/ports/ports.ts';
import { type Found, formatMasterKey, type KeyLocation, type MasterKey, parseMasterKey } from './master-key.ts';

/** A key is 44 bytes with its line end; a longer file is no key file. */
const MAX_BYTES = 256;
const hasModes = process.platform !== 'win32';

/** `apartFrom`: the data folder. It must not contain the key file: a copy of it would have both the secrets and their key. */
export function keyFileLocation(path: string, apartFrom: string | null): KeyLocation {
  const file = resolve(path);
  const attempt = async (work: () => Found): Promise<Found> => {
    try {
      return work();
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      return toUnavailable('key_file_unusable', code);
    }
  };
  return {
    backend: 'key-file',
    opened: 'headless',
    missing: 'key_file_missing',
    other: 'key_file_changed',
    // A key file that disappears while the panel runs was removed on purpose.
    restoresKey: false,
    find: () => attempt(() => read(file, apartFrom)),
    make: (key) => attempt(() => write(file, apartFrom, key)),
    abort: () => false,
  };
}

function read(file: string, apartFrom: string | null): Found {
  const danger = findDanger(file, apartFrom);
  if (danger) return toUnavailable('key_file_unsafe', danger);
  const link = lstatSync(file, { throwIfNoEntry: false });
  if (!link) return { kind: 'empty' };
  const real = realpathSync(file);
  const dangerBehind = real === file ? null : findDangerOfLink(link, real, apartFrom);
  if (dangerBehind) return toUnavailable('key_file_unsafe', dangerBehind);
  // O_NONBLOCK, as a pipe without a writer would block; O_NOFOLLOW, as the path could have become a link since the check.
  const descriptor = openSync(real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return toUnavailable('key_file_unsafe', 'it is not a file');
    if (!isOwnedWell(stats)) return toUnavailable('key_file_unsafe', 'it belongs to another user');
    if (isOpenToOthers(stats))
      return toUnavailable('key_file_unsafe', `its mode is 0${(stats.mode & 0o777).toString(8)}`);
    if (stats.size > MAX_BYTES) return toUnavailable('key_file_malformed', `${stats.size} bytes`);
    const buffer = Buffer.alloc(MAX_BYTES);
    const key = parseMasterKey(buffer.toString('latin1', 0, readSync(descriptor, buffer)));
    return key ? { kind: 'key', key } : toUnavailable('key_file_malformed', `${stats.size} bytes`);
  } finally {
    closeSync(descriptor);
  }
}

/** Atomic: written to a temporary file, then linked to its name, which fails if a file exists. */
function write(file: string, apartFrom: string | null, key: MasterKey): Found {
  const danger = findDanger(file, apartFrom);
  if (danger) return toUnavailable('key_file_unsafe', danger);
  const temporary = `${file}.new`;
  rmSync(temporary, { force: true });
  const descriptor = openSync(temporary, 'wx', 0o600);
  try {
    writeFileSync(descriptor, `${formatMasterKey(key)}\n`);
    fsyncSync(descriptor);
    linkSync(temporary, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    closeSync(descriptor);
    rmSync(temporary, { force: true });
  }
  if (hasModes) syncFolder(dirname(file));
  return read(file, apartFrom);
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, constants.O_RDONLY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function toUnavailable(reason: VaultReason, detail: string): Found {
  return { kind: 'unusable', state: 'locked', reason, detail };
}

/** Why a key at this path would be unsafe; null where it is safe. */
function findDanger(file: string, apartFrom: string | null): string | null {
  const folder = realpathSync(dirname(file));
  if (apartFrom !== null && isWithin(folder, apartFrom)) return 'it is in the data folder';
  const stats = statSync(folder);
  const isShared = hasModes && (stats.mode & 0o022) !== 0 && (stats.mode & 0o1000) === 0;
  return isShared || !isOwnedWell(stats) ? 'others may write in its folder' : null;
}

function findDangerOfLink(link: Stats, real: string, apartFrom: string | null): string | null {
  if (link.isSymbolicLink() && !isOwnedWell(link)) return 'it is a link of another user';
  return findDanger(real, apartFrom);
}

function isWithin(folder: string, apartFrom: string): boolean {
  const path = relative(realpathSync(apartFrom), folder);
  return path === '' || !(path === '..' || path.startsWith(`..${sep}`) || resolve(path) === path);
}

/** Owned by the panel's user or by root. */
function isOwnedWell({ uid }: Stats): boolean {
  return !hasModes || uid === 0 || uid === process.geteuid?.();
}

/** A file of root:root may be readable by its group: systemd provides credentials that way, with an access list. */
function isOpenToOthers({ mode, uid, gid }: Stats): boolean {
  return hasModes && (mode & (uid === 0 && gid === 0 ? 0o037 : 0o077)) !== 0;
}
