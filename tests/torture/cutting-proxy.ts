// A proxy before the panel that cuts connections in the middle of what they carry, as mobile networks and restarts do.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface CuttingProxy extends AsyncDisposable {
  readonly port: number;
  /** Connections cut so far. */
  cuts(): number;
}

/** Most bytes that a connection carries, in both directions together: a few requests with their replies. */
const MAX_BYTES = 12_000;

/** Forwards to the port that `target` names at the moment. `random`, from 0 to below 1, makes the moments of the cuts. */
export async function openCuttingProxy(target: () => number, random: () => number): Promise<CuttingProxy> {
  const open = new Set<Socket>();
  let cuts = 0;
  const server = createServer((near) => {
    const far = connect(target(), '127.0.0.1');
    let left = Math.floor(random() * MAX_BYTES);
    const end = () => {
      near.destroy();
      far.destroy();
    };
    const forward = (from: Socket, to: Socket) => {
      open.add(from);
      from.on('data', (chunk: Buffer) => {
        left -= chunk.length;
        if (left >= 0) to.write(chunk);
        else {
          // A part of it arrives.
          to.write(chunk.subarray(0, chunk.length + left));
          cuts += 1;
          end();
        }
      });
      from.on('error', end).on('close', () => {
        open.delete(from);
        end();
      });
    };
    forward(near, far);
    forward(far, near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    cuts: () => cuts,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
