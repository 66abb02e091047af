// The one reply to everything that does not know the secret path: always the same bytes, whatever was wrong.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../core/ports/ports.ts';
import { endGently, linger } from './closing.ts';

/** Answers requests (`send`) and connections on which no request could be read (`write`). */
export interface ConstantReply {
  send(request: IncomingMessage, response: ServerResponse): void;
  write(socket: Duplex): void;
}

export function createConstantReply(clock: Clock): ConstantReply {
  const date = () => new Date(clock.now()).toUTCString();
  return {
    send(request, response) {
      endGently(request.socket);
      response.writeHead(404, 'Not Found', ['Content-Length', '0', 'Connection', 'close', 'Date', date()]);
      response.end();
    },
    write(socket) {
      socket.write(`HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\nDate: ${date()}\r\n\r\n`);
      linger(socket);
    },
  };
}
