// The control socket, by which the command line talks to a running panel: each line of JSON is a request, each answer another line.
//
// Anyone who can open it can manage the panel, so it is in a folder of mode 0700 and is itself 0600 (on Windows an owner-only named
// pipe). It transports commands of the command line only; the handler validates them.
//
// → {"command": "key-list", "args": {}}
// ← {"result": …}   or   {"error": {"code": "wrong_password", "errors": […], "retryAfter": 3}}
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { ErrorCode, FieldError } from '../contract/errors.ts';
import { PanelError } from '../core/kernel/panel-error.ts';
import type { Log } from '../core/ports/ports.ts';
import { JsonRefusal, parseForeignJson } from '../domain/foreign-json.ts';
import { parseOwnJson } from '../domain/own-json.ts';

/** Runs one command. Throws PanelError for expected failures. */
export type ControlHandler = (command: string, args: unknown) => Promise<unknown>;

export type ControlSocket = { close(): Promise<void> };

export type ControlClient = {
  /** Throws the handler's PanelError, or `unavailable` when the panel went away meanwhile. */
  callPanel(command: string, args: unknown): Promise<unknown>;
  close(): void;
};

type Failure = { code: ErrorCode; errors?: readonly FieldError[]; retryAfter?: number };
type Answer = { result?: unknown; error?: Failure };

const LONGEST_REQUEST = 64 * 1024;
const BOUNDS = { bytes: LONGEST_REQUEST, values: 10_000, depth: 32 };
const MAX_CONNECTIONS = 8;
const IDLE_MS = 30_000;

/** Listens for commands on the data folder; this process must own its lock. Rejects with the system's error. */
export async function openControlSocket(folder: string, handle: ControlHandler, log: Log): Promise<ControlSocket> {
  const address = claimControlAddress(folder);
  const idle = new Set<Socket>();
  let isClosing = false;

  const answer = async (line: string): Promise<Answer> => {
    try {
      const { command, args } = parseForeignJson(line, BOUNDS) as {
        readonly command?: unknown;
        readonly args?: unknown;
      };
      return { result: (await handle(String(command), args)) ?? null };
    } catch (error) {
      if (error instanceof PanelError) return { error: toFailure(error) };
      if (error instanceof JsonRefusal) return { error: { code: 'bad_json' } };
      log.error('control command failed', { error });
      return { error: { code: 'internal' } };
    }
  };

  const server = createServer((socket) => {
    idle.add(socket);
    // A command may take long, so only a connection without one counts as idle.
    socket.setTimeout(IDLE_MS, () => idle.has(socket) && socket.destroy());
    socket.on('error', () => socket.destroy());
    socket.on('close', () => idle.delete(socket));
    readLines(socket, LONGEST_REQUEST, async (line) => {
      idle.delete(socket);
      const text = `${JSON.stringify(await answer(line))}\n`;
      if (isClosing) return void socket.end(text);
      socket.write(text);
      idle.add(socket);
    });
  });
  server.maxConnections = MAX_CONNECTIONS;

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, resolve);
  });
  server.on('error', (error) => log.error('control socket failed', { error }));
  if (process.platform !== 'win32') chmodSync(address, 0o600);

  return {
    close() {
      isClosing = true;
      for (const socket of idle) socket.destroy();
      return new Promise((resolve) =>
        server.close(() => {
          releaseControlAddress(folder);
          resolve();
        }),
      );
    },
  };
}

/** Connects to the panel that runs on a data folder; null: none runs. */
export function connectControl(folder: string): Promise<ControlClient | null> {
  const socket = createConnection(findControlAddress(folder));
  return new Promise((resolve) => {
    socket.once('error', () => resolve(null));
    socket.once('connect', () => resolve(clientOn(socket)));
  });
}

