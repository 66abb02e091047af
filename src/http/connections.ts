// Connections: how many one network may hold and open, what a broken one gets, and how they end so that the last reply arrives.
import type { Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { computeNetwork, computeWiderNetwork } from '../domain/client-network.ts';
import { createNetworkShares } from '../domain/network-shares.ts';
import { createRateLimiter, type RateRule } from '../domain/rate-limiter.ts';
import { createTrust, plainAddress } from './client-address.ts';

/** Connections altogether. */
const IN_ALL = 4096;
/**
 * Connections of one network that lead to nothing: no request on them was answered with what was asked for. A handshake costs more than
 * most requests, so those beyond it are refused before theirs. The burst is what eight browsers behind one address open before the first of
 * them has a reply, one and six more each, and some more.
 */
const UNANSWERED: RateRule = { perMinute: 300, burst: 64 };
const UNANSWERED_AROUND: RateRule = { perMinute: 1200, burst: 256 };
/** How long such a refused connection stays open, among those of its network: cut at once, it would be opened again at once. */
const REFUSED_MS = 1000;

/** Of one connection: the network that is one caller, and that around it. */
type Networks = readonly [string, string];

export interface Connections {
  /** A request on this connection was answered with what was asked for; called for each. `peer`: it, or the TLS on it. */
  markAnswered(peer: Pick<Socket, 'remoteAddress' | 'remotePort'>): void;
  /** Cuts all that are open, but those for which `isSpared`. */
  destroyAll(isSpared?: (socket: Socket) => boolean): void;
}

/**
 * `trustedProxies`: addresses and CIDR ranges that stand for many clients, as this machine does; null: none does. `now`: milliseconds that only go up.
 */
export function watchConnections(
  server: Server,
  trustedProxies: (() => readonly string[]) | null,
  now: () => number = () => performance.now(),
): Connections {
  const isTrusted = createTrust(trustedProxies ?? (() => []));
  const sockets = new Set<Socket>();
  const shares = createNetworkShares();
  const budgets = createRateLimiter<string>();
  /** Connections that have led to nothing yet, the oldest first. */
  const unanswered = new Map<string, Socket>();
  /** The budgets of all that are open and bounded. */
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

  /** Ends the connection that has led to nothing for the longest time. False: there is none. */
  function makeRoom(): boolean {
    for (const socket of unanswered.values()) {
      socket.destroy();
      return true;
    }
    return false;
  }

  /** Whether the server may begin with a connection. */
  function enter(socket: Socket): boolean {
    if (sockets.size >= IN_ALL && !makeRoom()) {
      socket.destroy();
      return false;
    }
    const address = plainAddress(socket.remoteAddress);
    // A proxy on this machine stands for many clients.
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

  // What the server itself does with a connection, as a handshake, begins only after this.
  const connectionListeners = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    if (enter(socket)) for (const begin of connectionListeners) begin.call(server, socket);
  });
  return {
    markAnswered(socket) {
      const peer = formatPeer(socket);
      unanswered.delete(peer);
      // Each answered request pays for a connection: a browser that does not trust the certificate drops one for nearly each file.
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

/** It is not read; what arrives stays in its buffers until it is cut. */
function refuse(socket: Socket): void {
  socket.on('error', () => socket.destroy());
  setTimeout(() => socket.destroy(), REFUSED_MS).unref();
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}

type BrokenHandler = (socket: Duplex) => void;

/** What happens when the parser gives up on a connection whose request was already passed on. */
const handlers = new WeakMap<Duplex, BrokenHandler>();
const cut: BrokenHandler = (socket) => socket.destroy();
const ignore: BrokenHandler = (socket) => handlers.set(socket, ignore);

/** From now on `handler` runs, once, when the parser gives up on this connection, instead of the constant reply. */
export function onBroken(socket: Duplex, handler: () => void): void {
  handlers.set(socket, handler);
}

/** While a reply is being made a connection that breaks can only be cut: that reply has its turn first. */
export function cutIfBroken(socket: Duplex): void {
  handlers.set(socket, cut);
}

/** The reply is there: ends cutIfBroken, and nothing else that was registered since. */
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

/** How long the rest of a refused request is discarded before the connection is cut. Closed with unread bytes, TCP would reset it. */
const CLOSE_TIMEOUT_MS = 1000;
/** How much of it is read at most: what is deciphered and thrown away is work, and garbage that stops the thread when it is collected. */
const DISCARDED_BYTES = 131_072;

/**
 * To be called before the reply is sent: after it our side ends, what still arrives is discarded for a second, then the
 * connection is cut. Without it the server would cut it at once and the reply could be lost.
 */
export function closeGracefully(socket: Socket): void {
  socket.destroySoon = () => drainAndClose(socket);
  handlers.set(socket, ignore);
}

/** Ends our side now and cuts the connection when the other side ends too, or after a second. */
export function drainAndClose(socket: Duplex): void {
  if (socket.destroyed) return;
  socket.on('error', () => socket.destroy());
  socket.end();
  let left = DISCARDED_BYTES;
  // No parser needs it any more.
  socket.removeAllListeners('data');
  socket.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left <= 0) socket.pause();
  });
  socket.resume();
  setTimeout(() => socket.destroy(), CLOSE_TIMEOUT_MS).unref();
}
