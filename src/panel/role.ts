// The role of this panel: its claim at nodes, and the marker file of a superseded panel.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { FILES } from '../adapters/data-folder.ts';
import { readIfThere, writePrivateFile } from '../adapters/private-file.ts';
import { startRefusal } from '../adapters/start-obstacle.ts';
import type { Log, Store } from '../core/ports/ports.ts';
import type { PanelRole, RoleState } from '../core/ports/role.ts';
import { MAX_EPOCH } from '../domain/nodes/panel-claim.ts';
import { parseOwnJson } from '../domain/own-json.ts';

const RUN_BYTES = 16;

/** A panel with this epoch or a lower one is superseded. */
const markFile = z.object({ epoch: z.int().min(1).max(MAX_EPOCH) });

/** The epoch of the panel that took over; null: none. Throws a refusal if the file is damaged. */
export function readMark(folder: string): number | null {
  const path = join(folder, FILES.superseded);
  const text = readIfThere(path);
  if (text === null) return null;
  try {
    return markFile.parse(parseOwnJson(text)).epoch;
  } catch {
    throw startRefusal('markDamaged', { path });
  }
}

interface RoleParts {
  readonly folder: string;
  readonly store: Pick<Store, 'settings'>;
  readonly startedAt: number;
  readonly log: Log;
}

/**
 * The start time of this run, epoch ms: later than any earlier start with this data, even if the clock was set back, since nodes obey the latest
 * start. It is stored.
 */
export function recordStart({ store, log }: Pick<RoleParts, 'store' | 'log'>, now: number): number {
  const startedAt = Math.max(now, store.settings.get().startedAt + 1);
  try {
    store.settings.set({ startedAt });
  } catch (error) {
    // A full or read-only disk: the panel serves the existing data.
    log.warn('start not stored', { error: String(error) });
  }
  return startedAt;
}

export function openRole({ folder, store, startedAt, log }: RoleParts): PanelRole {
  const run = randomBytes(RUN_BYTES).toString('hex');
  const listeners = new Set<() => void>();
  /** Callbacks that wait for a node's answer; null: a node has answered. */
  let waiting: (() => void)[] | null = [];
  /** Nodes that obey a copy of this panel. */
  const refusing = new Set<number>();
  let mark = readMark(folder);
  const epoch = () => store.settings.get().epoch;

  function state(): RoleState {
    if (mark !== null && mark >= epoch()) return 'superseded';
    return refusing.size > 0 ? 'other_panel' : 'active';
  }

  function change(apply: () => void): void {
    const before = state();
    apply();
    const after = state();
    if (before !== after) {
      log.warn('role of this panel changed', { role: after, epoch: epoch() });
      for (const listener of listeners) listener();
    }
    const begun = waiting ?? [];
    waiting = null;
    for (const listener of begun) listener();
  }

  return {
    state,
    claim: () => ({ epoch: epoch(), startedAt, run }),
    recordObeyed: (nodeId) => change(() => refusing.delete(nodeId)),
    recordRefused(nodeId, code, claim) {
      change(() => {
        if (code === 'other_panel') {
          refusing.add(nodeId);
          return;
        }
        if (mark !== null && mark >= claim.epoch) return;
        mark = claim.epoch;
        try {
          writePrivateFile(join(folder, FILES.superseded), JSON.stringify({ epoch: mark }));
        } catch (error) {
          // Still valid for this run; nodes report it again in the next one.
          log.error('mark of a superseded panel not written', { error: String(error) });
        }
      });
    },
    onChange(listener) {
      listeners.add(listener);
    },
    onAnswered(listener) {
      if (waiting === null) listener();
      else waiting.push(listener);
    },
  };
}
