// Once for the suite: the scanner of TLS, systemd's own and a spreadsheet, installed where they are missing and that is possible.
import type { TestProject } from 'vitest/node';
import {
  ANALYZER_PROGRAMS,
  ensurePackages,
  SCANNER_PROGRAMS,
  SPREADSHEET_PROGRAMS,
} from '../../scripts/system-packages.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Why there is no scanner; null if there is one. */
    noScanner: string | null;
    /** Why there is no `systemd-analyze`; null if there is one. */
    noAnalyzer: string | null;
    /** Why there is no spreadsheet; null if there is one. */
    noSpreadsheet: string | null;
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
  const noSpreadsheet = await ensurePackages(SPREADSHEET_PROGRAMS);
  if (noSpreadsheet !== null) console.warn(`\n  !!! NOT TESTED: exported tables by LibreOffice: ${noSpreadsheet}\n`);
  project.provide('noSpreadsheet', noSpreadsheet);
}
