// Where the panel keeps everything it has, and the folder made fit for it: one folder, for its owner only.
import { accessSync, chmodSync, constants, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { networkFileSystem } from './network-drive.ts';
import { isRefusal, reasonOf, refusal } from './refusal.ts';

/** Names inside a data folder. `lock`, `owner.json` and `control.*` belong to the adapters. */
export const FILES = {
  database: 'panel.db',
  tls: 'tls',
  log: join('logs', 'panel.log'),
  demo: 'demo.json',
  /** Room on the disk that is kept back. */
  reserve: 'reserve',
  backups: 'backups',
  /** Where backups are made and looked through; empty but for what was broken off. */
  workshop: 'workshop',
} as const;

type Machine = { readonly platform: NodeJS.Platform; readonly env: NodeJS.ProcessEnv; readonly home: string };

/**
 * The data folder's absolute path: what was asked for, or $GATEHOUSE_DATA, or where the system keeps such things
 * (freedesktop.org's Base Directory Specification, %APPDATA%, ~/Library/Application Support).
 */
export function findDataFolder(
  asked: string | undefined,
  { platform, env, home }: Machine = { platform: process.platform, env: process.env, home: homedir() },
): string {
  const named = asked || env.GATEHOUSE_DATA;
  if (named) return resolve(named);
  if (platform === 'win32') return join(env.APPDATA || join(home, 'AppData', 'Roaming'), 'Gatehouse');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'Gatehouse');
  // A relative path in the variable counts as none, says the specification.
  const base = env.XDG_DATA_HOME?.startsWith('/') ? env.XDG_DATA_HOME : join(home, '.local', 'share');
  return join(base, 'gatehouse');
}

/** Makes the folder (0700) or checks that it is one to use. Throws a refusal `data_folder`. */
export function prepareDataFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (!statSync(folder).isDirectory()) throw refusal('data_folder', `The data folder ${folder} is a file.`);
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    if (isRefusal(error)) throw error;
    throw refusal('data_folder', `The data folder ${folder} cannot be used: ${reasonOf(error)}.`);
  }
  const network = networkFileSystem(folder);
  if (network !== null) {
    throw refusal(
      'data_folder',
      `The data folder ${folder} is on a network drive (${network}), where a database is lost sooner or later. Name a folder on a local disk with --data.`,
    );
  }
  if (!isPanelsOrEmpty(folder)) {
    throw refusal('data_folder', `The folder ${folder} holds other files and no panel. Name an empty or a new folder.`);
  }
  if (process.platform !== 'win32') closeToOthers(folder);
}

/** Whether a panel has ever run on this folder. */
export function hasPanel(folder: string): boolean {
  return existsSync(join(folder, FILES.database));
}

/** The local authority's certificate, if a panel has made one here. */
export function findAuthority(folder: string): string | null {
  const path = join(folder, FILES.tls, 'ca.pem');
  return existsSync(path) ? path : null;
}

/** The root of a mounted disk has a lost+found of its own. A lock alone is what a start leaves that failed early. */
function isPanelsOrEmpty(folder: string): boolean {
  const names = readdirSync(folder).filter((name) => name !== 'lost+found');
  return names.length === 0 || names.includes(FILES.database) || names.includes('lock');
}

function closeToOthers(folder: string): void {
  const { mode } = statSync(folder);
  if ((mode & 0o077) === 0) return;
  try {
    chmodSync(folder, mode & 0o700);
  } catch (error) {
    // Another's folder, as in a container: what others may not write in is safe enough, the files in it are 0600.
    if ((mode & 0o022) === 0) return;
    throw refusal(
      'data_folder',
      `Others may write in the data folder ${folder}, and that cannot be changed: ${reasonOf(error)}.`,
    );
  }
}
