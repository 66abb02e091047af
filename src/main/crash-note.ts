// Remembers over the end of the process that it did not end well, for the next start to say.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

export interface CrashNote {
  /** RFC 3339. */
  readonly at: string;
  /** What was thrown, in one line; the log has the rest. */
  readonly message: string;
}

/** Written at once, since the process is about to end. Never throws. */
export function leaveCrashNote(path: string, error: unknown, at: string): void {
  const message = (error instanceof Error ? error.message : String(error)).split('\n')[0]?.slice(0, 300) ?? '';
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify({ at, message } satisfies CrashNote), { mode: 0o600 });
  } catch {
    // The log has it.
  }
}

/** The note of the run before, which is gone with this; null where that ended well. */
export function takeCrashNote(path: string): CrashNote | null {
  try {
    const { at, message } = JSON.parse(readFileSync(path, 'utf8')) as Partial<CrashNote>;
    rmSync(path);
    return { at: String(at), message: String(message) };
  } catch {
    return null;
  }
}
