// Once for the suite: a certificate authority for tests, built by go where it is not there yet.
import type { TestProject } from 'vitest/node';
import { type AuthorityProgram, ensureAuthority, type FoundEngine } from '../support/engines.ts';

declare module 'vitest' {
  interface ProvidedContext {
    authority: Readonly<Record<AuthorityProgram, FoundEngine>>;
  }
}

export async function setup(project: TestProject): Promise<void> {
  const authority = await ensureAuthority();
  for (const program of Object.values(authority)) {
    if ('path' in program) continue;
    const isStrict = process.env.CI === 'true' || process.env.CI === '1';
    if (isStrict && program.isFault) throw new Error(`ACME is not tested: ${program.missing}`);
    console.warn(`\n  !!! NOT TESTED: ACME ${program.missing}\n`);
  }
  project.provide('authority', authority);
}
