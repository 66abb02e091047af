// How a panel ends: each part that is started adds the step that stops it, and the steps run in the reverse order.
import type { Log } from '../core/ports/ports.ts';

/**
 * What a panel starts, in this order; it stops in the reverse order. So whatever uses the store ends before the store does. What each
 * step does is in docs/architecture.md.
 */
export const PARTS = [
  'data folder',
  'log',
  'clock',
  'addresses',
  'writer thread',
  'checkpoint thread',
  'vault',
  'parser thread',
  'core',
  'certificates',
  'listeners',
  'bot',
  'control socket',
] as const;
export type PartName = (typeof PARTS)[number];

export interface StopSteps {
  /** Where a step that fails is logged; null: there is no log yet. */
  log: Pick<Log, 'error'> | null;
  /** To be called when the part was started. Throws where that is not its turn. */
  add(part: PartName, stop: () => unknown): void;
  /** Runs all steps, each when the one before has ended. One that fails stops no other; the first failure is thrown at the end. */
  stopAll(): Promise<void>;
}

export function createStopSteps(): StopSteps {
  const started: { readonly part: PartName; readonly stop: () => unknown }[] = [];
  const steps: StopSteps = {
    log: null,
    add(part, stop) {
      const last = started.at(-1);
      if (last !== undefined && PARTS.indexOf(part) <= PARTS.indexOf(last.part))
        throw new Error(`${part} is started before ${last.part}`);
      started.push({ part, stop });
    },
    async stopAll() {
      const failures: unknown[] = [];
      for (let step = started.pop(); step; step = started.pop()) {
        try {
          await step.stop();
        } catch (error) {
          failures.push(error);
          steps.log?.error('part of the panel not stopped', { part: step.part, error });
        }
      }
      if (failures.length > 0) throw failures[0];
    },
  };
  return steps;
}
