// Before the shell's tests: the built preload, which they run.
import { ensureBuilt } from '../support/built.ts';

export async function setup(): Promise<void> {
  await ensureBuilt();
}
