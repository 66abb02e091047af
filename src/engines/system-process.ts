// Processes of this machine that the panel did not start: whether a process is still the same one, and which one occupies a port.
import { execFileSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { basename } from 'node:path';
import type { Transport } from '../domain/nodes/inbound-shape.ts';

/**
 * Distinguishes a running process from a later one with the same id: its start time. null: there is none, or the system does not tell
 * (Windows).
 */
export function readIdentity(pid: number): string | null {
  if (process.platform === 'linux') return linuxIdentity(pid);
  if (process.platform === 'win32') return null;
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe' }).trim() || null;
  } catch {
    return null;
  }
}

/**
 * proc(5): the command in parentheses may contain any characters; state is the 3rd field, the number of threads the 20th and the start time
 * the 22nd.
 */
function linuxIdentity(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, threads, startTime] = [fields[0], fields[17], fields[19]];
    // A zombie. If only its first thread has ended, the others still occupy its ports.
    const hasEnded = (state === 'Z' && Number(threads) <= 1) || state === 'X';
    if (hasEnded || startTime === undefined) return null;
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${startTime}`;
  } catch {
    return null;
  }
}

/** The process that listens on a port, as far as the system tells. */
export interface PortHolder {
  readonly pid: number | null;
  readonly name: string | null;
}

/** The process that listens on this port, on any address, with one of the transports; null: none. */
export async function findPortHolder(port: number, transports: readonly Transport[]): Promise<PortHolder | null> {
  if (process.platform === 'linux') return linuxHolder(port, transports);
  const free = await Promise.all(transports.map((transport) => IS_FREE[transport](port)));
  return free.every(Boolean) ? null : { pid: null, name: null };
}

/** Whether an engine could listen on this TCP port, on all addresses: it is free, and the account may use it. */
export function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

const IS_FREE: Readonly<Record<Transport, (port: number) => Promise<boolean>>> = { tcp: isFree, udp: isFreeOfUdp };

function isFreeOfUdp(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'EADDRINUSE'));
    socket.bind({ port, exclusive: true }, () => socket.close(() => resolve(true)));
  });
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'EADDRINUSE'));
    server.listen({ port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** The state of a listening socket; for UDP, of one that is not connected. */
const LISTENING: Readonly<Record<Transport, string>> = { tcp: '0A', udp: '07' };

function linuxHolder(port: number, transports: readonly Transport[]): PortHolder | null {
  const inodes = new Set(
    transports.flatMap((transport) =>
      [`/proc/net/${transport}`, `/proc/net/${transport}6`].flatMap((table) =>
        listeningInodes(table, port, LISTENING[transport]),
      ),
    ),
  );
  if (inodes.size === 0) return null;
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || !hasSocket(pid, inodes)) continue;
    return { pid, name: readProgramName(pid) };
  }
  // Another user's process: its files cannot be read.
  return { pid: null, name: null };
}

/** proc_pid_net(5): `sl local_address rem_address st … inode`; the port of an address is hexadecimal. */
function listeningInodes(table: string, port: number, state: string): readonly string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = readTextFile(table)
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  return rows
    .filter((fields) => fields[1]?.endsWith(suffix) && fields[3] === state)
    .flatMap((fields) => fields[9] ?? []);
}

function hasSocket(pid: number, inodes: ReadonlySet<string>): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => inodes.has(readSocketInode(`/proc/${pid}/fd/${fd}`)));
  } catch {
    return false;
  }
}

/** The file name of its program: `comm` may be the name of a thread. */
function readProgramName(pid: number): string | null {
  try {
    return basename(readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, ''));
  } catch {
    return null;
  }
}

function readSocketInode(link: string): string {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(link))?.[1] ?? '';
  } catch {
    return '';
  }
}

function readTextFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
