// Finds ports for servers under test.
import { createServer } from 'node:net';

// Below what systems give outgoing connections (32768 and up on Linux): such a connection could take the port before the
// server does. Each process starts elsewhere, and asks for no port twice.
const LOWEST = 12_000;
const COUNT = 20_000;
// By the golden ratio, so that processes with near ids, as of tests that run at the same time, start far from one another.
let next = (process.pid * 12_361) % COUNT;

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** A port that nothing listens on, another one at each call. */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < COUNT; tried += 1) {
    const port = LOWEST + next;
    next = (next + 1) % COUNT;
    if (await isFree(port)) return port;
  }
  throw new Error('no port is free');
}
