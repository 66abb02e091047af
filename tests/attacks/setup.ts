// Once for the suite: the scanner of TLS, installed where it is missing and that is possible.
import type { TestProject } from 'vitest/node';
import { ensurePackages, SCANNER_PROGRAMS } from '../../scripts/system-packages.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Why there is no scanner; null if there is one. */
    noScanner: string | null;
  }
}

export async function setup(project: TestProject): Promise<void> {
  const reason = await ensurePackages(SCANNER_PROGRAMS);
  if (reason !== null) console.warn(`\n  !!! NOT TESTED: TLS by sslscan: ${reason}\n`);
  project.provide('noScanner', reason);
}
