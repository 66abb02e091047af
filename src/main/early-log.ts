// The panel's log while there is no panel: what fails at the start is in the same file.
import { join } from 'node:path';
import { FILES, prepareDataFolder } from '../adapters/data-folder.ts';
import { openLog } from '../adapters/log.ts';
import type { Log } from '../core/ports/ports.ts';

/** null: the data folder cannot be used, which opening the panel reports. */
export function openEarlyLog(folder: string): Log | null {
  try {
    prepareDataFolder(folder);
    const log = openLog({ file: join(folder, FILES.log) });
    // Closed, it opens the file for each line and never rotates it: the file belongs to the panel.
    log.close();
    return log;
  } catch {
    return null;
  }
}
