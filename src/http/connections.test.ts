// How many connections one address may hold.
import { EventEmitter } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { watchConnections } from './connections.ts';

class FakeSocket extends EventEmitter {
  readonly remoteAddress: string;
  isDestroyed = false;
  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
  }
  destroy(): void {
    this.isDestroyed = true;
    this.emit('close');
  }
}

function open(count: number, address: string, server: EventEmitter): FakeSocket[] {
  return Array.from({ length: count }, () => {
    const socket = new FakeSocket(address);
    server.emit('connection', socket as unknown as Socket);
    return socket;
  });
}
const refused = (sockets: readonly FakeSocket[]) => sockets.filter(({ isDestroyed }) => isDestroyed).length;

describe('watchConnections', () => {
  it('refuses an address more than its share, until it gives some back', () => {
    const server = createServer();
    watchConnections(server, () => false);
    const sockets = open(260, '192.0.2.1', server);
    expect(refused(sockets)).toBe(4);
    expect(refused(open(1, '192.0.2.2', server))).toBe(0);
    sockets[0]?.destroy();
    expect(refused(open(2, '::ffff:192.0.2.1', server))).toBe(1);
  });

  it('does not bound loopback and proxies, which stand for many', () => {
    const server = createServer();
    watchConnections(server, (address) => address === '10.0.0.1');
    for (const address of ['127.0.0.1', '::1', '10.0.0.1']) expect(refused(open(300, address, server))).toBe(0);
  });

  it('cuts all that are open', () => {
    const server = createServer();
    const connections = watchConnections(server, () => false);
    const sockets = open(3, '192.0.2.1', server);
    connections.destroyAll();
    expect(refused(sockets)).toBe(3);
  });
});
