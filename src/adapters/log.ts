// The panel's log behind the core's port: JSON lines by pino, with secrets removed.
import { pino, stdSerializers } from 'pino';
import type { Log } from '../core/ports/ports.ts';
import { openRotatedFile } from './rotated-file.ts';

export type PanelLog = Log & {
  /** From now on this text is written as `[hidden]`, anywhere in a line. */
  hide(secret: string): void;
  close(): void;
};

const HIDDEN = '[hidden]';
/** An API key anywhere in a text, also a truncated one. */
const API_KEY = /pnl_[0-9A-Za-z]{4,}/g;
const SECRET_FIELDS = ['password', 'token', 'key', 'value', 'secret', 'cookie', 'authorization', 'link', 'path', 'url'];
/** Shorter texts are not hidden: they are no secrets, and hiding them would garble the log. */
const SHORTEST_SECRET = 8;

/**
 * Opens the log: `stderr` for a service manager that stores it, or a file that is rotated at 5 MiB, five files in all.
 * Fields are hidden by their names, one level deep too; API keys and the texts given to `hide` are hidden anywhere in a line.
 */
export function openLog(target: 'stderr' | { readonly file: string }, write?: (line: string) => void): PanelLog {
  const file = target === 'stderr' || write ? null : openRotatedFile(target.file);
  const output = write ?? file?.write ?? ((line: string) => process.stderr.write(line));
  const secrets: string[] = [];
  const clean = (line: string) =>
    secrets.reduce((text, secret) => text.replaceAll(secret, HIDDEN), line.replace(API_KEY, `pnl_${HIDDEN}`));

  const logger = pino(
    {
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: SECRET_FIELDS.flatMap((name) => [name, `*.${name}`]), censor: HIDDEN },
      serializers: { error: stdSerializers.err, err: stdSerializers.err },
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line: string) => output(clean(line)) },
  );

  return {
    info: (event, fields = {}) => logger.info(fields, event),
    warn: (event, fields = {}) => logger.warn(fields, event),
    error: (event, fields = {}) => logger.error(fields, event),
    hide(secret) {
      if (secret.length >= SHORTEST_SECRET && !secrets.includes(secret)) secrets.push(secret);
    },
    close: () => file?.close(),
  };
}
