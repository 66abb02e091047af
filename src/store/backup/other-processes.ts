// Finds other processes that have the database open, by SQLite's file locks. Only on Linux: other systems do not list locks.
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { basename } from 'node:path';

/** A connection in WAL mode holds a lock on the shared memory for as long as it is open, and on the database while it reads. */
const LOCKED = ['', '-shm'] as const;

/** Such as `process 123 (litestream)`; empty if the system does not tell. */
export function listOtherProcesses(database: string): readonly string[] {
  if (process.platform !== 'linux') return [];
  const inodes = LOCKED.flatMap((end) => {
    const found = statSync(`${database}${end}`, { throwIfNoEntry: false });
    return found ? [String(found.ino)] : [];
  });
  // Such as "1: POSIX ADVISORY READ 4242 00:2f:131080 128 128".
  const locks = readIfPossible('/proc/locks').matchAll(/POSIX +ADVISORY +\w+ +(\d+) +[0-9a-f]+:[0-9a-f]+:(\d+) /g);
  const holders = new Set([...locks].flatMap(([, pid = '', inode = '']) => (inodes.includes(inode) ? [pid] : [])));
  holders.delete(String(process.pid));
  return [...holders].filter((pid) => mayHaveOpen(pid, database)).map((pid) => `process ${pid} (${readName(pid)})`);
}

/** Excludes files on other disks with the same inode number. Files of other accounts' processes cannot be read: then true. */
function mayHaveOpen(pid: string, database: string): boolean {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).some((name) =>
      basename(readlinkSync(`${folder}/${name}`)).startsWith(basename(database)),
    );
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EACCES';
  }
}

/** The name of the program: the process's own name may be that of a thread. */
function readName(pid: string): string {
  const [program = ''] = readIfPossible(`/proc/${pid}/cmdline`).split('\0');
  return basename(program) || 'unknown';
}

function readIfPossible(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
