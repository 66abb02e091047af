// Once for the suite: the scanner of TLS and systemd's own, installed where they are missing and that is possible.
import type { TestProject } from 'vitest/node';
import { ANALYZER_PROGRAMS, ensurePackages, SCANNER_PROGRAMS } from '../../scripts/system-packages.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Why there is no scanner; null if there is one. */
    noScanner: string | null;
    /** Why there is no `systemd-analyze`; null if there is one. */
    noAnalyzer: string | null;
  }
}

export async function setup(project: TestProject): Promise<void> {
  const reason = await ensurePackages(SCANNER_PROGRAMS);
  if (reason !== null) console.warn(`\n  !!! NOT TESTED: TLS by sslscan: ${reason}\n`);
  project.provide('noScanner', reason);
  const noAnalyzer = await ensurePackages(ANALYZER_PROGRAMS);
  if (noAnalyzer !== null)
    console.warn(`\n  !!! NOT TESTED: the service of a node by systemd-analyze: ${noAnalyzer}\n`);
  project.provide('noAnalyzer', noAnalyzer);
}
