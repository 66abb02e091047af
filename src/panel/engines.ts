// The engines of nodes: of local ones a process each, in the data folder's own place for them; of remote ones what their machine answers.
import { join } from 'node:path';
import type { CoreParts } from '../core/core.ts';
import { connectEngine } from '../nodes/connector.ts';
import { createEngineLog } from '../nodes/engine-log.ts';
import { findProgram } from '../nodes/engine-program.ts';
import { createLocalEngine, logPath, stopStrays } from '../nodes/local-engine.ts';
import { createRemoteEngine, type NodePlace } from '../nodes/remote/remote-engine.ts';
import { canListen } from '../nodes/system-process.ts';
import { FILES } from './data-folder.ts';
import { openNodeTrust } from './node/node-trust.ts';

interface EnginesParts extends Pick<CoreParts, 'clock' | 'timers' | 'crypto' | 'store' | 'vault'> {
  /** The data folder. */
  readonly folder: string;
}

/** What the core needs to run engines. Ends those of nodes that are no more. */
export async function openEngines(
  parts: EnginesParts,
): Promise<Required<Pick<CoreParts, 'openEngine' | 'engineLog' | 'nodeTrust' | 'localMachine'>>> {
  const { clock, timers, crypto, store } = parts;
  const folder = join(parts.folder, FILES.engines);
  const local = store.nodes.page(store.nodes.count(), 0).filter(({ kind }) => kind === 'local');
  await stopStrays(folder, new Set(local.map(({ id }) => id)));
  const { trust, identity, certify } = openNodeTrust(parts);

  /** Where a remote node's machine is; null: it has none. */
  function placeOf(nodeId: number): NodePlace | null {
    const node = store.nodes.get(nodeId);
    if (!node || node.agentPort === null || node.agentPin === null) return null;
    return { host: node.address, port: node.agentPort, pin: node.agentPin };
  }

  const path = () => store.settings.get().enginePath;
  const users = () => store.users.count({}, clock.now());
  return {
    nodeTrust: trust,
    localMachine: {
      platform: process.platform,
      async engine() {
        const program = await findProgram(path()).catch(() => null);
        return program && { name: program.name, version: program.version };
      },
      isFree: canListen,
    },
    openEngine({ id, kind }) {
      if (kind === 'local') {
        return createLocalEngine({ nodeId: id, folder, path, connect: connectEngine, clock, timers, crypto });
      }
      if (placeOf(id) === null) return null;
      return createRemoteEngine({ place: () => placeOf(id), identity, certify, users, clock });
    },
    engineLog: (nodeId) => createEngineLog(logPath(folder, nodeId)).lines(),
  };
}
