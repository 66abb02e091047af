// Keeps count of connections: how many one address may hold, and which are to be cut when the server stops.
import type { Server, Socket } from 'node:net';
import { plainAddress } from './client-address.ts';

/** Connections that one address may hold; a proxy on this machine stands for many, so loopback has no bound of its own. */
const PER_ADDRESS = 256;
/** Connections altogether. */
const IN_ALL = 4096;

export interface Connections {
  /** Cuts all that are open. */
  destroyAll(): void;
}

export function watchConnections(server: Server, isUnbounded: (address: string) => boolean): Connections {
  const sockets = new Set<Socket>();
  const counts = new Map<string, number>();
  server.maxConnections = IN_ALL;
  server.on('connection', (socket: Socket) => {
    const address = plainAddress(socket.remoteAddress);
    const count = counts.get(address) ?? 0;
    if (count >= PER_ADDRESS && !isLoopback(address) && !isUnbounded(address)) {
      socket.destroy();
      return;
    }
    sockets.add(socket);
    counts.set(address, count + 1);
    socket.once('close', () => {
      sockets.delete(socket);
      const left = (counts.get(address) ?? 1) - 1;
      if (left > 0) counts.set(address, left);
      else counts.delete(address);
    });
  });
  return {
    destroyAll: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}
