// What to do when the parser gives up on a connection whose request has already been passed to a door.
import type { Duplex } from 'node:stream';

const handlers = new WeakMap<Duplex, () => void>();

/** From now on `handler` answers for a broken request on this connection, instead of the constant reply. */
export function onBroken(socket: Duplex, handler: () => void): void {
  handlers.set(socket, handler);
}

export function forgetBroken(socket: Duplex): void {
  handlers.delete(socket);
}

/** From now on what is broken on this connection gets no reply: its last one is on its way. */
export function ignoreBroken(socket: Duplex): void {
  handlers.set(socket, () => ignoreBroken(socket));
}

/** Hands the broken connection to whoever answers for it; false if nobody does. */
export function handleBroken(socket: Duplex): boolean {
  const handler = handlers.get(socket);
  if (handler === undefined) return false;
  handlers.delete(socket);
  handler();
  return true;
}