function clientOn(socket: Socket): ControlClient {
  const waiting: { resolve(result: unknown): void; reject(error: PanelError): void }[] = [];
  const failAll = () => {
    for (const { reject } of waiting.splice(0)) reject(new PanelError('unavailable'));
  };
  readLines(socket, Number.POSITIVE_INFINITY, async (line) => {
    const { result, error } = parseOwnJson<Answer>(line);
    const asked = waiting.shift();
    if (error) asked?.reject(new PanelError(error.code, error.errors, error.retryAfter));
    else asked?.resolve(result);
  });
  socket.on('error', failAll);
  socket.on('close', failAll);

  return {
    callPanel: (command, args) =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        if (socket.destroyed) failAll();
        else socket.write(`${JSON.stringify({ command, args })}\n`);
      }),
    close: () => socket.destroy(),
  };
}

function toFailure({ code, errors, retryAfter }: PanelError): Failure {
  return { code, ...(errors && { errors }), ...(retryAfter !== undefined && { retryAfter }) };
}

const SOCKET = 'control.sock';
const NOTE = 'control.address';
/** sun_path holds 108 bytes on Linux and 104 on macOS, the closing zero included (unix(7), unix(4)). */
const LONGEST_PATH = 103;
const TEMP_PREFIX = 'gatehouse-';

type AddressOptions = { readonly platform?: NodeJS.Platform; readonly temp?: string };

/**
 * The address to listen on: a socket in the data folder. A killed panel's socket is removed. Only the owner of the folder's lock may call
 * this. On Windows it is a named pipe, and if the folder's path is too long for a socket it is in a new 0700 temporary folder: both have
 * random names, so that no other user can create them first, and are recorded in the data folder.
 */
export function claimControlAddress(
  folder: string,
  { platform = process.platform, temp = tmpdir() }: AddressOptions = {},
): string {
  releaseControlAddress(folder);
  const inside = join(folder, SOCKET);
  if (platform !== 'win32' && Buffer.byteLength(inside) <= LONGEST_PATH) return inside;
  const address =
    platform === 'win32'
      ? `\\\\.\\pipe\\gatehouse-${randomBytes(16).toString('hex')}`
      : join(mkdtempSync(join(temp, TEMP_PREFIX)), SOCKET);
  writeFileSync(join(folder, NOTE), address, { mode: 0o600 });
  return address;
}

/** The address of a panel that owns the folder. */
export function findControlAddress(folder: string): string {
  return readSavedAddress(folder) ?? join(folder, SOCKET);
}

/** Removes the socket and the file that records its address. */
export function releaseControlAddress(folder: string): void {
  const savedAddress = readSavedAddress(folder);
  rmSync(join(folder, SOCKET), { force: true });
  rmSync(join(folder, NOTE), { force: true });
  if (
    savedAddress === null ||
    basename(savedAddress) !== SOCKET ||
    !basename(dirname(savedAddress)).startsWith(TEMP_PREFIX)
  )
    return;
  try {
    rmSync(savedAddress, { force: true });
    rmdirSync(dirname(savedAddress));
  } catch {
    // The temporary folder is already gone, or contains other files by now.
  }
}

function readSavedAddress(folder: string): string | null {
  try {
    return readFileSync(join(folder, NOTE), 'utf8').trim() || null;
  } catch {
    return null;
  }
}

/**
 * Calls `handle` for each complete line of UTF-8, without its line feed, one at a time. A line of more than `longest` bytes ends the
 * connection; so does a handler that rejects.
 */
function readLines(socket: Socket, longest: number, handle: (line: string) => Promise<void>): void {
  let pending: Buffer[] = [];
  let size = 0;
  let queue = Promise.resolve();

  const receiveChunk = (chunk: Buffer) => {
    pending.push(chunk);
    size += chunk.length;
    if (size > longest) socket.destroy();
  };

  socket.on('data', (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0 && !socket.destroyed; end = chunk.indexOf(10, start)) {
      receiveChunk(chunk.subarray(start, end));
      start = end + 1;
      const line = Buffer.concat(pending).toString('utf8');
      pending = [];
      size = 0;
      queue = queue.then(() => handle(line)).catch(() => void socket.destroy());
    }
    if (start < chunk.length) receiveChunk(chunk.subarray(start));
  });
}
