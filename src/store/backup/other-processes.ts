// Finds other processes that have the database open, by the locks that SQLite holds for each connection. On Linux only: elsewhere nothing tells.
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { basename } from 'node:path';

/** A connection in WAL mode holds a lock on the shared memory for as long as it is open, and on the database while it reads. */
const LOCKED = ['', '-shm'] as const;

/** Each as in `process 123 (litestream)`; none where the system does not tell. */
export function listOtherProcesses(database: string): readonly string[] {
  if (process.platform !== 'linux') return [];
  const inodes = LOCKED.flatMap((end) => {
    const found = statSync(`${database}${end}`, { throwIfNoEntry: false });
    return found ? [String(found.ino)] : [];
  });
  // As in "1: POSIX  ADVISORY  READ 4242 00:2f:131080 128 128".
  const locks = readIfPossible('/proc/locks').matchAll(/POSIX +ADVISORY +\w+ +(\d+) +[0-9a-f]+:[0-9a-f]+:(\d+) /g);
  const holders = new Set([...locks].flatMap(([, pid = '', inode = '']) => (inodes.includes(inode) ? [pid] : [])));
  holders.delete(String(process.pid));
  return [...holders].filter((pid) => mayHaveOpen(pid, database)).map((pid) => `process ${pid} (${readName(pid)})`);
}

/** An inode number is that of another file on another disk. What the files of a process are, only its own account may read. */
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

/** As it was started: what it calls itself may be the name of a thread. */
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
