// What an engine writes to its standard output and error, and how it comes into the log: through a named pipe, so that the log is bounded by whoever
// writes it, however much the engine says, and the engine outlives the panel.
//
// The engine has the pipe open for reading too. While no panel reads, the pipe fills and no signal ends the engine: Xray and v2ray drop the lines that
// they cannot write. A panel reads at most `BURST_BYTES` a second, which bounds its work and that of the disk.
import { type ChildProcess, spawnSync } from 'node:child_process';
import { constants, lstatSync, openSync, readSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Timers } from '../core/ports/ports.ts';
import type { EngineLog } from './engine-log.ts';

const BURST_BYTES = 2 ** 20;
const PAUSE_MS = 1000;
/** As much as a pipe holds. */
const PIPE_BYTES = 65_536;
/** Of what an engine has said since it was started. */
const RECENT_BYTES = 65_536;

interface Parts {
  /** Of the pipe. */
  readonly path: string;
  readonly log: EngineLog;
  readonly timers: Pick<Timers, 'after'>;
}

export interface EngineOutput {
  /** What a program is to have as its standard output and error. A descriptor is closed by the caller once the program has it. */
  open(): number | 'pipe' | 'ignore';
  /** Reads what a program writes that was started with it, by this process or by an earlier one. */
  follow(child?: ChildProcess): void;
  /** The last of what was written since it was opened, also what is on its way. */
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
      // Also for writing: a pipe whose writers have gone would end.
      const descriptor = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
      const socket = new Socket({ fd: descriptor, readable: true, writable: false });
      reading = { descriptor, socket };
      socket.on('error', () => {});
      // Its descriptor may be another file's from then on.
      socket.on('close', () => {
        if (reading?.socket === socket) reading = null;
      });
      socket.on('data', receiveOutput);
      socket.unref();
    } catch {
      // Another account's; the engine goes on without a log.
    }
  }

  /** What is in the pipe. */
  function drain(): void {
    if (reading === null) return;
    const buffer = Buffer.alloc(PIPE_BYTES);
    try {
      receiveOutput(buffer.subarray(0, readSync(reading.descriptor, buffer)));
    } catch {
      // There is nothing.
    }
  }

  return {
    open() {
      recent = Buffer.alloc(0);
      // There a program goes on where its output ends.
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
      // A stream that was resumed just before may still emit what it has buffered.
      reading?.socket.off('data', receiveOutput).destroy();
      reading = null;
    },
  };
}

function isPipe(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFIFO() ?? false;
}

/** Node.js has no call for it. Some file systems have no pipes. */
function makePipe(path: string): boolean {
  if (isPipe(path)) return true;
  rmSync(path, { force: true });
  return spawnSync('mkfifo', ['-m', '600', path], { stdio: 'ignore' }).status === 0;
}
