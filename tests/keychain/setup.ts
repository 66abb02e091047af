// Once for the suite: the programs of a real keychain, installed where they are missing and that is possible.
import type { TestProject } from 'vitest/node';
import { ensurePackages, KEYCHAIN_PROGRAMS } from '../../scripts/system-packages.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Why there is no keychain to test with; null if there is one. */
    noKeychain: string | null;
  }
}

export async function setup(project: TestProject): Promise<void> {
  const reason = await ensurePackages(KEYCHAIN_PROGRAMS);
  if (reason !== null) {
    if (process.env.CI === 'true' || process.env.CI === '1') throw new Error(`The keychain is not tested: ${reason}`);
    console.warn(`\n  !!! THE KEYCHAIN IS NOT TESTED: ${reason}\n`);
  }
  project.provide('noKeychain', reason);
}
