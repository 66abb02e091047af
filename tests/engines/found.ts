// What the suite's setup has found, for its tests.
import { inject } from 'vitest';
import type { EngineProgram } from '../support/engines.ts';

/** Why tests with these programs are skipped, to be named in their title; null: they run. */
export function whyWithout(...programs: readonly EngineProgram[]): string | null {
  const engines = inject('engines');
  for (const program of programs) {
    const engine = engines[program];
    if ('missing' in engine) return engine.missing;
  }
  return null;
}

/** The path of a program that is there. */
export function getProgramPath(program: EngineProgram): string {
  const engine = inject('engines')[program];
  if ('missing' in engine) throw new Error(engine.missing);
  return engine.path;
}
