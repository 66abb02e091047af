// Unpacks the files of one version out of a release's archive whose signature was verified: nothing lands outside of the folder, and no
// more of it than the limit.
import { closeSync, fsyncSync, openSync } from 'node:fs';
import { extract, type ReadEntry } from 'tar';

/** Of all files together. */
const MOST_BYTES = 2_000_000_000;
const FILE_TYPES = new Set(['File', 'Directory']);

/** Puts what is in `prefix` of the archive (`gatehouse/versions/1.2.3/`) into `folder`, which exists and is empty. Throws what is wrong. */
export async function unpack(archive: string, prefix: string, folder: string): Promise<void> {
  let bytes = 0;
  let files = 0;
  // A throw in the filter would leave the extraction waiting.
  let fault: string | null = null;
  await extract({
    file: archive,
    cwd: folder,
    strict: true,
    strip: prefix.split('/').length - 1,
    preserveOwner: false,
    filter: (path, entry) => {
      if (fault !== null || !path.startsWith(prefix)) return false;
      const { type, size } = entry as ReadEntry;
      bytes += size;
      files += 1;
      if (!FILE_TYPES.has(type)) fault = `the archive has a ${type} in it: ${path}`;
      else if (bytes > MOST_BYTES) fault = 'the archive unpacks to too much';
      return fault === null;
    },
  });
  if (fault !== null) throw new Error(fault);
  if (files === 0) throw new Error(`the archive has nothing in ${prefix}`);
}

export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
