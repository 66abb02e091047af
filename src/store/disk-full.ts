// Tells a full disk from a broken one: SQLite says "full" only where the system says just that.
import { closeSync, fsyncSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs';
import { fileSize } from './database.ts';

/** A quota, the limit of a file's size and the journal's index on a full disk: all of them are mere I/O errors to SQLite. */
const PERHAPS = /^SQLITE_(IOERR(_(WRITE|SHMSIZE|SHMMAP|FSYNC|TRUNCATE|CLOSE))?|CANTOPEN)$/;
const WANTING: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
const PROBE_BYTES = 65_536;

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : '');

/** Whether it was for want of room that writing to the database failed. */
export function isDiskFull(error: unknown, file: string): boolean {
  const code = codeOf(error);
  if (code === 'SQLITE_FULL' || WANTING.has(code)) return true;
  return PERHAPS.test(code) && !hasRoomBeside(file);
}

/** Tries what SQLite needs: some more bytes, in a file as long as its journal would then be. */
function hasRoomBeside(file: string): boolean {
  const probe = `${file}-room`;
  let handle: number | null = null;
  try {
    handle = openSync(probe, 'w', 0o600);
    writeSync(handle, Buffer.alloc(PROBE_BYTES, 0xa5));
    ftruncateSync(handle, fileSize(`${file}-wal`) + PROBE_BYTES);
    // Some find out only now.
    fsyncSync(handle);
    return true;
  } catch (error) {
    return !WANTING.has(codeOf(error));
  } finally {
    if (handle !== null) closeSync(handle);
    rmSync(probe, { force: true });
  }
}
