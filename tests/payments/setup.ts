// Once for the suite: Stripe's own stand-in for its API.
import type { TestProject } from 'vitest/node';
import { type FoundEngine, PROVIDER_PROGRAMS, type ProviderProgram, requirePrograms } from '../support/engines.ts';

declare module 'vitest' {
  interface ProvidedContext {
    providers: Readonly<Record<ProviderProgram, FoundEngine>>;
  }
}

export async function setup(project: TestProject): Promise<void> {
  project.provide('providers', await requirePrograms('Stripe', PROVIDER_PROGRAMS));
}
