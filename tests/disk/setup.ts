// Once for the suite: the program that watches what another one asks of the system, installed where it is missing and that is possible.
import { execFileSync } from 'node:child_process';
import type { TestProject } from 'vitest/node';
import { ensurePackages, TRACING_PROGRAMS } from '../../scripts/system-packages.ts';
import { sweepDisks } from './small-disk.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Why no system calls can be watched; null if they can. */
    noTracing: string | null;
  }
}

export async function setup(project: TestProject): Promise<void> {
  if (process.platform === 'linux') sweepDisks();
  const reason = await whyNoTracing();
  if (reason !== null) {
    if (process.env.CI === 'true' || process.env.CI === '1')
      throw new Error(`That writes are synced is not tested: ${reason}`);
    console.warn(`\n  !!! THAT WRITES ARE SYNCED IS NOT TESTED: ${reason}\n`);
  }
  project.provide('noTracing', reason);
}

async function whyNoTracing(): Promise<string | null> {
  if (process.platform !== 'linux') return 'system calls are watched on Linux only';
  const missing = await ensurePackages(TRACING_PROGRAMS);
  if (missing !== null) return missing;
  try {
    execFileSync('strace', ['-f', '--seccomp-bpf', '-e', 'trace=fsync', '-o', '/dev/null', 'true'], { stdio: 'pipe' });
    return null;
  } catch (error) {
    return `the kernel does not permit tracing: ${error instanceof Error ? error.message.trim() : error}`;
  }
}
