// Changes a backup without a passphrase as who can write where it lies: the database in it, packed again with right digests and counts.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { readBackupHeader, unpackBackupFile, writeBackupFile } from '../../src/adapters/backup-file.ts';
import { tempFolder } from '../support/temp-store.ts';

export function tamper(file: string, target: string, change: (db: Database.Database) => void): void {
  using folder = tempFolder();
  const path = join(folder.path, 'db');
  const read = readBackupHeader(file);
  if ('problem' in read) throw new Error(read.problem);
  const header = read.header as Record<string, unknown>;
  const unpacked = unpackBackupFile(file, path, null, Number(header.database_bytes));
  if ('problem' in unpacked) throw new Error(unpacked.problem);
  const db = new Database(path);
  change(db);
  const manifest = unpacked.manifest as { readonly counts: Record<string, number> };
  const counts = Object.fromEntries(
    Object.keys(manifest.counts).map((table) => [table, db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()]),
  );
  const bytes = Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true }));
  db.pragma('journal_mode = DELETE');
  db.close();
  writeBackupFile({
    path: target,
    header: { ...header, database_bytes: bytes },
    manifest: { ...manifest, database_bytes: bytes, counts },
    database: path,
    key: null,
  });
}
