// The log of an engine: a file (0600) of bounded size, whose last lines can be read.
import { chmodSync, closeSync, fstatSync, ftruncateSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** Lines that are shown. */
export const LOG_LINES = 200;
/** Longer lines are cut off. */
const LINE_LENGTH = 1000;
const TAIL_BYTES = 256 * 1024;
const MAX_BYTES = 5 * 2 ** 20;

export interface EngineLog {
  /** Appends output; if the file would grow beyond its size, only its last lines remain. On a full disk the output is lost. */
  append(part: Buffer): void;
  /** The last lines, the oldest first. Empty if there is no file. */
  lines(): readonly string[];
}

export function createEngineLog(path: string, maxBytes = MAX_BYTES): EngineLog {
  function use<T>(flags: string, work: (descriptor: number) => T): T {
    const descriptor = openSync(path, flags, 0o600);
    try {
      return work(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }

  function read(): readonly string[] {
    return use('r', (descriptor) => {
      const { size } = fstatSync(descriptor);
      const buffer = Buffer.alloc(Math.min(size, TAIL_BYTES));
      const count = readSync(descriptor, buffer, 0, buffer.length, size - buffer.length);
      const all = buffer.toString('utf8', 0, count).split('\n');
      const whole = size > TAIL_BYTES ? all.slice(1) : all;
      return whole
        .map((line) => line.trimEnd())
        .filter((line) => line !== '')
        .slice(-LOG_LINES)
        .map((line) => line.slice(0, LINE_LENGTH));
    });
  }

  function write(part: Buffer): void {
    use('a', (descriptor) => {
      const { size } = fstatSync(descriptor);
      if (size === 0) chmodSync(path, 0o600);
      if (size + part.length > maxBytes) {
        const last = read();
        ftruncateSync(descriptor, 0);
        writeSync(descriptor, last.map((line) => `${line}\n`).join(''));
      }
      writeSync(descriptor, part);
    });
  }

  return {
    append(part) {
      try {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
        write(part);
      } catch {
        // A failed write must not stop the engine.
      }
    },
    lines() {
      try {
        return read();
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
        throw error;
      }
    },
  };
}
