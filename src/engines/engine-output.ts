// An engine's standard output and error go to the log through a named pipe, so that the reader bounds the log, however much the engine
// writes, and the engine outlives the panel.
//
// The engine has the pipe open for reading too: while no panel reads, the pipe fills, but the engine gets no SIGPIPE. Xray and v2ray drop
// lines that they cannot write. A panel reads at most `BURST_BYTES` a second, which bounds its work and the disk's.
import { type ChildProcess, spawnSync } from 'node:child_process';
import { constants, lstatSync, openSync, readSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Timers } from '../core/ports/ports.ts';
import type { EngineLog } from './engine-log.ts';

const BURST_BYTES = 2 ** 20;
const PAUSE_MS = 1000;
/** The capacity of a pipe. */
const PIPE_BYTES = 65_536;
/** Output since the start that is kept for error messages. */
const RECENT_BYTES = 65_536;

interface Parts {
  /** Path of the pipe. */
  readonly path: string;
  readonly log: EngineLog;
  readonly timers: Pick<Timers, 'after'>;
}

export interface EngineOutput {
  /** Opens the standard output and error for a program. The caller closes a descriptor once the program has it. */
  open(): number | 'pipe' | 'ignore';
  /** Reads the output of a program that this process or an earlier one started. */
  follow(child?: ChildProcess): void;
  /** The end of the output since `open`, including bytes still in the pipe. */
  recent(): string;
  close(): void;
}

export function createEngineOutput({ path, log, timers }: Parts): EngineOutput {
  let reading: { readonly descriptor: number; readonly socket: Socket } | null = null;
  let recent = Buffer.alloc(0);
  let left = BURST_BYTES;
  let endPause: (() => void) | null = null;

  function receiveOutput(part: Buffer): void {
    log.append(part);
    recent = Buffer.concat([recent, part]).subarray(-RECENT_BYTES);
    left -= part.length;
    if (left > 0 || reading === null || endPause !== null) return;
    reading.socket.pause();
    endPause = timers.after(PAUSE_MS, () => {
      endPause = null;
      left = BURST_BYTES;
      reading?.socket.resume();
    });
  }

  function read(): void {
    if (reading !== null || !isPipe(path)) return;
    try {
      // Opened for writing too: otherwise the reader would get an end of file when the writers are gone.
      const descriptor = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
      const socket = new Socket({ fd: descriptor, readable: true, writable: false });
      reading = { descriptor, socket };
      socket.on('error', () => {});
      // After that the descriptor may belong to another file.
      socket.on('close', () => {
        if (reading?.socket === socket) reading = null;
      });
      socket.on('data', receiveOutput);
      socket.unref();
    } catch {
      // The pipe belongs to another account; the engine continues without a log.
    }
  }

  /** Reads what is left in the pipe. */
  function drain(): void {
    if (reading === null) return;
    const buffer = Buffer.alloc(PIPE_BYTES);
    try {
      receiveOutput(buffer.subarray(0, readSync(reading.descriptor, buffer)));
    } catch {
      // The pipe is empty.
    }
  }

  return {
    open() {
      recent = Buffer.alloc(0);
      // On Windows a program continues when nobody reads its output.
      if (process.platform === 'win32') return 'pipe';
      if (!makePipe(path)) {
        log.append(Buffer.from(`no named pipe can be made at ${path}: what the engine says is not in this log\n`));
        return 'ignore';
      }
      read();
      return openSync(path, constants.O_RDWR);
    },
    follow(child) {
      for (const stream of [child?.stdout, child?.stderr]) {
        stream?.on('data', receiveOutput);
        stream?.on('error', () => {});
        if (stream instanceof Socket) stream.unref();
      }
      read();
    },
    recent() {
      drain();
      return recent.toString('utf8');
    },
    close() {
      endPause?.();
      endPause = null;
      left = BURST_BYTES;
      // A stream that has just been resumed may still emit buffered data.
      reading?.socket.off('data', receiveOutput).destroy();
      reading = null;
    },
  };
}

function isPipe(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFIFO() ?? false;
}

/** Node.js has no call for it. Some file systems have no pipes: then false. */
function makePipe(path: string): boolean {
  if (isPipe(path)) return true;
  rmSync(path, { force: true });
  return spawnSync('mkfifo', ['-m', '600', path], { stdio: 'ignore' }).status === 0;
}
