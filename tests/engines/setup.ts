// Once for the suite: the real engines and clients. Building them takes minutes the first time, so it is done before any test.
import type { TestProject } from 'vitest/node';
import { ENGINE_PROGRAMS, type FoundEngines, requirePrograms } from '../support/engines.ts';

declare module 'vitest' {
  interface ProvidedContext {
    engines: FoundEngines;
  }
}

export async function setup(project: TestProject): Promise<void> {
  project.provide('engines', await requirePrograms('engines', ENGINE_PROGRAMS));
}
