// The folder where backups lie: names that say what each one is, and nothing that is not a plain file.
import { type Dirent, existsSync, lstatSync, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readBackupHeader } from '../../adapters/backup-file.ts';
import { BACKUP_NAME } from '../../contract/backups.ts';
import type { BackupFile, BackupKind } from '../../core/ports/backups.ts';
import { readHeader } from './form.ts';

const END = '.gatehouse-backup';
const UNFINISHED = '.unfinished';
const MAX_NAME = 120;
/** What is left free for the panel itself. */
const SPARE_BYTES = 33_554_432;

const KINDS: readonly (readonly [beginning: string, kind: BackupKind])[] = [
  ['gatehouse-manual-', 'manual'],
  ['gatehouse-scheduled-', 'scheduled'],
  ['gatehouse-uploaded-', 'uploaded'],
  ['gatehouse-before-restore-', 'before_restore'],
  ['pre-migration-', 'before_migration'],
];

export interface BackupFolder {
  readonly path: string;
  /** Newest first. */
  list(): readonly BackupFile[];
  /** The path of a backup; null where there is no plain file of that name. */
  find(name: string): string | null;
  /** The backup of that name, which is there. */
  describe(name: string): BackupFile;
  /** A path that nothing has yet, for a backup made at that moment, and beside it one to write it to. */
  newPath(kind: BackupKind, at: number): { readonly name: string; readonly path: string; readonly unfinished: string };
  remove(name: string): boolean;
  /** Throws away what was broken off. */
  sweep(): void;
}

/** `folder`: absolute; made at the first use. */
export function openBackupFolder(folder: string): BackupFolder {
  const names = () => (existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : []).filter(isBackup);

  function find(name: string): string | null {
    if (name.length > MAX_NAME || !BACKUP_NAME.test(name)) return null;
    const path = join(folder, name);
    return lstatSync(path, { throwIfNoEntry: false })?.isFile() ? path : null;
  }

  function describe(name: string): BackupFile {
    const path = join(folder, name);
    const { size, mtimeMs } = lstatSync(path);
    const kind = KINDS.find(([beginning]) => name.startsWith(beginning))?.[1] ?? 'uploaded';
    const found = readBackupHeader(path);
    const header = 'header' in found ? readHeader(found.header) : null;
    return {
      name,
      kind,
      createdAt: header?.created_at ?? Math.floor(mtimeMs),
      sizeBytes: size,
      encrypted: header !== null && header.key !== null,
      secrets: header?.secrets ?? null,
    };
  }

  return {
    path: folder,
    list: () =>
      names()
        .map(({ name }) => describe(name))
        .sort((a, b) => b.createdAt - a.createdAt || (a.name < b.name ? 1 : -1)),
    find,
    describe,
    newPath(kind, at) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const [beginning = ''] = KINDS.find(([, known]) => known === kind) ?? [];
      const moment = new Date(at)
        .toISOString()
        .replace(/\.\d+Z$/, 'Z')
        .replaceAll(':', '-');
      for (let count = 1; ; count += 1) {
        const name = `${beginning}${moment}${count === 1 ? '' : `-${count}`}${END}`;
        const path = join(folder, name);
        const unfinished = `${path}${UNFINISHED}`;
        if (!existsSync(path) && !existsSync(unfinished)) return { name, path, unfinished };
      }
    },
    remove(name) {
      const path = find(name);
      if (path !== null) rmSync(path);
      return path !== null;
    },
    sweep() {
      for (const { name } of existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : []) {
        if (name.endsWith(`${END}${UNFINISHED}`)) rmSync(join(folder, name), { force: true });
      }
    },
  };
}

function isBackup(entry: Dirent): boolean {
  return entry.isFile() && entry.name.length <= MAX_NAME && BACKUP_NAME.test(entry.name);
}

/** Whether the disk has that many bytes and some to spare. `path`: a folder, or a file in one that need not be there yet. */
export function hasRoom(path: string, bytes: number): boolean {
  const { bavail, bsize } = statfsSync(existsSync(path) ? path : dirname(path));
  return bavail * bsize >= bytes + SPARE_BYTES;
}
