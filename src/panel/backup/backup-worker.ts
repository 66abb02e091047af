// The backup thread: copies, packs, unpacks, checks and rebuilds databases; each task would block the event loop.
import { createHash } from 'node:crypto';
import { copyFileSync, createReadStream, existsSync, renameSync, rmSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { type FileProblem, unpackBackupFile, writeBackupFile } from '../../adapters/backup-file.ts';
import { serveTasks } from '../../adapters/worker-thread.ts';
import { PanelError } from '../../core/kernel/panel-error.ts';
import { type CheckedDatabase, checkDatabase, type DatabaseProblem } from '../../store/backup/check.ts';
import { compareDatabases } from '../../store/backup/compare.ts';
import { copyDatabase } from '../../store/backup/copy.ts';
import { rebuildDatabase } from '../../store/backup/rebuild.ts';
import { type Machine, retainMachine } from '../../store/backup/retain-machine.ts';
import { isDataFault, syncParentFolder } from '../../store/database.ts';
import { isOutOfSpace } from '../../store/disk-space.ts';
import { type BackupManifest, manifestShape } from './manifest.ts';

interface PackInput {
  /** The finished copy of the database. */
  readonly copy: string;
  /** The path of the complete file; it is written to `unfinished` beside it first. */
  readonly path: string;
  readonly unfinished: string;
  readonly header: Readonly<Record<string, unknown>>;
  readonly manifest: BackupManifest;
  readonly key: Uint8Array | null;
}

interface UnpackInput {
  readonly path: string;
  /** Path of a new file. */
  readonly target: string;
  /** null: the path is a plain database. */
  readonly file: { readonly key: Uint8Array | null; readonly databaseBytes: number } | null;
}

interface CompareInput {
  readonly candidate: string;
  readonly present: string | null;
  readonly linksOrigin: string | null;
}

/** The result of unpacking a backup file. */
export type Unpacked =
  | { readonly problem: FileProblem | DatabaseProblem; readonly detail: string | null }
  | {
      readonly problem: null;
      readonly manifest: BackupManifest | null;
      /** SHA-256 of the database, and of the journal beside a plain one. */
      readonly digest: string;
      readonly checked: Extract<CheckedDatabase, { problem: null }>;
    };

/**
 * Writes the file, reads it back and checks it as a restore does, then renames it to its final name. Throws PanelError `backup_failed` if
 * it could not be restored.
 */
async function pack({ copy, path, unfinished, header, manifest, key }: PackInput): Promise<void> {
  const again = `${copy}.again`;
  try {
    writeBackupFile({ path: unfinished, header, manifest: { ...manifest }, database: copy, key });
    const read = await unpack({
      path: unfinished,
      target: again,
      file: { key, databaseBytes: manifest.database_bytes },
    });
    if (read.problem !== null) throw createFailure(read.problem, read.detail);
    if (read.digest !== (await hashFile(copy))) throw createFailure('damaged', null);
    renameSync(unfinished, path);
    syncParentFolder(path);
  } finally {
    rmSync(unfinished, { force: true });
    rmSync(again, { force: true });
  }
}

function createFailure(problem: FileProblem | DatabaseProblem, detail: string | null): PanelError {
  return new PanelError('backup_failed', [{ pointer: '#/database', code: problem, message: detail ?? problem }]);
}

/** Extracts the database of a file and checks it. */
async function unpack({ path, target, file }: UnpackInput): Promise<Unpacked> {
  const manifest = file === null ? copyPlainDatabase(path, target) : unpackBackup(path, target, file);
  if (typeof manifest === 'string') return { problem: manifest, detail: null };
  const digest = await hashFile(target, `${target}-wal`);
  const checked = checkDatabase(target);
  if (checked.problem !== null) return checked;
  if (manifest !== null && !isAsCounted(manifest, checked)) return { problem: 'damaged', detail: null };
  return { problem: null, manifest, digest, checked };
}

function unpackBackup(
  path: string,
  target: string,
  { key, databaseBytes }: NonNullable<UnpackInput['file']>,
): BackupManifest | FileProblem {
  const read = unpackBackupFile(path, target, key, databaseBytes);
  if ('problem' in read) return read.problem;
  const manifest = manifestShape.safeParse(read.manifest);
  if (!manifest.success) return 'damaged';
  // A panel never writes secrets into an unencrypted file: somebody else has added them.
  const { secrets, certificates } = manifest.data;
  const hasSecrets = Object.keys({ ...secrets, ...certificates }).length > 0;
  return key === null && hasSecrets ? 'damaged' : manifest.data;
}

/** A copied database may have its last writes in a WAL, which is copied with it. */
function copyPlainDatabase(path: string, target: string): null {
  copyFileSync(path, target);
  if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${target}-wal`);
  return null;
}

function isAsCounted(
  manifest: BackupManifest,
  { schema, counts }: Extract<CheckedDatabase, { problem: null }>,
): boolean {
  const names = Object.keys(counts);
  const isSame = names.every((name) => manifest.counts[name] === counts[name]);
  return isSame && names.length === Object.keys(manifest.counts).length && manifest.schema === schema;
}

/** SHA-256 of a file, and of its journal if there is one. */
async function hashFile(path: string, journal: string | null = null): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash, { end: false });
  if (journal !== null && existsSync(journal)) await pipeline(createReadStream(journal), hash, { end: false });
  return hash.digest('hex');
}

/** Rebuilds a database as one of this version. */
function rebuild({ source, target, schema }: { source: string; target: string; schema: number }): 'damaged' | null {
  try {
    rebuildDatabase(source, target, schema);
    return null;
  } catch (error) {
    if (isDataFault(error)) return 'damaged';
    throw error;
  }
}

/** Every task can fail because the disk is full: PanelError `storage_full`. */
async function attempt<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isOutOfSpace(error) ? new PanelError('storage_full') : error;
  }
}

const tasks = {
  copy: ({ database, target, withSealed }: { database: string; target: string; withSealed: boolean }) =>
    attempt(() => copyDatabase(database, target, withSealed)),
  digest: (path: string) => attempt(() => hashFile(path)),
  compare: ({ candidate, present, linksOrigin }: CompareInput) =>
    attempt(() => compareDatabases(candidate, present, linksOrigin)),
  pack: (input: PackInput) => attempt(() => pack(input)),
  unpack: (input: UnpackInput) => attempt(() => unpack(input)),
  rebuild: (input: Parameters<typeof rebuild>[0]) => attempt(() => rebuild(input)),
  retainMachine: ({ target, machine }: { target: string; machine: Machine }) =>
    attempt(() => retainMachine(target, machine)),
};

export type BackupTasks = typeof tasks;

serveTasks(tasks);
