// The built pages of this installation, where the build has left them.
import { fileURLToPath } from 'node:url';
import { openPages, type Pages } from '../http/pages.ts';

/** null where they have not been built: Two folders up both from the sources and the bundle. */
export function installedPages(): Pages | null {
  return openPages(fileURLToPath(new URL('../../out/renderer', import.meta.url)));
}
