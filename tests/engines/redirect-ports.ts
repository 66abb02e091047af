// UDP ports that lead to another one, as a rule of nftables makes them: the engine sees one address for each client, on whichever port it comes.
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

async function bind(port: number, host = '127.0.0.1'): Promise<Socket> {
  const socket = createSocket('udp4');
  await once(socket.bind(port, host), 'listening');
  return socket;
}

export interface RedirectedPorts extends AsyncDisposable {
  /** Those at which a packet came. */
  readonly used: ReadonlySet<number>;
  /** The size of each packet that came, in order. */
  readonly sizes: readonly number[];
}

/** `host`: where the ports are; they lead to a port of loopback. */
export async function redirectPorts(ports: readonly number[], target: number, host?: string): Promise<RedirectedPorts> {
  const used = new Set<number>();
  const sizes: number[] = [];
  const outer = new Map<number, Socket>();
  const inner = new Map<number, { readonly socket: Promise<Socket>; last: { port: number; address: number } }>();
  for (const port of ports) {
    const socket = await bind(port, host);
    outer.set(port, socket);
    socket.on('message', (packet, { port: client }) => {
      used.add(port);
      sizes.push(packet.length);
      const known = inner.get(client);
      const last = { port, address: client };
      const through = known ?? { socket: bind(0), last };
      through.last = last;
      if (known === undefined) {
        inner.set(client, through);
        void through.socket.then((own) =>
          own.on('message', (reply) => void outer.get(through.last.port)?.send(reply, client, host ?? '127.0.0.1')),
        );
      }
      void through.socket.then((own) => own.send(packet, target, '127.0.0.1'));
    });
  }
  return {
    used,
    sizes,
    async [Symbol.asyncDispose]() {
      for (const socket of outer.values()) socket.close();
      for (const { socket } of inner.values()) (await socket).close();
    },
  };
}
