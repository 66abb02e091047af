// Where newer versions are offered at all: in the installed application, if whoever packed it said where they are.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Updater } from './updates.ts';

/** What electron-builder writes of `publish` beside the application. */
const FEED = 'app-update.yml';

/** null, and nothing is loaded, where there is no place to look. `resources`: absolute path. */
export async function findUpdater(
  isPackaged: boolean,
  resources: string,
  load: () => Promise<Updater>,
): Promise<Updater | null> {
  return isPackaged && existsSync(join(resources, FEED)) ? load() : null;
}
