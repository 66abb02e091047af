// The heavy work of backups, step by step, as a thread of its own runs it: everything in and out is plain data.
import { createHash } from 'node:crypto';
import { copyFileSync, createReadStream, existsSync, renameSync, rmSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { type FileProblem, unpackBackupFile, writeBackupFile } from '../../adapters/backup-file.ts';
import { type DatabaseProblem, type Judged, judgeDatabase } from '../../store/backup/check.ts';
import { type Copied, copyDatabase } from '../../store/backup/copy.ts';
import { rebuildDatabase } from '../../store/backup/rebuild.ts';
import { type Keep, keepMachine } from '../../store/backup/restore-keep.ts';
import { isDataFault } from '../../store/data-fault.ts';
import { syncFolderOf } from '../../store/work-file.ts';
import { type BackupManifest, manifestShape } from './form.ts';

export interface PackInput {
  /** The finished copy of the database. */
  readonly copy: string;
  /** Where the file appears once it is complete; a file beside it, with this name's end, is in the making. */
  readonly path: string;
  readonly unfinished: string;
  readonly header: Readonly<Record<string, unknown>>;
  readonly manifest: BackupManifest;
  readonly key: Uint8Array | null;
}

export interface UnpackInput {
  readonly path: string;
  /** A new file. */
  readonly target: string;
  /** null: the path is a plain database. */
  readonly file: { readonly key: Uint8Array | null; readonly databaseBytes: number } | null;
}

export type Found =
  | { readonly problem: FileProblem | DatabaseProblem }
  | {
      readonly problem: null;
      readonly manifest: BackupManifest | null;
      readonly judged: Extract<Judged, { problem: null }>;
    };

export const TASKS = {
  copy: async ({
    database,
    target,
    keepsSealed,
  }: {
    database: string;
    target: string;
    keepsSealed: boolean;
  }): Promise<Copied> => copyDatabase(database, target, keepsSealed),

  /** Writes the file, reads it back and compares; only then it gets its name. */
  pack: async ({ copy, path, unfinished, header, manifest, key }: PackInput): Promise<void> => {
    const again = `${copy}.again`;
    try {
      writeBackupFile({ path: unfinished, header, manifest: { ...manifest }, database: copy, key });
      const read = unpackBackupFile(unfinished, again, key, manifest.database_bytes);
      if ('problem' in read || (await digestOf(again)) !== (await digestOf(copy))) {
        throw new Error('the backup does not read back as it was written');
      }
      renameSync(unfinished, path);
      syncFolderOf(path);
    } finally {
      rmSync(unfinished, { force: true });
      rmSync(again, { force: true });
    }
  },

  /** Takes the database out of a file and judges it. */
  unpack: async ({ path, target, file }: UnpackInput): Promise<Found> => {
    const manifest = file === null ? takePlain(path, target) : takePacked(path, target, file);
    if (typeof manifest === 'string') return { problem: manifest };
    const judged = judgeDatabase(target);
    if (judged.problem !== null) return judged;
    if (manifest !== null && !isAsCounted(manifest, judged)) return { problem: 'damaged' };
    return { problem: null, manifest, judged };
  },

  /** Makes a database of this version of the judged one. */
  rebuild: async ({
    source,
    target,
    schema,
  }: {
    source: string;
    target: string;
    schema: number;
  }): Promise<'damaged' | null> => {
    try {
      rebuildDatabase(source, target, schema);
      return null;
    } catch (error) {
      if (isDataFault(error)) return 'damaged';
      throw error;
    }
  },

  keep: async ({ target, keep }: { target: string; keep: Keep }): Promise<void> => keepMachine(target, keep),
} as const;

function takePacked(
  path: string,
  target: string,
  { key, databaseBytes }: NonNullable<UnpackInput['file']>,
): BackupManifest | FileProblem {
  const read = unpackBackupFile(path, target, key, databaseBytes);
  if ('problem' in read) return read.problem;
  const manifest = manifestShape.safeParse(read.manifest);
  return manifest.success ? manifest.data : 'damaged';
}

/** A database that was copied without its journal lacks what was written last: where one lies beside it, it comes along. */
function takePlain(path: string, target: string): null {
  copyFileSync(path, target);
  if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${target}-wal`);
  return null;
}

function isAsCounted(manifest: BackupManifest, { schema, counts }: Extract<Judged, { problem: null }>): boolean {
  const names = Object.keys(counts);
  const isSame = names.every((name) => manifest.counts[name] === counts[name]);
  return isSame && names.length === Object.keys(manifest.counts).length && manifest.schema === schema;
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
