// The document of this panel as a file that only its owner can read.
import { open, rm } from 'node:fs/promises';
import { describeSystemError } from '../adapters/refusal.ts';
import type { Core } from '../core/kernel/core.ts';
import { PanelError } from '../core/kernel/panel-error.ts';

/** Never overwrites a file, and leaves none if it fails. */
export async function writeExport(core: Core, target: string): Promise<{ users: number; bytes: number }> {
  const file = await open(target, 'wx', 0o600).catch((error: unknown) => {
    const message = `cannot be written: ${describeSystemError(error)}`;
    throw new PanelError('validation', [{ pointer: '#/target', code: 'invalid', message }]);
  });
  let isComplete = false;
  try {
    let bytes = 0;
    for await (const part of core.imports.exportDocument()) {
      await file.write(part);
      bytes += Buffer.byteLength(part);
    }
    await file.sync();
    isComplete = true;
    return { users: Object.values(core.figures().users).reduce((sum, count) => sum + count, 0), bytes };
  } finally {
    await file.close();
    if (!isComplete) await rm(target, { force: true });
  }
}
