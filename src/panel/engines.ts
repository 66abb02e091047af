// The engines of local nodes: one for each, in the data folder's own place for them.
import { join } from 'node:path';
import type { CoreParts } from '../core/core.ts';
import { connectEngine } from '../nodes/connector.ts';
import { createEngineLog } from '../nodes/engine-log.ts';
import { createLocalEngine, logPath, stopStrays } from '../nodes/local-engine.ts';
import { FILES } from './data-folder.ts';

interface EnginesParts extends Pick<CoreParts, 'clock' | 'timers' | 'crypto' | 'store'> {
  /** The data folder. */
  readonly folder: string;
}

/** What the core needs to run engines. Ends those of nodes that are no more. */
export async function openEngines(parts: EnginesParts): Promise<Required<Pick<CoreParts, 'openEngine' | 'engineLog'>>> {
  const { clock, timers, crypto, store } = parts;
  const folder = join(parts.folder, FILES.engines);
  const local = store.nodes.page(store.nodes.count(), 0).filter(({ kind }) => kind === 'local');
  await stopStrays(folder, new Set(local.map(({ id }) => id)));
  return {
    openEngine({ id, kind }) {
      if (kind !== 'local') return null;
      const path = () => store.settings.get().enginePath;
      return createLocalEngine({ nodeId: id, folder, path, connect: connectEngine, clock, timers, crypto });
    },
    engineLog: (nodeId) => createEngineLog(logPath(folder, nodeId)).lines(),
  };
}
