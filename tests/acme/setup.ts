// Once for the suite: a certificate authority for tests.
import type { TestProject } from 'vitest/node';
import { AUTHORITY_PROGRAMS, type AuthorityProgram, type FoundEngine, requirePrograms } from '../support/engines.ts';

declare module 'vitest' {
  interface ProvidedContext {
    authority: Readonly<Record<AuthorityProgram, FoundEngine>>;
  }
}

export async function setup(project: TestProject): Promise<void> {
  project.provide('authority', await requirePrograms('ACME', AUTHORITY_PROGRAMS));
}
