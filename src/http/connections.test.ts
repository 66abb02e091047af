// How many connections one network may hold.
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
    watchConnections(server, () => []);
    const sockets = open(260, '192.0.2.1', server);
    expect(refused(sockets)).toBe(4);
    expect(refused(open(1, '192.0.2.2', server))).toBe(0);
    sockets[0]?.destroy();
    expect(refused(open(2, '::ffff:192.0.2.1', server))).toBe(1);
  });

  it('does not bound loopback and proxies, which stand for many', () => {
    const server = createServer();
    watchConnections(server, () => ['10.0.0.1', '10.9.0.0/16', '2001:db8::/32']);
    for (const address of ['127.0.0.1', '::1', '10.0.0.1', '10.9.8.7', '::ffff:10.9.8.7', '2001:db8:1::1'])
      expect(refused(open(300, address, server))).toBe(0);
  });

  it('takes all addresses of an IPv6 /64 as one', () => {
    const server = createServer();
    watchConnections(server, () => []);
    const sockets = Array.from({ length: 80 }, (_, index) => open(4, `2001:db8:1:2::${index + 1}`, server)).flat();
    expect([sockets.length, refused(sockets)]).toEqual([320, 64]);
    expect(refused(open(1, '2001:db8:1:3::1', server))).toBe(0);
  });

  it('cuts all that are open, but those that are spared', () => {
    const server = createServer();
    const connections = watchConnections(server, () => []);
    const sockets = open(3, '192.0.2.1', server);
    connections.destroyAll((socket) => Object.is(socket, sockets[0]));
    expect(refused(sockets)).toBe(2);
    connections.destroyAll();
    expect(refused(sockets)).toBe(3);
  });
});
