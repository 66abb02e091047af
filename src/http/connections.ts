// Connections: limits per network, handling of broken ones, and closing them so that the last reply arrives.
import type { Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { computeNetwork, computeWiderNetwork } from '../domain/client-network.ts';
import { createNetworkShares } from '../domain/network-shares.ts';
import { createRateLimiter, type RateRule } from '../domain/rate-limiter.ts';
import { createTrust, plainAddress } from './client-address.ts';

/** Maximum number of connections. */
const IN_ALL = 4096;
/**
 * Connections of one network without any successful request. A TLS handshake costs more than most requests, so connections beyond the limit are
 * refused before it. The burst allows eight browsers behind one address: one and six more connections each before the first reply, with a margin.
 */
const UNANSWERED: RateRule = { perMinute: 300, burst: 64 };
const UNANSWERED_AROUND: RateRule = { perMinute: 1200, burst: 256 };
/** How long a refused connection stays open, counted for its network, since clients reconnect at once after a close. */
const REFUSED_MS = 1000;

/** The network and the surrounding network of a connection. */
type Networks = readonly [string, string];

export interface Connections {
  /** Called for each successful request on a connection. `peer`: its socket, or the TLS socket on it. */
  markAnswered(peer: Pick<Socket, 'remoteAddress' | 'remotePort'>): void;
  /** Closes all connections except those for which `isSpared`. */
  destroyAll(isSpared?: (socket: Socket) => boolean): void;
}

/** `trustedProxies`: addresses and CIDR ranges that represent many clients, like this machine; null: none. `now`: monotonic ms. */
export function watchConnections(
  server: Server,
  trustedProxies: (() => readonly string[]) | null,
  now: () => number = () => performance.now(),
): Connections {
  const isTrusted = createTrust(trustedProxies ?? (() => []));
  const sockets = new Set<Socket>();
  const shares = createNetworkShares();
  const budgets = createRateLimiter<string>();
  /** Connections without a successful request, oldest first. */
  const unanswered = new Map<string, Socket>();
  /** The networks of all limited open connections. */
  const entered = new Map<string, Networks>();

  function trackSocket(socket: Socket, releaseShare: () => void = () => {}): void {
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      releaseShare();
    });
  }

  /** Takes one connection from both budgets. */
  function mayBegin([network, around]: Networks): boolean {
    if (!budgets.consumeRequest(network, UNANSWERED, now()).isAllowed) return false;
    return budgets.consumeRequest(around, UNANSWERED_AROUND, now()).isAllowed;
  }

  /** Closes the oldest connection without a successful request. False: none. */
  function makeRoom(): boolean {
    for (const socket of unanswered.values()) {
      socket.destroy();
      return true;
    }
    return false;
  }

  /** Whether a connection is accepted. */
  function enter(socket: Socket): boolean {
    if (sockets.size >= IN_ALL && !makeRoom()) {
      socket.destroy();
      return false;
    }
    const address = plainAddress(socket.remoteAddress);
    // A proxy on this machine represents many clients.
    const isBounded = !isLoopback(address) && !isTrusted(address);
    const releaseShare = isBounded || trustedProxies === null ? shares.acquireShare(address) : undefined;
    if (releaseShare === null) {
      socket.destroy();
      return false;
    }
    trackSocket(socket, releaseShare);
    const networks: Networks = [computeNetwork(address), computeWiderNetwork(address)];
    if (isBounded && !mayBegin(networks)) {
      refuse(socket);
      return false;
    }
    const peer = formatPeer(socket);
    unanswered.set(peer, socket);
    if (isBounded) entered.set(peer, networks);
    socket.once('close', () => {
      unanswered.delete(peer);
      entered.delete(peer);
    });
    return true;
  }

  // The server's own processing of a connection, such as the handshake, starts only after this.
  const connectionListeners = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    if (enter(socket)) for (const begin of connectionListeners) begin.call(server, socket);
  });
  return {
    markAnswered(socket) {
      const peer = formatPeer(socket);
      unanswered.delete(peer);
      // Each successful request returns one connection to the budget: a browser that does not trust the certificate opens one for almost every file.
      for (const network of entered.get(peer) ?? []) budgets.returnRequest(network);
    },
    destroyAll: (isSpared = () => false) => {
      for (const socket of sockets) if (!isSpared(socket)) socket.destroy();
    },
  };
}

function formatPeer({ remoteAddress, remotePort }: Pick<Socket, 'remoteAddress' | 'remotePort'>): string {
  return `${remoteAddress} ${remotePort}`;
}

/** The socket is not read; data stays in its buffers until it is closed. */
function refuse(socket: Socket): void {
  socket.on('error', () => socket.destroy());
  setTimeout(() => socket.destroy(), REFUSED_MS).unref();
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}

type BrokenHandler = (socket: Duplex) => void;

/** Handlers for parse errors on a connection whose request was already passed on. */
const handlers = new WeakMap<Duplex, BrokenHandler>();
const cut: BrokenHandler = (socket) => socket.destroy();
const ignore: BrokenHandler = (socket) => handlers.set(socket, ignore);

/** Runs `handler` once on a parse error of this connection, instead of the constant reply. */
export function onBroken(socket: Duplex, handler: () => void): void {
  handlers.set(socket, handler);
}

/** While a reply is being created, a broken connection can only be closed, since that reply comes first. */
export function cutIfBroken(socket: Duplex): void {
  handlers.set(socket, cut);
}

/** Called when the reply exists: undoes cutIfBroken, but no handler registered since. */
export function clearBrokenHandler(socket: Duplex): void {
  if (handlers.get(socket) === cut) handlers.delete(socket);
}

/** Runs the handler of a broken connection; false if there is none. */
export function handleBroken(socket: Duplex): boolean {
  const handler = handlers.get(socket);
  if (handler === undefined) return false;
  handlers.delete(socket);
  handler(socket);
  return true;
}

/** How long the rest of a refused request is discarded before the connection is closed. Closing with unread data would reset the TCP connection. */
const CLOSE_TIMEOUT_MS = 1000;
/** Maximum bytes discarded, since decrypting them costs CPU time and garbage collection. */
const DISCARDED_BYTES = 131_072;

/**
 * Must be called before the reply is sent: afterwards our side is closed, further data is discarded for a second, then the connection is destroyed.
 * Otherwise the server would close at once and the reply could be lost.
 */
export function closeGracefully(socket: Socket): void {
  socket.destroySoon = () => drainAndClose(socket);
  handlers.set(socket, ignore);
}

/** Closes our side now, and destroys the connection when the other side closes too, or after a second. */
export function drainAndClose(socket: Duplex): void {
  if (socket.destroyed) return;
  socket.on('error', () => socket.destroy());
  socket.end();
  let left = DISCARDED_BYTES;
  // Detaches the HTTP parser.
  socket.removeAllListeners('data');
  socket.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left <= 0) socket.pause();
  });
  socket.resume();
  setTimeout(() => socket.destroy(), CLOSE_TIMEOUT_MS).unref();
}
