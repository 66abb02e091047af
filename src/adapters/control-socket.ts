// How the command line speaks to a running panel: a socket (or an owner-only named pipe) that takes a line of JSON and answers with one.
//
// Whoever may open it may manage the panel, so it lies in a folder of mode 0700 and is itself 0600. It knows the command line's own
// commands and nothing else; they are judged by the handler.
//
// → {"command": "key-list", "args": {}}
// ← {"result": …}   or   {"error": {"code": "wrong_password", "errors": […], "retryAfter": 3}}
import { chmodSync } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import type { ErrorCode, FieldError } from '../contract/errors.ts';
import { PanelError } from '../core/panel-error.ts';
import type { Log } from '../core/ports/ports.ts';
import { claimControlAddress, findControlAddress, releaseControlAddress } from './control-address.ts';
import { readLines } from './lines.ts';

/** Carries out one command. Throws PanelError for what is expected to fail. */
export type ControlHandler = (command: string, args: unknown) => Promise<unknown>;

export type ControlSocket = { close(): Promise<void> };

export type ControlClient = {
  /** Throws PanelError as the handler did, or `unavailable` when the panel went away meanwhile. */
  ask(command: string, args: unknown): Promise<unknown>;
  close(): void;
};

type Failure = { code: ErrorCode; errors?: readonly FieldError[]; retryAfter?: number };
type Answer = { result?: unknown; error?: Failure };

const LONGEST_REQUEST = 64 * 1024;
const MAX_CONNECTIONS = 8;
const IDLE_MS = 30_000;

/** Listens for the folder whose lock this process holds. Rejects with what the system says where it cannot. */
export async function openControlSocket(folder: string, handle: ControlHandler, log: Log): Promise<ControlSocket> {
  const address = claimControlAddress(folder);
  const idle = new Set<Socket>();
  let isClosing = false;

  const answer = async (line: string): Promise<Answer> => {
    try {
      const { command, args } = JSON.parse(line);
      return { result: (await handle(String(command), args)) ?? null };
    } catch (error) {
      if (error instanceof PanelError) return { error: failureOf(error) };
      if (error instanceof SyntaxError) return { error: { code: 'bad_json' } };
      log.error('control command failed', { error });
      return { error: { code: 'internal' } };
    }
  };

  const server = createServer((socket) => {
    idle.add(socket);
    // A command takes as long as it takes: only who asks for nothing is idle.
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

/** Connects to the panel that runs on a data folder; null: none does. */
export function connectControl(folder: string): Promise<ControlClient | null> {
  const socket = createConnection(findControlAddress(folder));
  return new Promise((resolve) => {
    socket.once('error', () => resolve(null));
    socket.once('connect', () => resolve(clientOn(socket)));
  });
}

function clientOn(socket: Socket): ControlClient {
  const waiting: { resolve(result: unknown): void; reject(error: PanelError): void }[] = [];
  const giveUp = () => {
    for (const { reject } of waiting.splice(0)) reject(new PanelError('unavailable'));
  };
  readLines(socket, Number.POSITIVE_INFINITY, async (line) => {
    const { result, error }: Answer = JSON.parse(line);
    const asked = waiting.shift();
    if (error) asked?.reject(new PanelError(error.code, error.errors, error.retryAfter));
    else asked?.resolve(result);
  });
  socket.on('error', giveUp);
  socket.on('close', giveUp);

  return {
    ask: (command, args) =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        if (socket.destroyed) giveUp();
        else socket.write(`${JSON.stringify({ command, args })}\n`);
      }),
    close: () => socket.destroy(),
  };
}

function failureOf({ code, errors, retryAfter }: PanelError): Failure {
  return { code, ...(errors ? { errors } : {}), ...(retryAfter === undefined ? {} : { retryAfter }) };
}
