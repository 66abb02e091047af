// SQLite's WAL must not lie on a network drive: locks and shared memory do not hold there, and the file is lost in the end.
import { statfsSync } from 'node:fs';

// Magic numbers of statfs(2), as linux/magic.h has them.
const NETWORK: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x517b, 'SMB'],
  [0x01021997, '9p'],
  [0x5346414f, 'AFS'],
  [0x6b414653, 'AFS'],
  [0x00c36400, 'Ceph'],
  [0x19830326, 'BeeGFS'],
  [0x0bd00bd0, 'Lustre'],
]);

/** The kind of network drive that a folder is on; null for a local disk, or where the system does not tell. */
export function networkFileSystem(folder: string, typeOf = (path: string) => statfsSync(path).type): string | null {
  if (process.platform === 'win32') return folder.startsWith('\\\\') ? 'SMB' : null;
  if (process.platform !== 'linux') return null;
  return NETWORK.get(typeOf(folder) >>> 0) ?? null;
}
