// For electron-builder: on Linux the licences of what Chromium consists of are packed as gzip, as Debian has documents. They are
// megabytes of text beside the program. In JavaScript, since whichever Node runs electron-builder loads it.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** @param {{ appOutDir: string, electronPlatformName: string }} packed */
export function afterPack({ appOutDir, electronPlatformName }) {
  const path = join(appOutDir, 'LICENSES.chromium.html');
  if (electronPlatformName !== 'linux' || !existsSync(path)) return;
  writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }));
  rmSync(path);
}
