// Opens the engines of nodes: a process for each local node, a client of the machine for each remote one.
import { join } from 'node:path';
import { FILES } from '../adapters/data-folder.ts';
import { findShippedEngine } from '../adapters/shipped-engine.ts';
import { installedPath, programName } from '../agent/programs.ts';
import { type Switched, servePrograms } from '../agent/switch-engine.ts';
import type { CoreParts } from '../core/kernel/core.ts';
import type { ParseLargeJson } from '../core/ports/json.ts';
import type { Log } from '../core/ports/ports.ts';
import type { PanelRole } from '../core/ports/role.ts';
import { connectEngine } from '../engines/connector.ts';
import { createEngineLog } from '../engines/engine-log.ts';
import { findProgram } from '../engines/engine-program.ts';
import { stopStrays } from '../engines/engine-state.ts';
import { createLocalEngine, logPath } from '../engines/local-engine.ts';
import type { NodeRole } from '../engines/remote/node-client.ts';
import type { NodePlace } from '../engines/remote/node-request.ts';
import { createRemoteEngine } from '../engines/remote/remote-engine.ts';
import { canListen } from '../engines/system-process.ts';
import { openNodeTrust } from './node-trust.ts';
import { createTemplates } from './templates.ts';

interface EnginesParts extends Pick<CoreParts, 'clock' | 'timers' | 'crypto' | 'store' | 'vault'> {
  /** The data folder. */
  readonly folder: string;
  readonly parseLarge: ParseLargeJson;
  readonly log: Log;
  readonly role: PanelRole;
  /** Restarts local nodes with another engine; null: the bundled one. */
  switchEngine(name: string | null): Promise<Switched>;
}

/** Opens the engines for the core. Stops processes of deleted nodes. */
export async function openEngines(
  parts: EnginesParts,
): Promise<Required<Pick<CoreParts, 'openEngine' | 'engineLog' | 'nodeTrust' | 'localMachine' | 'templates'>>> {
  const { clock, timers, crypto, store, parseLarge } = parts;
  const folder = join(parts.folder, FILES.engines);
  const local = store.nodes.page(store.nodes.count(), 0).filter(({ kind }) => kind === 'local');
  await stopStrays(folder, new Set(local.map(({ id }) => id)));
  const { trust, identity } = openNodeTrust(parts);

  /** The machine of a remote node; null: none. */
  function findNodePlace(nodeId: number): NodePlace | null {
    const node = store.nodes.get(nodeId);
    if (!node || node.agentPort === null || node.agentPin === null) return null;
    return { host: node.address, port: node.agentPort, pin: node.agentPin };
  }

  const shipped = await findShippedEngine();
  const path = () => store.settings.get().enginePath ?? installedPath(parts.folder) ?? shipped;
  const programs = servePrograms({
    folder: parts.folder,
    log: parts.log,
    hasOwnPath: () => store.settings.get().enginePath !== null,
    findShipped: async () => shipped && programName(await findProgram(shipped)),
    switchTo: parts.switchEngine,
  });
  const users = () => store.users.count({}, clock.now());
  return {
    nodeTrust: trust,
    localMachine: {
      async engine() {
        const program = await findProgram(path()).catch(() => null);
        return program && { name: program.name, version: program.version };
      },
      isFree: canListen,
    },
    templates: createTemplates(() => findProgram(path()).catch(() => null)),
    openEngine({ id, kind }) {
      if (kind === 'local') {
        const engine = createLocalEngine({ nodeId: id, folder, path, connect: connectEngine, clock, timers, crypto });
        return { ...engine, programs: programs.read, changeProgram: async (name) => programs.begin(name) };
      }
      if (findNodePlace(id) === null) return null;
      const role: NodeRole = {
        claim: parts.role.claim,
        recordObeyed: () => parts.role.recordObeyed(id),
        recordRefused: (code, claim) => parts.role.recordRefused(id, code, claim),
      };
      return createRemoteEngine({ place: () => findNodePlace(id), identity, role, users, parseLarge, clock });
    },
    engineLog: (nodeId) => createEngineLog(logPath(folder, nodeId)).lines(),
  };
}
