// Detects how the last run of the application ended: a mark file exists while it runs, and a failed run leaves a report.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseOwnJson } from '../domain/own-json.ts';

/** A run that did not end properly. */
export interface BadEnd {
  /** RFC 3339: when it failed, or without a report when it started. */
  readonly at: string;
  /** The first line of the error; null: no report, for example because it was killed, Chromium gave up, or the power failed. */
  readonly message: string | null;
}

export interface RunRecord {
  /** Reads and deletes what the last run left; null: it ended properly. To be called before `start`. */
  consumeLastRun(): BadEnd | null;
  /** The application runs from now on. */
  start(): void;
  /** It ends properly. */
  end(): void;
  /** It ends by an error. Never throws. */
  fail(error: unknown): void;
}

const MESSAGE_LENGTH = 300;
const STACK_LENGTH = 10_000;

/** `folder`: where the application has its own files. All of it is synchronous, because the process may be about to end. */
export function openRunRecord(folder: string, now: () => number): RunRecord {
  const mark = join(folder, 'running.json');
  const report = join(folder, 'crash.json');
  const at = () => new Date(now()).toISOString();

  /** Failures are ignored: the likely one is a full disk. */
  const write = (path: string, content: object) => {
    try {
      mkdirSync(folder, { recursive: true });
      writeFileSync(path, JSON.stringify(content), { mode: 0o600 });
    } catch {}
  };
  const remove = (path: string) => {
    try {
      rmSync(path, { force: true });
    } catch {}
  };
  const readAndRemove = (path: string): { readonly at?: unknown; readonly message?: unknown } | null => {
    try {
      return parseOwnJson(readFileSync(path, 'utf8'));
    } catch {
      return null;
    } finally {
      remove(path);
    }
  };

  return {
    consumeLastRun() {
      const failed = readAndRemove(report);
      const killed = readAndRemove(mark);
      if (failed !== null) return { at: String(failed.at), message: String(failed.message) };
      return killed && { at: String(killed.at), message: null };
    },
    start: () => write(mark, { at: at() }),
    end: () => remove(mark),
    fail(error) {
      const text = error instanceof Error ? error.message : String(error);
      const message = text.split('\n')[0]?.slice(0, MESSAGE_LENGTH) ?? '';
      const stack = error instanceof Error ? (error.stack?.slice(0, STACK_LENGTH) ?? null) : null;
      write(report, { at: at(), message, stack });
      remove(mark);
    },
  };
}
