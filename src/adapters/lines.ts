// Cuts what a socket sends into lines, one handled after the other.
import type { Socket } from 'node:net';

/**
 * Calls `handle` for each complete line of UTF-8, without its line feed, the next only when the last is done.
 * A line of more than `longest` bytes ends the connection; so does a handler that rejects.
 */
export function readLines(socket: Socket, longest: number, handle: (line: string) => Promise<void>): void {
  let pending: Buffer[] = [];
  let size = 0;
  let queue = Promise.resolve();

  const take = (chunk: Buffer) => {
    pending.push(chunk);
    size += chunk.length;
    if (size > longest) socket.destroy();
  };

  socket.on('data', (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0 && !socket.destroyed; end = chunk.indexOf(10, start)) {
      take(chunk.subarray(start, end));
      start = end + 1;
      const line = Buffer.concat(pending).toString('utf8');
      pending = [];
      size = 0;
      queue = queue.then(() => handle(line)).catch(() => void socket.destroy());
    }
    if (start < chunk.length) take(chunk.subarray(start));
  });
}
