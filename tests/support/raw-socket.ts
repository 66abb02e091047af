// Sends bytes as they stand over TCP or TLS and takes everything that comes back, for what no HTTP client would send.
import net from 'node:net';
import tls from 'node:tls';

export interface RawTarget {
  readonly host: string;
  readonly port: number;
  /** PEM of the authority to trust; without it plain TCP. */
  readonly ca?: string | undefined;
}

/**
 * Everything that the other side sent until it ended the connection, as Latin-1. Rejects when it has not ended it
 * within `patienceMs`, which is a failure, not a wait.
 */
export function exchangeRaw(target: RawTarget, bytes: string | Buffer, patienceMs = 120_000): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const { host, port, ca } = target;
  const socket = ca === undefined ? net.connect({ host, port }) : tls.connect({ host, port, ca });
  const chunks: Buffer[] = [];
  const received = () => Buffer.concat(chunks).toString('latin1');
  const patience = setTimeout(() => {
    socket.destroy();
    reject(new Error(`still open, having sent ${JSON.stringify(received())} to ${JSON.stringify(String(bytes))}`));
  }, patienceMs);
  const finish = () => {
    clearTimeout(patience);
    socket.destroy();
    resolve(received());
  };
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('end', finish);
  socket.on('close', finish);
  socket.on('error', (error: NodeJS.ErrnoException) => {
    // A reply that has come is whole also where the connection is cut behind it.
    if (chunks.length > 0) finish();
    else {
      clearTimeout(patience);
      reject(error);
    }
  });
  socket.once(ca === undefined ? 'connect' : 'secureConnect', () => socket.write(bytes));
  return promise;
}

/** A request as text: the first line, headers one a line, a blank line, the body. */
export function requestText(line: string, headers: readonly string[] = [], body = ''): string {
  return `${[line, ...headers].join('\r\n')}\r\n\r\n${body}`;
}
