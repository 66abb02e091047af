// Stopping a panel: each started part adds its stop step, and the steps run in reverse order.
import type { Log } from '../core/ports/ports.ts';

/**
 * The parts of a panel in starting order; they stop in reverse, so that users of the store end before the store. docs/architecture.md describes each
 * step.
 */
export const PARTS = [
  'data folder',
  'log',
  'clock',
  'addresses',
  'writer thread',
  'import thread',
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
  /** Log for failed steps; null: no log yet. */
  log: Pick<Log, 'error'> | null;
  /** Must be called when the part was started. Throws if it is out of order. */
  add(part: PartName, stop: () => unknown): void;
  /** Runs all steps in sequence. A failed step does not stop the others; the first failure is thrown at the end. */
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
