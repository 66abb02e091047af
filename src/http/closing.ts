// Ends connections so that the last reply arrives: closed with unread bytes, TCP would reset and the reply be lost.
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ignoreBroken } from './broken.ts';

/** How long the rest of a request that was refused is thrown away before the connection is cut. */
const LINGER_MS = 1000;

/**
 * To be called before the reply is sent: once it is, our side ends, what still comes is thrown away for a second, then the
 * connection is cut, and none of it is answered. Without it the server would cut it at once.
 */
export function endGently(socket: Socket): void {
  socket.destroySoon = () => linger(socket);
  ignoreBroken(socket);
}

/** Ends our side now and cuts the connection when the other side ends too, or after a second. */
export function linger(socket: Duplex): void {
  if (socket.destroyed) return;
  socket.on('error', () => socket.destroy());
  socket.end();
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
