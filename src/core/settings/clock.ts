// The panel's time: whether it is in doubt, which jobs wait, and corrections after a wrong clock.

import type { Output } from '../../contract/table.ts';
import { MINUTE_MS } from '../../domain/limits.ts';
import { JUMP_MS } from '../../domain/panel-time.ts';
import type { Action, Env, Handlers, Transaction } from '../kernel/context.ts';
import { toInstant, toInstantOrNull } from '../kernel/wire.ts';
import type { Result } from '../ports/call.ts';
import { moveResets } from '../users/resets.ts';

type ClockEnv = Pick<Env, 'clock' | 'panelClock'>;

const CLOCK: Action = { name: 'clock', by: 'clock' };
/** How often the last known time is stored. */
const STORE_EVERY_MS = 10 * MINUTE_MS;

/** Whether time-dependent jobs wait: resets, ends of terms, notices, clean-up, renewals. */
export function isClockDoubted({ panelClock }: Pick<Env, 'panelClock'>): boolean {
  return panelClock?.status().state === 'doubted';
}

function viewClock({ clock, panelClock }: ClockEnv): Result<Output<'getClock'>> {
  const now = clock.now();
  const status = panelClock?.status();
  const body = {
    state: status?.state ?? 'followed',
    doubt: status?.doubt ?? null,
    since: toInstantOrNull(status?.since ?? null),
    panel_at: toInstant(now),
    machine_at: toInstant(status?.machineAt ?? now),
  };
  return { body };
}

export const CLOCK_HANDLERS = {
  getClock: { read: (_input, { env }) => viewClock(env) },
  confirmClock: {
    async run(_input, { env, commit }) {
      const before = viewClock(env).body;
      const knownAt = Math.max(env.clock.now(), env.settings().knownAt ?? 0);
      env.panelClock?.confirm();
      // Has another time than the call, which used the previous one.
      await env.transact(CLOCK, (tx) => recordTime(tx, knownAt));
      return commit((tx) => {
        if (before.state !== 'followed') tx.audit('clock', { doubt: before.doubt, panel_at: before.panel_at });
        return viewClock(env);
      });
    },
    isEssential: true,
  },
} satisfies Handlers<'getClock' | 'confirmClock'>;

/** Stores the time that the next start compares the clock with. Recomputes resets that a clock ahead has moved. */
function recordTime(tx: Transaction, knownAt: number): void {
  if (tx.now < knownAt - JUMP_MS) moveResets(tx, tx.settings.timeZone);
  tx.saveSettings({ knownAt: tx.now });
}

/** Creates the job that stores the time periodically, and at once when the clock was set back. */
export function createClockJob(env: Pick<Env, 'clock' | 'panelClock' | 'settings' | 'store' | 'transact'>) {
  let lastAt = env.settings().knownAt ?? 0;
  return async (): Promise<void> => {
    if (env.store.diskSpace.isFull() || isClockDoubted(env)) return;
    const now = env.clock.now();
    const { knownAt } = env.settings();
    const isSetBack = now < lastAt - JUMP_MS;
    if (!isSetBack && knownAt !== null && now >= knownAt && now - knownAt < STORE_EVERY_MS) {
      lastAt = now;
      return;
    }
    await env.transact(CLOCK, (tx) => recordTime(tx, lastAt));
    lastAt = now;
  };
}
