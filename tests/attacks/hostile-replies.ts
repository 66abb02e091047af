// What a hostile machine answers, from a seed: bombs within and beyond the bounds, lies that are understood, and nonsense.
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { METHODS, type Method } from '../../src/engines/remote/wire.ts';
import type { Keys } from '../support/node-machine.ts';

const HOST = '127.0.0.1';
const MAX = Number.MAX_SAFE_INTEGER;
const MIB = 1_048_576;

type Random = () => number;

/** Mulberry32: as good as needed, and the same everywhere. */
function createRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

const list = <T>(length: number, make: (index: number) => T): T[] => Array.from({ length }, (_, index) => make(index));

const RUNNING = { name: 'xray', version: '26.3.27', fingerprint: 'ab', uptimeMs: 8_640_000_000_000_000 };
const MACHINE = { load: 1_000_000, at: 8_640_000_000_000_000, version: '9.9.9', certificate: null };

/** Replies that meet their schemas and say as much as they can, most of it untrue. */
function createLies(random: Random) {
  const id = () => 1 + Math.floor(random() * 400);
  let seq = 0;
  let boot = 'a1';
  const next = () => {
    seq += 1;
    return seq;
  };
  const page = (rows: number) => ({
    ledger: 'a'.repeat(32),
    run: 'b'.repeat(32),
    acknowledged: 0,
    boots: [boot, ...list(200, () => `${boot}r${Math.floor(random() * 1e9)}`)],
    entries: list(rows, () => [next(), Math.floor(random() * 201), random() < 0.5 ? id() : MAX - id(), MAX, MAX]),
    ends: list(200, (index) => [next(), index + 1]),
    events: list(rows, () => [next(), 'share', Math.floor(random() * MAX) % 8e15, id(), 0, MAX, MAX]),
    until: next(),
    isLast: random() < 0.9,
    failure: null,
  });
  const ascending = (after: number, count: number) => list(count, (index) => after + 1 + index);
  const replies: Record<Method, (asked: Readonly<Record<string, number>>) => object> = {
    running: () => ({ running: { ...RUNNING, boot }, machine: { ...MACHINE, waiting: { entries: MAX, bytes: MAX } } }),
    check: () => ({}),
    start: () => ({ running: { ...RUNNING, boot } }),
    startHeld: () => ({ running: { ...RUNNING, boot } }),
    stop: () => ({}),
    readLedger: () => page(random() < 0.2 ? 500 : 20),
    lease: () => ({ held: { leaseId: 'c'.repeat(32), version: MAX, at: 8.64e15, users: MAX } }),
    apply: () => ({ outcomes: list(256, () => ({ code: 'engine_refused', message: 'x'.repeat(1000) })) }),
    members: ({ after = 0 }) => ({ ids: ascending(after, 5000), isLast: false }),
    connected: ({ after = 0 }) => ({
      users: ascending(after, 500).map((user) => [
        user,
        list(4, (index) => [`2001:db8:${user % 9999}::${index}`, seq]),
      ]),
      isLast: random() < 0.05,
    }),
    findSessions: () => ({ sessions: list(2000, () => [id(), id()]) }),
    reopen: () => ({}),
    programs: () => ({
      programs: { current: null, former: null, offered: list(100, () => 'xray-1.2.3'), hasOwnPath: true, job: null },
    }),
    changeProgram: () => ({}),
  };
  return {
    replies,
    /** The mark of the panel's last start, without which nothing that is said counts. */
    adopt(mark: string) {
      boot = mark;
    },
  };
}

/** Texts that are no honest reply to anything. */
const BOMBS: readonly ((random: Random) => string)[] = [
  () => `{"users":[${'[1,[]],'.repeat(600_000)}[1,[]]]}`,
  () => `[${'[],'.repeat(4 * 349_000)}[]]`,
  () => '['.repeat(MIB),
  () => `{${list(300_000, (index) => `"k${index}":1`).join()}}`,
  () => `{"ids":[${list(600_000, String).join()}],"isLast":true}`,
  // Within the bounds, but for another thread.
  () => `{"running":"${'x'.repeat(900_000)}"}`,
  () => `{"ids":[${list(9_900, (index) => `"${index}"`).join()}],"isLast":true}`,
  () => `{"users":[${'[1,[["a",1]]],'.repeat(1600)}[2,[]]],"isLast":true}`,
  () => `{${list(4_900, (index) => `"k${index}":{}`).join()}}`,
  (random) => Buffer.from(list(2000, () => Math.floor(random() * 256))).toString('latin1'),
  () => '{"__proto__":{"users":null},"constructor":1}',
  () => '1e999',
  () => '',
  () => 'null',
];

export interface HostileMachine {
  readonly port: number;
  /** Replies so far, by method. */
  readonly counts: ReadonlyMap<Method, number>;
  close(): void;
}

/** `bombShare`: how many of the replies are none that is understood. */
export async function openHostileMachine({ node }: Keys, seed: number, bombShare: number): Promise<HostileMachine> {
  const random = createRandom(seed);
  const lies = createLies(random);
  const counts = new Map<Method, number>();
  const bombs = BOMBS.map((make) => make(random));
  const options = { key: node.key, cert: node.certificate, requestCert: true, rejectUnauthorized: false } as const;
  const server: Server = createServer(options, async (asked, reply) => {
    const parts: Buffer[] = [];
    try {
      for await (const part of asked as AsyncIterable<Buffer>) parts.push(part);
    } catch {
      return;
    }
    const method = METHODS.find((name) => asked.url === `/1/${name}`);
    if (!method) return void reply.writeHead(404).end('{}');
    counts.set(method, (counts.get(method) ?? 0) + 1);
    const isBomb = random() < bombShare;
    const [, mark] = method.startsWith('start') ? (/"boot":"(\w+)"/.exec(Buffer.concat(parts).toString()) ?? []) : [];
    if (mark !== undefined) lies.adopt(mark);
    const text = Buffer.concat(parts).toString();
    const known =
      text.length < 100
        ? (JSON.parse(text) as Readonly<Record<string, number>>)
        : { after: Number(/"after":(\d+)/.exec(text)?.[1] ?? 0) };
    const body = isBomb
      ? (bombs[Math.floor(random() * bombs.length)] ?? '')
      : JSON.stringify(lies.replies[method](known));
    const status = isBomb && random() < 0.3 ? [400, 404, 409, 500, 204][Math.floor(random() * 5)] : 200;
    const version = isBomb && random() < 0.1 ? '2.0' : '1.0';
    reply.on('error', () => undefined);
    reply.writeHead(status ?? 200, { 'gatehouse-protocol': version });
    reply.end(status === 204 ? '' : body);
    if (isBomb && random() < 0.05) asked.socket.destroySoon();
  });
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    counts,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
