// Makes a superseded panel active again, by an epoch above that of the other panel.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { FILES, findDataFolder } from '../adapters/data-folder.ts';
import { MAX_EPOCH } from '../domain/nodes/panel-claim.ts';
import { skipEvents } from '../store/backup/retain-machine.ts';
import { ownFolder } from './owned-folder.ts';
import { readMark } from './role.ts';

/** The new epoch. Throws a refusal while a panel runs. */
export function promotePanel(data: string | undefined): number {
  const folder = findDataFolder(data);
  const owned = ownFolder(folder, 'promote');
  try {
    const { store } = owned;
    const epoch = Math.min(MAX_EPOCH, Math.max(store.settings.get().epoch, readMark(folder) ?? 0) + 1);
    store.write(() => {
      store.settings.set({ epoch });
      skipEvents(store.connection());
    });
    rmSync(join(folder, FILES.superseded), { force: true });
    return epoch;
  } finally {
    owned.close();
  }
}
