// Switches the engine of local nodes: restarts their engines with it, and rolls back if a node that was up does not come up.
import { setTimeout as wait } from 'node:timers/promises';
import { programPath, readProgramsInUse, writeProgramsInUse } from '../agent/programs.ts';
import type { Core } from '../core/kernel/core.ts';
import type { Call } from '../core/ports/call.ts';
import { runOperation } from '../door/run-operation.ts';
import { findProgram } from '../engines/engine-program.ts';

const START_MS = 90_000;
/** A node that is down after this time is considered failed. */
const SETTLE_MS = 5000;
const RETRY_MS = 250;
const MAX_NODES = 200;

/** The result, as the command line prints it. */
export interface Switched {
  readonly outcome: 'switched' | 'same' | 'refused' | 'taken_back';
  readonly reason: string;
}

export interface LocalEngineParts {
  readonly core: Core;
  /** The data folder, with the installed engines. */
  readonly folder: string;
  readonly call: Call;
}

let isSwitching = false;

/** `name` such as `xray-26.3.27`; null: the bundled engine, or that of the PATH. */
export async function switchLocalEngine(parts: LocalEngineParts, name: string | null): Promise<Switched> {
  const { core, folder } = parts;
  const named = core.settings().enginePath;
  if (named !== null) return { outcome: 'refused', reason: `the settings name ${named}, which is used instead` };
  if (isSwitching) return { outcome: 'refused', reason: 'another engine is being brought there' };
  const before = readProgramsInUse(folder);
  if (before.current === name) return { outcome: 'same', reason: '' };
  if (name !== null) {
    const program = await findProgram(programPath(folder, name)).catch(() => null);
    if (program === null) return { outcome: 'refused', reason: 'it is not installed' };
  }
  isSwitching = true;
  try {
    writeProgramsInUse(folder, { current: name, former: before.current });
    const failure = await restartLocalNodes(parts);
    if (failure === null) return { outcome: 'switched', reason: '' };
    writeProgramsInUse(folder, before);
    await restartLocalNodes(parts);
    return { outcome: 'taken_back', reason: failure };
  } finally {
    isSwitching = false;
  }
}

/** Restarts nodes that are up, one by one. null: all came up again; else the reason. */
async function restartLocalNodes(parts: LocalEngineParts): Promise<string | null> {
  const { core, call } = parts;
  const { items } = await runOperation(core, 'listNodes', { limit: MAX_NODES, offset: 0 }, call);
  for (const { id, name } of items.filter(({ kind, enabled }) => kind === 'local' && enabled)) {
    await runOperation(core, 'updateNode', { id, enabled: false }, call);
    await awaitNode(parts, id, (status) => status !== 'up');
    await runOperation(core, 'updateNode', { id, enabled: true }, call);
    const node = await awaitNode(parts, id, (status) => status === 'up');
    if (node !== null) return `${name} is ${node.status}${node.error === null ? '' : `: ${node.error}`}`;
  }
  return null;
}

/** null: `isDone` holds; otherwise the node's status after the longest wait. */
async function awaitNode({ core, call }: LocalEngineParts, id: number, isDone: (status: string) => boolean) {
  for (let waited = 0; ; waited += RETRY_MS) {
    const node = await runOperation(core, 'getNode', { id }, call);
    if (isDone(node.status)) return null;
    if (waited >= START_MS || (waited >= SETTLE_MS && node.enabled && node.status === 'down')) return node;
    await wait(RETRY_MS);
  }
}
