// A log that a test can read: every line as text, as it would stand in the file.
import type { Log } from '../../src/core/ports/ports.ts';

export interface TestLog extends Log {
  readonly lines: readonly string[];
}

export function createTestLog(): TestLog {
  const lines: string[] = [];
  const at =
    (level: string): Log['info'] =>
    (event, fields = {}) =>
      void lines.push(JSON.stringify({ level, event, ...fields }));
  return { lines, info: at('info'), warn: at('warn'), error: at('error') };
}
