// The state of a running engine for the next panel process, in a small file beside its log; also stops engines whose nodes were deleted.

import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseOwnJson } from '../domain/own-json.ts';
import { readIdentity } from './system-process.ts';

/** The state that lets the next panel process adopt a running engine. */
export interface State {
  readonly pid: number;
  /** From `readIdentity`. */
  readonly identity: string | null;
  readonly apiPort: number;
  /** Pairs of an inbound that shares the port of another, and where it listens on loopback. */
  readonly innerPorts: readonly (readonly [id: number, port: number])[];
  readonly version: string;
}

/** Milliseconds that the engine of a deleted node has to exit. */
const STRAY_MS = 5000;
const STEP_MS = 25;

export function statePath(folder: string, nodeId: number): string {
  return join(folder, `node-${nodeId}.json`);
}

export function pipePath(folder: string, nodeId: number): string {
  return join(folder, `node-${nodeId}.pipe`);
}

/** Stops engines whose nodes were deleted: a killed panel may have left them. */
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

/** Identifies a folder: a renamed one stays the same, a copy differs. */
function identifyFolder(file: string): string {
  const { dev, ino } = statSync(dirname(file), { bigint: true });
  return `${dev}:${ino}`;
}

/** null: there is no state, it is damaged, or the folder is a copy. A panel on a copy of the data must not adopt the original's engine. */
export function readState(file: string): State | null {
  try {
    const stored = parseOwnJson(readFileSync(file, 'utf8')) as Partial<State & { folder: string }>;
    const { pid, identity, apiPort, innerPorts = [], version, folder } = stored;
    // Earlier versions wrote no folder id.
    if (folder !== undefined && folder !== identifyFolder(file)) return null;
    if (typeof pid !== 'number' || typeof apiPort !== 'number' || typeof identity !== 'string') return null;
    return { pid, identity, apiPort, innerPorts, version: String(version) };
  } catch {
    return null;
  }
}

export function writeState(file: string, state: State): void {
  writeFileSync(`${file}.new`, JSON.stringify({ ...state, folder: identifyFolder(file) }), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** Sends a signal to a process, if it still exists. */
export function kill(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has exited.
  }
}
