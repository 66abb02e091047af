// How many connections one network may have, and how a refused one ends.
import { EventEmitter, once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Connections, closeGracefully, watchConnections } from './connections.ts';

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

/** Opens connections; `connections`: each is marked as answered there. */
function open(count: number, address: string, server: EventEmitter, connections?: Connections): FakeSocket[] {
  return Array.from({ length: count }, () => {
    const socket = new FakeSocket(address);
    server.emit('connection', socket as unknown as Socket);
    connections?.markAnswered(socket);
    return socket;
  });
}
afterEach(() => {
  vi.useRealTimers();
});
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

  it.each([
    ['an IPv6 /48', (index: number) => `2001:db8:1:${index.toString(16)}::1`, '2001:db8:2::1'],
    ['an IPv4 /24', (index: number) => `192.0.2.${index}`, '192.0.3.1'],
  ])('leaves three quarters of all to others than %s, however many networks are in it', (_, address, other) => {
    const server = createServer();
    const connections = watchConnections(server, () => []);
    const sockets = Array.from({ length: 5 }, (_, index) => open(250, address(index), server, connections)).flat();
    expect([sockets.length, refused(sockets)]).toEqual([1250, 226]);
    expect(refused(open(1, other, server))).toBe(0);
    sockets[0]?.destroy();
    expect(refused(open(2, address(9), server))).toBe(1);
  });

  it('ends the connection that has led to nothing for the longest time where there are as many as it holds', () => {
    const server = createServer();
    const connections = watchConnections(server, () => ['10.0.0.1']);
    const [first] = open(1, '10.0.0.1', server, connections);
    const silent = open(4095, '10.0.0.1', server);
    const [panel] = open(1, '192.0.2.1', server, connections);
    expect([first, silent[0], silent[1], panel].map((socket) => socket?.isDestroyed)).toEqual([
      false,
      true,
      false,
      false,
    ]);
    // If all connections were answered, a further one is refused.
    for (const socket of silent) connections.markAnswered(socket);
    expect(open(1, '192.0.2.2', server)[0]?.isDestroyed).toBe(true);
    expect(refused(silent)).toBe(1);
  });

  it('bounds the connections that lead to nothing by the network around them too', () => {
    const begun: unknown[] = [];
    const server = createServer((socket) => begun.push(socket));
    const connections = watchConnections(
      server,
      () => [],
      () => 0,
    );
    const visit = (address: string, isAnswered: boolean) => {
      const [socket] = open(1, address, server);
      if (socket && isAnswered) connections.markAnswered(socket);
      socket?.destroy();
    };
    for (let network = 0; network < 400; network += 1) visit(`2001:db8:1:${network}::1`, true);
    expect(begun.splice(0)).toHaveLength(400);
    for (let network = 0; network < 400; network += 1) visit(`2001:db8:1:${network}::1`, false);
    expect(begun).toHaveLength(256);
    visit('2001:db8:2::1', false);
    expect(begun).toHaveLength(257);
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
    /** Opens and closes connections one after the other; returns how many were refused. */
    const visit = (count: number, address: string, isAnswered = false) => {
      const before = begun.length;
      for (let index = 0; index < count; index += 1) {
        const [socket] = open(1, address, server);
        if (socket && isAnswered) for (const _ of [1, 2]) connections.markAnswered(socket);
        socket?.destroy();
      }
      return count - (begun.length - before);
    };
    expect(visit(100, '192.0.2.1')).toBe(36);
    expect(begun).toHaveLength(64);
    expect(visit(1, '192.0.2.2')).toBe(0);
    for (const address of ['127.0.0.1', '10.0.0.1']) expect(visit(300, address)).toBe(0);
    // The budget regains five connections a second.
    now += 1000;
    expect(visit(15, '192.0.2.1')).toBe(10);

    expect(visit(500, '192.0.2.3', true)).toBe(0);
    // However many were answered, the budget has no more than its burst.
    expect(visit(100, '192.0.2.3')).toBe(36);
  });

  // Measured with Chromium: 27 files, and for nearly each a connection that ends after its handshake.
  it('serves eight browsers behind one address that load the pages and do not trust the certificate', () => {
    let begun = 0;
    const server = createServer(() => {
      begun += 1;
    });
    const connections = watchConnections(
      server,
      () => [],
      () => 0,
    );
    const browsers = Array.from({ length: 8 }, () => ({
      dropped: open(6, '192.0.2.1', server),
      used: open(1, '192.0.2.1', server),
    }));
    for (const { dropped } of browsers) for (const socket of dropped) socket.destroy();
    for (let file = 0; file < 27; file += 1) {
      for (const { used } of browsers) {
        for (const socket of used) connections.markAnswered(socket);
        open(1, '192.0.2.1', server)[0]?.destroy();
      }
    }
    expect(begun).toBe(8 * (7 + 27));
    // Without replies, a network has only the initial burst.
    begun = 0;
    open(500, '192.0.2.2', server);
    expect(begun).toBe(64);
  });

  it('holds a refused one for a second, so that its client cannot come back at once, and no more than a network may hold', () => {
    vi.useFakeTimers();
    const begun: unknown[] = [];
    const server = createServer((socket) => begun.push(socket));
    watchConnections(
      server,
      () => [],
      () => 0,
    );
    const sockets = open(300, '192.0.2.1', server);
    expect(begun).toHaveLength(64);
    expect(refused(sockets), 'those beyond 256').toBe(44);
    vi.advanceTimersByTime(999);
    expect(refused(sockets)).toBe(44);
    vi.advanceTimersByTime(1);
    expect(refused(sockets), 'all but those that the server began with').toBe(236);
    expect(refused(open(1, '192.0.2.1', server))).toBe(0);
    // A refused connection that breaks has ended.
    const [broken] = open(1, '192.0.2.1', server);
    broken?.emit('error', new Error('ECONNRESET'));
    expect(broken?.isDestroyed).toBe(true);
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

describe('closeGracefully', () => {
  const MIB = 2 ** 20;

  /** Announces a body and sends as much of it as is accepted, to a server that refuses it unread; returns the reply and the bytes read. */
  async function send(announced: number): Promise<{ reply: string; bytesRead: number }> {
    const server = createHttpServer(({ socket }, response) => {
      closeGracefully(socket);
      response.writeHead(404, { Connection: 'close' }).end();
    });
    // Like the panel's server: a broken connection gets no second reply.
    server.on('clientError', () => undefined);
    const ended = new Promise<number>((resolve) => {
      server.once('connection', (socket) => socket.once('close', () => resolve(socket.bytesRead)));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const closed = new Promise((resolve) => client.on('error', () => undefined).once('close', resolve));
    let reply = '';
    client.on('data', (chunk) => {
      reply += String(chunk);
    });
    client.write(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${announced}\r\n\r\n`);
    client.write(Buffer.alloc(announced, '['), () => client.end());
    const bytesRead = await ended;
    client.destroy();
    await closed;
    await new Promise((resolve) => server.close(resolve));
    return { reply, bytesRead };
  }

  it('reads what is left of a request, so that the reply arrives', async () => {
    const { reply, bytesRead } = await send(MIB / 16);
    expect(reply).toMatch(/^HTTP\/1\.1 404 /);
    expect(bytesRead).toBeGreaterThan(MIB / 16);
  });

  it('reads 128 KiB of it at most, and what was in its buffers', async () => {
    const { reply, bytesRead } = await send(64 * MIB);
    expect(reply).toMatch(/^HTTP\/1\.1 404 /);
    expect(bytesRead).toBeLessThan(MIB / 2);
  });
});
