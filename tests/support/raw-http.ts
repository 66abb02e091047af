// Speaks HTTP over a bare socket, so that a test sees and sends the very bytes.
import { connect, type Socket } from 'node:net';

/** Everything the server sends until it ends the connection. Parts are written one by one, each after the one before. */
export function exchangeRaw(port: number, ...parts: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(port, '127.0.0.1');
    let received = '';
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      received += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(received));
    socket.on('connect', () => {
      for (const part of parts) socket.write(part, 'latin1');
    });
  });
}

export interface RawReply {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** One reply taken apart; header names in lower case. */
export function readReply(text: string): RawReply {
  const end = text.indexOf('\r\n\r\n');
  const [first = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  return { status: Number(first.split(' ')[1]), headers, body: text.slice(end + 4) };
}
