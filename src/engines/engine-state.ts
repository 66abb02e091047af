// What the next panel must know of an engine that runs, in a small file beside its log; and the end of engines whose nodes are gone.

import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseOwnJson } from '../domain/own-json.ts';
import { readIdentity } from './system-process.ts';

/** What the next panel must know of an engine that runs. */
export interface State {
  readonly pid: number;
  /** `readIdentity` it. */
  readonly identity: string | null;
  readonly apiPort: number;
  readonly version: string;
}

/** How long an engine of a node that is gone has to end. */
const STRAY_MS = 5000;
const STEP_MS = 25;

export function statePath(folder: string, nodeId: number): string {
  return join(folder, `node-${nodeId}.json`);
}

export function pipePath(folder: string, nodeId: number): string {
  return join(folder, `node-${nodeId}.pipe`);
}

/** Ends the engines of nodes that are no more: a panel that was killed may have left them. */
export async function stopStrays(folder: string, nodeIds: ReadonlySet<number>): Promise<void> {
  for (const name of listIfThere(folder)) {
    const nodeId = Number(/^node-(\d+)\.json$/.exec(name)?.[1] ?? Number.NaN);
    if (Number.isNaN(nodeId) || nodeIds.has(nodeId)) continue;
    const state = readState(join(folder, name));
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (state === null || !isSame(state)) break;
      kill(state.pid, signal);
      for (let waited = 0; waited < STRAY_MS && isSame(state); waited += STEP_MS) await sleep(STEP_MS);
    }
    rmSync(join(folder, name), { force: true });
    rmSync(pipePath(folder, nodeId), { force: true });
  }
}

function listIfThere(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

export function isSame({ pid, identity }: State): boolean {
  return identity !== null && readIdentity(pid) === identity;
}

export function readState(file: string): State | null {
  try {
    const { pid, identity, apiPort, version } = parseOwnJson(readFileSync(file, 'utf8')) as Partial<State>;
    if (typeof pid !== 'number' || typeof apiPort !== 'number' || typeof identity !== 'string') return null;
    return { pid, identity, apiPort, version: String(version) };
  } catch {
    return null;
  }
}

export function writeState(file: string, state: State): void {
  writeFileSync(`${file}.new`, JSON.stringify(state), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** Sends a signal to a process, if it still is one. */
export function kill(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}
