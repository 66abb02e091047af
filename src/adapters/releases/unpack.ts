// Unpacks the files of one version from a release's verified archive: nothing is written outside the folder, and at most the limit in
// bytes.
import { closeSync, createWriteStream, fsyncSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { extract, type ReadEntry } from 'tar';
import { openPromise } from 'yauzl';

/** Limit of all files together. */
const MAX_BYTES = 2_000_000_000;
const FILE_TYPES = new Set(['File', 'Directory']);

/**
 * Unpacks what is below `prefix` in the archive (`gatehouse/versions/1.2.3/`) into `folder`, which exists and is empty. Throws an Error
 * that says what is wrong.
 */
export async function unpack(archive: string, prefix: string, folder: string): Promise<void> {
  let bytes = 0;
  let files = 0;
  // The filter must not throw: the extraction would never end.
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
      else if (bytes > MAX_BYTES) fault = 'the archive unpacks to too much';
      return fault === null;
    },
  });
  if (fault !== null) throw new Error(fault);
  if (files === 0) throw new Error(`the archive has nothing in ${prefix}`);
}

/** An engine with its address lists has about 100 MB. */
const MAX_ZIP_BYTES = 1_000_000_000;
const MAX_ZIP_FILES = 100;
const ZIP_FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/**
 * Unpacks the files of a ZIP archive into `folder`, which exists and is empty; files in subfolders are skipped. Its owner may execute
 * `programs`; all other files are read-only. Throws an Error that says what is wrong.
 */
export async function unpackZip(archive: string, folder: string, programs: ReadonlySet<string>): Promise<void> {
  const zip = await openPromise(archive, { autoClose: false });
  let bytes = 0;
  let files = 0;
  try {
    for await (const entry of zip.eachEntry()) {
      const { fileName: name, uncompressedSize } = entry;
      if (name.includes('/')) continue;
      bytes += uncompressedSize;
      files += 1;
      if (!ZIP_FILE_NAME.test(name)) throw new Error('the archive has a file whose name is not allowed');
      if (bytes > MAX_ZIP_BYTES || files > MAX_ZIP_FILES) throw new Error('the archive unpacks to too much');
      const file = createWriteStream(join(folder, name), { mode: programs.has(name) ? 0o700 : 0o600, flush: true });
      await pipeline(await zip.openReadStreamPromise(entry), file);
    }
  } finally {
    zip.close();
  }
}

export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
