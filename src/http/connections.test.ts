// How many connections one network may hold.
import { EventEmitter } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { type Connections, watchConnections } from './connections.ts';

let lastPort = 0;

class FakeSocket extends EventEmitter {
  readonly remoteAddress: string;
  readonly remotePort = ++lastPort;
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

/** `connections`: where each is noted as one on which something was answered. */
function open(count: number, address: string, server: EventEmitter, connections?: Connections): FakeSocket[] {
  return Array.from({ length: count }, () => {
    const socket = new FakeSocket(address);
    server.emit('connection', socket as unknown as Socket);
    connections?.noteAnswered(socket);
    return socket;
  });
}
const refused = (sockets: readonly FakeSocket[]) => sockets.filter(({ isDestroyed }) => isDestroyed).length;

describe('watchConnections', () => {
  it('refuses an address more than its share, until it gives some back', () => {
    const server = createServer();
    const connections = watchConnections(server, () => []);
    const sockets = open(260, '192.0.2.1', server, connections);
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
    const connections = watchConnections(server, () => []);
    const address = (index: number) => `2001:db8:1:2::${index + 1}`;
    const sockets = Array.from({ length: 80 }, (_, index) => open(4, address(index), server, connections)).flat();
    expect([sockets.length, refused(sockets)]).toEqual([320, 64]);
    expect(refused(open(1, '2001:db8:1:3::1', server))).toBe(0);
  });

  it('refuses a network whose connections lead to nothing, before the server does anything with them', () => {
    const begun: unknown[] = [];
    let now = 0;
    const server = createServer((socket) => begun.push(socket));
    const connections = watchConnections(
      server,
      () => ['10.0.0.1'],
      () => now,
    );
    /** Opens and closes so many, one after the other; how many of them were refused. */
    const visit = (count: number, address: string, isAnswered = false) => {
      let times = 0;
      for (let index = 0; index < count; index += 1) {
        const [socket] = open(1, address, server);
        if (socket?.isDestroyed) times += 1;
        // Noted twice, it counts once.
        if (socket && isAnswered) for (const _ of [1, 2]) connections.noteAnswered(socket);
        if (!socket?.isDestroyed) socket?.destroy();
      }
      return times;
    };
    expect(visit(150, '192.0.2.1')).toBe(50);
    expect(begun).toHaveLength(100);
    expect(visit(1, '192.0.2.2')).toBe(0);
    for (const address of ['127.0.0.1', '10.0.0.1']) expect(visit(300, address)).toBe(0);
    // Ten a second come back.
    now += 1000;
    expect(visit(15, '192.0.2.1')).toBe(5);

    expect(visit(500, '192.0.2.3', true)).toBe(0);
    expect(visit(150, '192.0.2.3')).toBe(50);
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
