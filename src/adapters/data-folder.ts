// The data folder, which holds everything of a panel: its location, its requirements and the names in it.
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { LOCK_FILE } from './instance-lock.ts';
import { isRefusal } from './refusal.ts';
import { startRefusal } from './start-obstacle.ts';

/** Names inside a data folder. `lock`, `owner.json` and `control.*` belong to the adapters. */
export const FILES = {
  database: 'panel.db',
  tls: 'tls',
  log: join('logs', 'panel.log'),
  /** State and logs of local engines, for the next panel process. */
  engines: 'engines',
  demo: 'demo.json',
  /** Payments at a demonstration's test provider. */
  testProvider: 'test-provider.json',
  /** Reserved disk space. */
  reserve: 'reserve',
  /** Written when another panel has taken over this data. */
  superseded: 'superseded.json',
  backups: 'backups',
  /** Working folder for making and checking backups; empty except after a crash. */
  workshop: 'workshop',
  /** Files that were sent for an import; deleted afterwards and at each start. */
  imports: 'imports',
  /** Copies of databases that are being imported; empty except after a crash. Apart from the workshop, which backups empty. */
  importCopies: 'import-copies',
} as const;

/** Folders in which the panel trusts or appends to files. Links among backups are merely ignored. */
const WITHOUT_LINKS = [FILES.tls, dirname(FILES.log), FILES.engines];

type Machine = { readonly platform: NodeJS.Platform; readonly env: NodeJS.ProcessEnv; readonly home: string };

/**
 * The data folder's absolute path: the given one, or $GATEHOUSE_DATA, or the system's usual place
 * (freedesktop.org's Base Directory Specification, %APPDATA%, ~/Library/Application Support).
 */
export function findDataFolder(
  given: string | undefined,
  { platform, env, home }: Machine = { platform: process.platform, env: process.env, home: homedir() },
): string {
  const named = given || env.GATEHOUSE_DATA;
  if (named) return resolve(named);
  if (platform === 'win32') return join(env.APPDATA || join(home, 'AppData', 'Roaming'), 'Gatehouse');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'Gatehouse');
  // By the specification a relative path in the variable is ignored.
  const base = env.XDG_DATA_HOME?.startsWith('/') ? env.XDG_DATA_HOME : join(home, '.local', 'share');
  return join(base, 'gatehouse');
}

/**
 * Makes the folder (0700) or checks that it can be used, and writes its lock file, by which the next command recognizes it. Throws a
 * refusal `data_folder`.
 */
export function prepareDataFolder(folder: string, account = process.geteuid?.()): void {
  try {
    requireNoLink(folder);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (!statSync(folder).isDirectory()) throw startRefusal('folderIsFile', { folder });
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    if (isRefusal(error)) throw error;
    throw startRefusal('folderUnusable', { folder }, error);
  }
  const network = networkFileSystem(folder);
  if (network !== null) throw startRefusal('folderOnNetwork', { folder, network });
  if (!isPanelsOrEmpty(folder)) throw startRefusal('folderForeign', { folder });
  if (account !== undefined) requireOwner(folder, account);
  if (process.platform !== 'win32') closeToOthers(folder);
  for (const name of readdirSync(folder)) requireNoLink(folder, join(folder, name));
  for (const name of WITHOUT_LINKS) for (const path of pathsBelow(join(folder, name))) requireNoLink(folder, path);
  mark(folder);
}

function mark(folder: string): void {
  const path = join(folder, LOCK_FILE);
  try {
    if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
  } catch (error) {
    throw startRefusal('folderUnusable', { folder }, error);
  }
}

function pathsBelow(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  // `withFileTypes`, as otherwise the listing follows links.
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.map(({ parentPath, name }) => join(parentPath, name));
}

/** A link could later point at files of others, or at a place that others can read. */
function requireNoLink(folder: string, path = folder): void {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  throw startRefusal('folderLinked', { folder, path });
}

/** The owner of a folder can replace all that is in it. Root can do that anyway, and may use any folder. */
function requireOwner(folder: string, account: number): void {
  const { uid } = statSync(folder);
  if (account === 0 || uid === account || uid === 0) return;
  throw startRefusal('folderOfOther', { folder });
}

/** Whether a panel has ever run on this folder. */
export function hasPanel(folder: string): boolean {
  return existsSync(join(folder, FILES.database));
}

/** Whether a panel has run on this folder and its database is gone. A new panel would be empty, at another secret path. */
export function hasLostDatabase(folder: string): boolean {
  const database = join(folder, FILES.database);
  return !existsSync(database) && !existsSync(`${database}.restored`) && findAuthority(folder) !== null;
}

/** The local authority's certificate, if a panel has made one here. */
export function findAuthority(folder: string): string | null {
  const path = join(folder, FILES.tls, 'ca.pem');
  return existsSync(path) ? path : null;
}

/** The root of a mounted disk contains a lost+found. */
function isPanelsOrEmpty(folder: string): boolean {
  const names = readdirSync(folder).filter((name) => name !== 'lost+found');
  return names.length === 0 || names.includes(FILES.database) || names.includes(LOCK_FILE);
}

function closeToOthers(folder: string): void {
  const { mode } = statSync(folder);
  if ((mode & 0o077) === 0) return;
  try {
    chmodSync(folder, mode & 0o700);
  } catch (error) {
    // A folder of another user, as in a container: without write access for others it is safe, as the files in it are 0600.
    if ((mode & 0o022) === 0) return;
    throw startRefusal('folderOpen', { folder }, error);
  }
}

// Magic numbers of statfs(2), as linux/magic.h has them.
const NETWORK: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x517b, 'SMB'],
  [0x01021997, '9p'],
  [0x5346414f, 'AFS'],
  [0x6b414653, 'AFS'],
  [0x00c36400, 'Ceph'],
  [0x19830326, 'BeeGFS'],
  [0x0bd00bd0, 'Lustre'],
]);

/**
 * The kind of network drive that a folder is on; null: a local disk, or unknown. SQLite's WAL needs locks and shared memory, which do not
 * work over a network: the database would be damaged.
 */
export function networkFileSystem(folder: string, readFsType = (path: string) => statfsSync(path).type): string | null {
  if (process.platform === 'win32') return folder.startsWith('\\\\') ? 'SMB' : null;
  if (process.platform !== 'linux') return null;
  return NETWORK.get(readFsType(folder) >>> 0) ?? null;
}
