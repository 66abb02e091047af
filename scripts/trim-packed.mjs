// For electron-builder: what a package for Linux has of Electron's files beside the program. In JavaScript, since whichever Node runs
// electron-builder loads it.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** @param {{ appOutDir: string, electronPlatformName: string }} packed */
export function afterPack({ appOutDir, electronPlatformName }) {
  if (electronPlatformName !== 'linux') return;
  // The graphics card in software, which src/main/index.ts turns off.
  for (const name of ['libvk_swiftshader.so', 'vk_swiftshader_icd.json'])
    rmSync(join(appOutDir, name), { force: true });
  // The licences of what Chromium consists of, megabytes of text: compressed, as Debian has documents.
  const licences = join(appOutDir, 'LICENSES.chromium.html');
  if (!existsSync(licences)) return;
  writeFileSync(`${licences}.gz`, gzipSync(readFileSync(licences), { level: 9 }));
  rmSync(licences);
}
