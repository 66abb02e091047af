// A child that attacks a panel whose secret path it knows, in one of several ways, until it is told to stop. It gives way to everything else
// on the machine, so that what it does to the panel is measured and not what it does to a core.
import type { ClientRequest } from 'node:http';
import { type Agent, request } from 'node:https';
import { constants, setPriority } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { type ConnectionOptions, connect, createSecureContext, type TLSSocket } from 'node:tls';
import { answerParent } from './child.ts';

export type Attack = 'bodies' | 'halves' | 'handshakes' | 'sign-ins';

export interface AttackStart {
  readonly attack: Attack;
  /** Of the attacker's own network. */
  readonly host: string;
  readonly port: number;
  /** `/secret/` */
  readonly secret: string;
  /** Of base_url. */
  readonly path: string;
  readonly key: string;
}

const MIB = 2 ** 20;
const BODY = Buffer.alloc(MIB, '[');
const HALF_SENT = 256;
const HANDSHAKES = 16;
const NETWORKS = 50;
/** Between two sign-ins of a network. */
const SIGN_IN_MS = 100;

const context = createSecureContext();
let isOver = true;
let count = 0;
const sockets = new Set<TLSSocket>();
const asking = new Set<ClientRequest>();

function open(options: ConnectionOptions): TLSSocket {
  count += 1;
  const socket = connect({ ...options, rejectUnauthorized: false, secureContext: context });
  sockets.add(socket);
  socket.on('error', () => undefined);
  socket.on('close', () => sockets.delete(socket));
  socket.resume();
  return socket;
}

/** Over and over, as soon as the one before has ended. */
function repeat(times: number, once: () => TLSSocket): void {
  for (let index = 0; index < times; index += 1) {
    const next = () => {
      if (!isOver) once().on('close', () => setImmediate(next));
    };
    next();
  }
}

const head = (lines: readonly string[]) => `${lines.join('\r\n')}\r\n\r\n`;

const ATTACKS: Readonly<Record<Attack, (start: AttackStart) => void>> = {
  bodies({ host, port, secret }) {
    const text = head([
      `POST ${secret}panel/signIn HTTP/1.1`,
      `Host: ${host}:${port}`,
      'Content-Type: application/json',
      'Sec-Fetch-Site: same-origin',
      `Content-Length: ${MIB}`,
      'Connection: close',
    ]);
    repeat(4, () => {
      const socket = open({ host, port });
      socket.write(text);
      socket.end(BODY);
      return socket;
    });
  },
  halves({ host, port, path, key }) {
    const text = head([
      `POST ${path}/users HTTP/1.1`,
      `Host: ${host}:${port}`,
      `Authorization: Bearer ${key}`,
      'Content-Type: application/json',
      `Content-Length: ${MIB}`,
    ]);
    repeat(HALF_SENT, () => {
      const socket = open({ host, port });
      socket.write(text);
      socket.write(BODY.subarray(1));
      return socket;
    });
  },
  handshakes({ host, port }) {
    repeat(HANDSHAKES, () => {
      const socket = open({ host, port });
      socket.once('secureConnect', () => socket.destroy());
      return socket;
    });
  },
  'sign-ins'({ port, secret }) {
    const text = JSON.stringify({ name: 'admin', password: 'not the password' });
    const signIn = (network: number, agent: Agent | undefined) =>
      new Promise<void>((resolve) => {
        count += 1;
        const headers = {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
          'sec-fetch-site': 'same-origin',
          'x-forwarded-for': `198.51.${network}.7`,
        };
        const path = `${secret}panel/signIn`;
        const options = { host: '127.0.0.1', port, path, method: 'POST', headers, agent, rejectUnauthorized: false };
        const asked = request(options, (reply) => reply.resume());
        asking.add(asked);
        asked.on('error', () => undefined);
        asked.on('close', () => {
          asking.delete(asked);
          resolve();
        });
        asked.end(text);
      });
    for (let network = 0; network < NETWORKS; network += 1) {
      void (async () => {
        while (!isOver) await Promise.all([signIn(network, undefined), wait(SIGN_IN_MS)]);
      })();
    }
  },
};

setPriority(constants.priority.PRIORITY_LOW);
answerParent({
  start(start: AttackStart) {
    isOver = false;
    ATTACKS[start.attack](start);
  },
  /** How often it connected or asked. */
  halt() {
    isOver = true;
    for (const each of [...sockets, ...asking]) each.destroy();
    const counted = count;
    count = 0;
    return counted;
  },
  stop() {},
});
