// The built pages of this installation, where the build has left them.
import { fileURLToPath } from 'node:url';
import { openUi, type Ui } from '../http/ui.ts';

/** null where they have not been built: the plain pages then stand in for them. Two folders up both from the sources and the bundle. */
export function installedPages(): Ui | null {
  return openUi(fileURLToPath(new URL('../../out/renderer', import.meta.url)));
}
