// Once for the suite: the real engines and clients. Building them takes minutes the first time, so it is done before any test.
import type { TestProject } from 'vitest/node';
import { ensureEngines, type FoundEngines } from '../support/engines.ts';

declare module 'vitest' {
  interface ProvidedContext {
    engines: FoundEngines;
  }
}

export async function setup(project: TestProject): Promise<void> {
  const engines = await ensureEngines();
  for (const engine of Object.values(engines)) {
    if ('path' in engine) continue;
    const isStrict = process.env.CI === 'true' || process.env.CI === '1';
    if (isStrict && engine.isFault) throw new Error(`Engines are not tested: ${engine.missing}`);
    console.warn(`\n  !!! NOT TESTED: ${engine.missing}\n`);
  }
  project.provide('engines', engines);
}
