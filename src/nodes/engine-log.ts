// What an engine writes: a file (0600) that a program goes on writing to while panels come and go, and its last lines.
import { chmodSync, closeSync, fstatSync, mkdirSync, openSync, readSync, truncateSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** How many lines are shown. */
export const LOG_LINES = 200;
/** Lines are shown up to this length. */
const LINE_LENGTH = 1000;
const TAIL_BYTES = 256 * 1024;
const MAX_BYTES = 5 * 2 ** 20;

export interface EngineLog {
  /** A descriptor for the program to append to; the caller closes it. */
  open(): number;
  /** Its last lines, the oldest first. Empty where there is no file. */
  lines(): readonly string[];
  /** Bytes in it: `since` of a later call. */
  size(): number;
  /** What was written behind a size. */
  since(size: number): string;
  /** Leaves only the last lines of a file that has grown too long. The program writes at the end, wherever that is. */
  shorten(maxBytes?: number): void;
}

export function createEngineLog(path: string): EngineLog {
  function open(): number {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const descriptor = openSync(path, 'a', 0o600);
    chmodSync(path, 0o600);
    return descriptor;
  }

  function size(): number {
    return use('r', (descriptor) => fstatSync(descriptor).size) ?? 0;
  }

  function use<T>(flags: string, work: (descriptor: number) => T): T | null {
    let descriptor: number;
    try {
      descriptor = openSync(path, flags);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
    try {
      return work(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }

  /** At most so many bytes of its end, from `least` on. */
  function tail(bytes: number, least = 0): string {
    const read = use('r', (descriptor) => {
      const end = fstatSync(descriptor).size;
      const begin = Math.max(least, end - bytes);
      const buffer = Buffer.alloc(Math.max(0, end - begin));
      const count = readSync(descriptor, buffer, 0, buffer.length, begin);
      return buffer.toString('utf8', 0, count);
    });
    return read ?? '';
  }

  function lines(): readonly string[] {
    const all = tail(TAIL_BYTES).split('\n');
    const whole = size() > TAIL_BYTES ? all.slice(1) : all;
    return whole
      .map((line) => line.trimEnd())
      .filter((line) => line !== '')
      .slice(-LOG_LINES)
      .map((line) => line.slice(0, LINE_LENGTH));
  }

  return {
    open,
    lines,
    size,
    since: (begin) => tail(TAIL_BYTES, begin),
    shorten(maxBytes = MAX_BYTES) {
      if (size() <= maxBytes) return;
      const last = lines();
      truncateSync(path, 0);
      use('a', (descriptor) => writeSync(descriptor, last.map((line) => `${line}\n`).join('')));
    },
  };
}
