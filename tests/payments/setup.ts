// Once for the suite: Stripe's own stand-in for its API, built by go where it is not there yet.
import type { TestProject } from 'vitest/node';
import { ensureProviders, type FoundEngine, type ProviderProgram } from '../support/engines.ts';

declare module 'vitest' {
  interface ProvidedContext {
    providers: Readonly<Record<ProviderProgram, FoundEngine>>;
  }
}

export async function setup(project: TestProject): Promise<void> {
  const providers = await ensureProviders();
  for (const program of Object.values(providers)) {
    if ('path' in program) continue;
    const isStrict = process.env.CI === 'true' || process.env.CI === '1';
    if (isStrict && program.isFault) throw new Error(`Stripe is not tested: ${program.missing}`);
    console.warn(`\n  !!! NOT TESTED: Stripe ${program.missing}\n`);
  }
  project.provide('providers', providers);
}
