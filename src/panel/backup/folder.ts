// The folder of backups: names contain kind and time, uploads are checked, and only plain files count.
import { type Dirent, existsSync, lstatSync, mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readBackupHeader } from '../../adapters/backup-file.ts';
import { BACKUP_NAME, UPLOADED_BYTES } from '../../contract/backups.ts';
import { PanelError } from '../../core/kernel/panel-error.ts';
import type { BackupFile, BackupKind } from '../../core/ports/backups.ts';
import { syncParentFolder } from '../../store/database.ts';
import { isOutOfSpace } from '../../store/disk-space.ts';
import { readHeader } from './manifest.ts';

const END = '.gatehouse-backup';
const UNFINISHED = '.unfinished';
const MAX_NAME = 120;
/** Free space that is left for the panel itself. */
const SPARE_BYTES = 33_554_432;

const UPLOADED = 'gatehouse-uploaded-';
/** Prefix of files that are being stored at a place; leftovers of a crash are deleted. */
const OUTGOING = 'gatehouse-outgoing-';
/** Each file is read when backups are listed, and for each chunk of an upload. */
const MAX_UPLOADED_FILES = 100;
const KINDS: readonly (readonly [beginning: string, kind: BackupKind])[] = [
  ['gatehouse-manual-', 'manual'],
  ['gatehouse-scheduled-', 'scheduled'],
  [OUTGOING, 'outgoing'],
  ['gatehouse-chat-', 'chat'],
  [UPLOADED, 'uploaded'],
  ['gatehouse-before-restore-', 'before_restore'],
  ['pre-migration-', 'before_migration'],
];

export interface BackupFolder {
  readonly path: string;
  /** Newest first. */
  list(): readonly BackupFile[];
  /** The path of a backup; null: there is no plain file of that name. */
  find(name: string): string | null;
  /** The backup of that name, which must exist. */
  describe(name: string): BackupFile;
  /** Unused paths for a backup made at that time, and for its incomplete file beside it. */
  newPath(kind: BackupKind, at: number): { readonly name: string; readonly path: string; readonly unfinished: string };
  remove(name: string): boolean;
  /** Deletes incomplete files, and those that were being stored at a place. */
  sweep(): void;
  /**
   * Writes an uploaded file to the folder. Rejects with PanelError `storage_full`, or `backup_refused` if it has not the header of a backup
   * or is too large, or with the error of `chunks`; nothing is left then. Its content is checked when it is checked or restored.
   */
  receive(chunks: AsyncIterable<Uint8Array>, at: number): Promise<BackupFile>;
}

/** PanelError `backup_refused`: uploaded backups would exceed their share of the disk. */
function createTooLargeError(): PanelError {
  const message = 'exceeds the disk space for uploads: delete previous ones, or restore it on the command line';
  return new PanelError('backup_refused', [{ pointer: '#', code: 'too_large', message }]);
}

/** `folder`: absolute path; created at the first use. `maxUploaded`: bytes of all uploaded backups together. */
export function openBackupFolder(folder: string, maxUploaded = UPLOADED_BYTES): BackupFolder {
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

  function newPath(kind: BackupKind, at: number): ReturnType<BackupFolder['newPath']> {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const [beginning = ''] = KINDS.find(([, known]) => known === kind) ?? [];
    for (let count = 1; ; count += 1) {
      const name = `${beginning}${timeInName(at)}${count === 1 ? '' : `-${count}`}${END}`;
      const path = join(folder, name);
      const unfinished = `${path}${UNFINISHED}`;
      if (!existsSync(path) && !existsSync(unfinished)) return { name, path, unfinished };
    }
  }

  /** Names of uploaded files, including incomplete ones. */
  function uploadedNames(): readonly string[] {
    return (existsSync(folder) ? readdirSync(folder) : []).filter((name) => name.startsWith(UPLOADED));
  }

  /** Bytes of uploaded files, including incomplete ones. */
  function uploadedBytes(): number {
    const sizes = uploadedNames().map((name) => lstatSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0);
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  async function writeChunks(output: FileHandle, chunks: AsyncIterable<Uint8Array>): Promise<void> {
    // The list includes this file.
    if (uploadedNames().length > MAX_UPLOADED_FILES) throw createTooLargeError();
    for await (const chunk of chunks) {
      if (uploadedBytes() + chunk.length > maxUploaded) throw createTooLargeError();
      if (!hasSpace(folder, chunk.length)) throw new PanelError('storage_full');
      await output.appendFile(chunk);
    }
    await output.sync();
  }

  return {
    path: folder,
    list: () =>
      names()
        .map(({ name }) => describe(name))
        .sort((a, b) => b.createdAt - a.createdAt || (a.name < b.name ? 1 : -1)),
    find,
    describe,
    newPath,
    remove(name) {
      const path = find(name);
      if (path !== null) rmSync(path);
      return path !== null;
    },
    sweep() {
      for (const { name } of existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : []) {
        if (name.endsWith(`${END}${UNFINISHED}`) || name.startsWith(OUTGOING))
          rmSync(join(folder, name), { force: true });
      }
    },
    async receive(chunks, at) {
      const { name, path, unfinished } = newPath('uploaded', at);
      // Created at once, so that no other upload of the same second gets this name.
      writeFileSync(unfinished, '', { flag: 'wx', mode: 0o600 });
      const output = await open(unfinished, 'a');
      try {
        await writeChunks(output, chunks).finally(() => output.close());
        const read = readBackupHeader(unfinished);
        if ('problem' in read) {
          throw new PanelError('backup_refused', [{ pointer: '#', code: read.problem, message: 'is not a backup' }]);
        }
        await rename(unfinished, path);
        syncParentFolder(path);
        return describe(name);
      } catch (error) {
        rmSync(unfinished, { force: true });
        throw isOutOfSpace(error) ? new PanelError('storage_full') : error;
      }
    },
  };
}

/** A time in the form of file names: without colons, which Windows forbids. */
export function timeInName(at: number): string {
  return new Date(at)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '-');
}

function isBackup(entry: Dirent): boolean {
  return entry.isFile() && entry.name.length <= MAX_NAME && BACKUP_NAME.test(entry.name);
}

/** Whether the disk has this many bytes free and the panel's reserve. `path`: a folder, or a file in one that may not exist yet. */
export function hasSpace(path: string, bytes: number): boolean {
  const { bavail, bsize } = statfsSync(existsSync(path) ? path : dirname(path));
  return bavail * bsize >= bytes + SPARE_BYTES;
}
