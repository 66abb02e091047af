// A database in the making, which counts only once it is finished: no journal beside it, and on the disk in one go at its end.
import { closeSync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { type Connection, claimFile } from './database.ts';

/**
 * Opens or makes a file (0600) that nobody else knows of. What is deleted in it is overwritten. References are not enforced:
 * whoever fills it checks them at the end. Breaking off leaves a file to be thrown away.
 */
export function openWorkFile(file: string): Connection {
  claimFile(file);
  const db = new Database(file, { fileMustExist: true });
  const settings = [
    ...['journal_mode = MEMORY', 'synchronous = OFF', 'foreign_keys = OFF'],
    ...['trusted_schema = OFF', 'cell_size_check = ON', 'secure_delete = ON', 'temp_store = MEMORY', 'mmap_size = 0'],
  ];
  for (const setting of settings) db.pragma(setting);
  return db;
}

/** Puts a file on the disk. */
export function syncFile(path: string): void {
  const handle = openSync(path, 'r+');
  fsyncSync(handle);
  closeSync(handle);
}

/** Puts the names in a file's folder on the disk. Windows cannot open a folder; there a rename is durable with its file. */
export function syncFolderOf(path: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(dirname(path), 'r');
  fsyncSync(handle);
  closeSync(handle);
}
