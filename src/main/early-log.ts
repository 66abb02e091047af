// The log before the panel is open, in the panel's file, so that failures of the start are in it too.
import { join } from 'node:path';
import { FILES, prepareDataFolder } from '../adapters/data-folder.ts';
import { openLog } from '../adapters/log.ts';
import type { Log } from '../core/ports/ports.ts';

/** null: the data folder cannot be used, which opening the panel reports. */
export function openEarlyLog(folder: string): Log | null {
  try {
    prepareDataFolder(folder);
    const log = openLog({ file: join(folder, FILES.log) });
    // A closed log opens the file for each line and does not rotate it, because the file belongs to the panel.
    log.close();
    return log;
  } catch {
    return null;
  }
}
