// The connector against servers that are no engine, or a faulty one: every call ends with an EngineError. Real engines are in
// tests/engines.
import { once } from 'node:events';
import { createServer as createHttp } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData, status } from '@grpc/grpc-js';
import protobuf from 'protobufjs/minimal.js';
import { afterEach, describe, expect, test } from 'vitest';
import { sampleCredentials, sampleInbound } from '../../tests/engines/samples.ts';
import { METHODS as METHODS_OF_SHADOWSOCKS, PROTOCOLS } from '../contract/inbounds.ts';
import { type EngineChange, EngineError, type EngineInbound } from '../core/ports/engines.ts';
import { DEFAULT_POOL } from '../domain/nodes/wireguard.ts';
import { type CallLimits, connectEngine, type EngineApi } from './connector.ts';
import { buildAccount, type Dialect } from './connector-accounts.ts';
import { bootTag } from './connector-names.ts';

const { Writer } = protobuf;
const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const clean of cleanups.splice(0)) clean();
});

const ADDRESS = '127.0.0.1';
/** Short limits, for calls that are never answered. */
const SOON: CallLimits = { callMs: 200, countersMs: 200 };
/** Long limits, for calls that are answered. */
const PATIENT: CallLimits = { callMs: 60_000, countersMs: 60_000 };

function connectTo(port: number, limits = PATIENT): EngineApi {
  const api = connectEngine({ address: ADDRESS, port }, limits);
  cleanups.push(api.close);
  return api;
}

async function listenRaw(onSocket: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    onSocket(socket);
  });
  await once(server.listen(0, ADDRESS), 'listening');
  cleanups.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

type Answer = Uint8Array | { readonly code: status; readonly details: string };
/** A fake engine's answer to a path; undefined: it has no such method; a promise that never resolves: it does not answer. */
type Respond = (path: string, request: Buffer) => Answer | Promise<Answer> | undefined;

/** A gRPC server in place of an engine. */
async function listenGrpc(respond: Respond): Promise<number> {
  const server = new Server();
  const asIs = (bytes: Buffer) => bytes;
  const methods = PATHS.map(
    (path) =>
      [
        path,
        {
          path,
          ...ASKS,
          requestSerialize: asIs,
          requestDeserialize: asIs,
          responseSerialize: asIs,
          responseDeserialize: asIs,
        },
      ] as const,
  );
  const handle = (path: string) => (call: ServerUnaryCall<Buffer, Buffer>, done: sendUnaryData<Buffer>) => {
    const answered = Promise.resolve(
      respond(path, call.request) ?? { code: status.UNIMPLEMENTED, details: `unknown method ${path}` },
    );
    void answered.then((answer) => ('code' in answer ? done(answer) : done(null, Buffer.from(answer))));
  };
  server.addService(Object.fromEntries(methods), Object.fromEntries(PATHS.map((path) => [path, handle(path)])));
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`${ADDRESS}:0`, ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  cleanups.push(() => server.forceShutdown());
  return port;
}

const ASKS = { requestStream: false, responseStream: false } as const;
const METHODS = [
  'stats.command.StatsService/GetSysStats',
  'stats.command.StatsService/QueryStats',
  'stats.command.StatsService/GetUsersStats',
  'stats.command.StatsService/GetAllOnlineUsers',
  'stats.command.StatsService/GetStatsOnlineIpList',
  'proxyman.command.HandlerService/AlterInbound',
  'proxyman.command.HandlerService/GetInboundUsers',
];
const PATHS = ['xray', 'v2ray.core'].flatMap((dialect) => METHODS.map((method) => `/${dialect}.app.${method}`));

const UNKNOWN = (details: string): Answer => ({ code: status.UNKNOWN, details });
const EMPTY = new Uint8Array(0);

/** The bytes of a `QueryStatsResponse` with these counters. */
function encodeCounters(counters: Readonly<Record<string, string>>): Uint8Array {
  const writer = Writer.create();
  for (const [name, value] of Object.entries(counters))
    writer.uint32(10).fork().uint32(10).string(name).uint32(16).int64(value).ldelim();
  return writer.finish();
}

/** The kind of a change: the last part of the operation's type name. */
function parseOperation(request: Buffer): string {
  return /(AddUser|RemoveUser)Operation/.exec(request.toString('latin1'))?.[1] ?? '';
}

/** A fake engine of Xray's dialect; `respond` answers the further calls. */
function xray(respond: Respond): Respond {
  return (path, request) => {
    if (!path.startsWith('/xray.')) return undefined;
    return path.endsWith('GetSysStats') ? EMPTY : respond(path, request);
  };
}

const inbound = sampleInbound({ protocol: 'vless' });
const change = (userId: number, isAllowed = true, on: EngineInbound = inbound): EngineChange => ({
  inbound: on,
  user: { userId, credentials: sampleCredentials(userId) },
  isAllowed,
});

describe('what is no engine ends in words, in bounded time', () => {
  const unreachable = { code: 'engine_unreachable' };
  const CALLS: readonly ((api: EngineApi) => Promise<unknown>)[] = [
    (api) => api.identify(),
    (api) => api.counters(),
    (api) => api.apply([change(1), change(2)]),
    (api) => api.members(inbound),
  ];

  async function expectAll(api: EngineApi, error: object): Promise<void> {
    for (const call of CALLS) await expect(call(api)).rejects.toMatchObject(error);
  }

  test('nothing listens', async () => {
    const port = await listenRaw(() => {});
    for (const clean of cleanups.splice(0)) clean();
    await expectAll(connectTo(port), { ...unreachable, message: expect.stringContaining('ECONNREFUSED') });
  });

  test('it takes the connection and never answers', async () => {
    const port = await listenRaw(() => {});
    await expectAll(connectTo(port, SOON), unreachable);
  });

  test('it answers garbage', async () => {
    const port = await listenRaw((socket) => socket.write(Buffer.alloc(5000, 0xfe)));
    await expectAll(connectTo(port, SOON), unreachable);
  });

  test('it ends every connection', async () => {
    const port = await listenRaw((socket) => socket.end());
    await expectAll(connectTo(port, SOON), unreachable);
  });

  test('it is a web server', async () => {
    const server = createHttp((_request, response) => response.end('hello'));
    await once(server.listen(0, ADDRESS), 'listening');
    cleanups.push(() => server.close());
    await expectAll(connectTo((server.address() as AddressInfo).port, SOON), unreachable);
  });

  test('it is another program with a gRPC API', async () => {
    const port = await listenGrpc(() => undefined);
    const words = { code: 'engine_refused', message: expect.stringContaining('neither Xray nor v2ray') };
    await expectAll(connectTo(port), words);
  });

  test('it answers the first call only', async () => {
    const port = await listenGrpc(xray(() => new Promise(() => {})));
    const api = connectTo(port, SOON);
    await expect(api.counters()).rejects.toMatchObject(unreachable);
    await expect(api.apply([change(1)])).rejects.toMatchObject(unreachable);
  });

  test('its replies are no messages of an engine', async () => {
    const api = connectTo(await listenGrpc(xray(() => Buffer.alloc(100, 0xff))));
    const words = { code: 'engine_refused', message: expect.stringContaining('not that of an engine') };
    await expect(api.counters()).rejects.toMatchObject(words);
    await expect(api.members(inbound)).rejects.toMatchObject(words);
  });
});

describe('counters', () => {
  test('are exact for users and connections, those beyond what a number holds are the greatest, and those of others are passed over', async () => {
    const users = encodeCounters({
      'user>>>u1.in-1>>>traffic>>>uplink': '9007199254740991',
      'user>>>u1.in-1>>>traffic>>>downlink': '9223372036854775807',
      'user>>>u20.in-1>>>traffic>>>downlink': '4294967297',
      'user>>>u20.in-2>>>traffic>>>uplink': '12',
      'user>>>u20.in-2>>>traffic>>>downlink': '3',
      'user>>>u21.in-2>>>traffic>>>uplink': '4',
      'user>>>someone@example.com>>>traffic>>>uplink': '5',
      'user>>>u01.in-1>>>traffic>>>uplink': '5',
      'user>>>u22>>>traffic>>>uplink': '5',
      [`outbound>>>${bootTag('b1', 'f2')}>>>traffic>>>uplink`]: '0',
      'inbound>>>for-user>>>traffic>>>uplink': '5',
    });
    const port = await listenGrpc(xray(() => users));
    expect(await connectTo(port).counters()).toEqual({
      boot: 'b1',
      users: new Map([
        [1, { up: Number.MAX_SAFE_INTEGER, down: Number.MAX_SAFE_INTEGER }],
        [20, { up: 12, down: 4294967300 }],
        [21, { up: 4, down: 0 }],
      ]),
      inbounds: new Map([
        ['in-1', { up: Number.MAX_SAFE_INTEGER, down: Number.MAX_SAFE_INTEGER }],
        ['in-2', { up: 16, down: 3 }],
      ]),
    });
  });

  test('are never reset', async () => {
    const requests: Buffer[] = [];
    const port = await listenGrpc(
      xray((_path, request) => {
        requests.push(request);
        return EMPTY;
      }),
    );
    await connectTo(port).counters();
    // `pattern` = 1 alone: `reset` = 2 is absent, which is false.
    expect(requests).toEqual([Buffer.from(Writer.create().uint32(10).string('user>>>').finish())]);
  });

  test('of 100,000 users come in one reply, and others have their turns while it is read', async () => {
    const counters: Record<string, string> = {};
    for (let userId = 1; userId <= 100_000; userId += 1) {
      counters[`user>>>u${userId}.in-1>>>traffic>>>uplink`] = String(userId);
      counters[`user>>>u${userId}.in-1>>>traffic>>>downlink`] = '7';
    }
    const reply = encodeCounters(counters);
    let turns = 0;
    let isRead = false;
    const port = await listenGrpc(xray(() => reply));
    const asked = connectTo(port)
      .counters()
      .finally(() => {
        isRead = true;
      });
    const count = () => {
      turns += 1;
      if (!isRead) setImmediate(count);
    };
    count();
    const { users } = await asked;
    expect(users.size).toBe(100_000);
    expect(users.get(99_999)).toEqual({ up: 99_999, down: 7 });
    // A turn after each 5,000 counters.
    expect(turns).toBeGreaterThan(200_000 / 5000);
  });
});

describe('who is connected, and from where', () => {
  /** An entry of a list or of a map. */
  function writeAddress(writer: protobuf.Writer, field: number, address: string): void {
    writer
      .uint32((field << 3) | 2)
      .fork()
      .uint32(10)
      .string(address)
      .uint32(16)
      .int64(1_790_000_000)
      .ldelim();
  }
  const at = (address: string) => ({ address, openedAt: 1_790_000_000 });

  test('all at once where the engine has the method', async () => {
    const reply = Writer.create();
    for (const [email, ips] of [
      ['u3.in-1', ['192.0.2.1', '[2001:db8::1]']],
      ['u3.in-2', ['192.0.2.1', '192.0.2.2']],
      ['someone', ['192.0.2.9']],
      ['u4.in-1', []],
    ] as const) {
      reply.uint32(10).fork().uint32(10).string(email);
      for (const ip of ips) writeAddress(reply, 2, ip);
      // The user's traffic, a field that the panel ignores.
      reply.uint32(26).fork().uint32(8).int64(5).ldelim().ldelim();
    }
    const respond = xray((path) => (path.endsWith('/GetUsersStats') ? reply.finish() : undefined));
    const api = connectTo(await listenGrpc(respond));
    const expected = new Map([
      [3, [at('192.0.2.1'), at('2001:db8::1'), at('192.0.2.2')]],
      [4, []],
    ]);
    expect(await api.connected()).toEqual(expected);
  });

  test('one by one where it lacks that; one who has gone meanwhile is left out; it is asked for the other way once', async () => {
    const asked: string[] = [];
    const names = Writer.create();
    for (const name of ['user>>>u3.in-1>>>online', 'user>>>u5.in-1>>>online', 'user>>>someone>>>online'])
      names.uint32(10).string(name);
    const respond = xray((path, request) => {
      asked.push(path.split('/').at(-1) ?? '');
      if (path.endsWith('/GetAllOnlineUsers')) return names.finish();
      if (!path.endsWith('/GetStatsOnlineIpList')) return undefined;
      if (request.includes('u5')) return { code: status.NOT_FOUND, details: 'user>>>u5.in-1>>>online not found.' };
      const list = Writer.create().uint32(10).string('user>>>u3.in-1>>>online');
      for (const address of ['192.0.2.1', '192.0.2.2']) writeAddress(list, 2, address);
      return list.finish();
    });
    const api = connectTo(await listenGrpc(respond));
    for (let times = 0; times < 2; times += 1)
      expect(await api.connected()).toEqual(new Map([[3, [at('192.0.2.1'), at('192.0.2.2')]]]));
    expect(asked.filter((method) => method === 'GetUsersStats')).toHaveLength(1);
    expect(asked.filter((method) => method === 'GetStatsOnlineIpList')).toHaveLength(4);
  });

  test('an engine that has neither cannot tell, and is not asked again', async () => {
    const asked: string[] = [];
    const api = connectTo(await listenGrpc(xray((path) => void asked.push(path))));
    expect([await api.connected(), await api.connected()]).toEqual([null, null]);
    expect(asked).toHaveLength(2);
  });

  test('one that answers nothing is given up in time, and one that answers nonsense is refused', async () => {
    const silent = connectTo(await listenGrpc(xray(() => new Promise<Answer>(() => {}))), SOON);
    await expect(silent.connected()).rejects.toMatchObject({ code: 'engine_unreachable' });
    const wild = connectTo(await listenGrpc(xray(() => Buffer.from([10, 200, 1, 2]))));
    await expect(wild.connected()).rejects.toMatchObject({ code: 'engine_refused' });
  });
});

describe('changes', () => {
  /** A fake engine of vless or Shadowsocks that stores users, with the calls it received, in order. */
  function memory(takesTwice: boolean): { users: string[]; asked: string[]; respond: Respond } {
    const users: string[] = [];
    const asked: string[] = [];
    const respond = xray((_path, request) => {
      const operation = parseOperation(request);
      const name = /u\d+/.exec(request.toString('latin1').split('Operation')[1] ?? '')?.[0] ?? '';
      asked.push(`${operation} ${name}`);
      if (operation === 'AddUser') {
        if (users.includes(name) && !takesTwice) return UNKNOWN(`User ${name} already exists.`);
        users.push(name);
        return EMPTY;
      }
      if (!users.includes(name)) return UNKNOWN(`User ${name} not found.`);
      users.splice(users.indexOf(name), 1);
      return EMPTY;
    });
    return { users, asked, respond };
  }

  test('a user who is there is replaced, one who is not there is removed already', async () => {
    const engine = memory(false);
    const api = connectTo(await listenGrpc(engine.respond));
    expect(await api.apply([change(1), change(2)])).toEqual([null, null]);
    expect(await api.apply([change(1)])).toEqual([null]);
    expect(await api.apply([change(2, false), change(3, false)])).toEqual([null, null]);
    expect(engine.users).toEqual(['u1']);
    expect(engine.asked.filter((act) => act.endsWith('u1'))).toEqual([
      'AddUser u1',
      'AddUser u1',
      'RemoveUser u1',
      'AddUser u1',
    ]);
  });

  test('Shadowsocks, which takes a name twice, has each user once', async () => {
    const on = sampleInbound({ protocol: 'shadowsocks', method: 'aes-256-gcm' });
    const engine = memory(true);
    engine.users.push('u1', 'u2', 'u1', 'u1');
    const api = connectTo(await listenGrpc(engine.respond));
    expect(await api.apply([change(1, true, on)])).toEqual([null]);
    expect(engine.users).toEqual(['u2', 'u1']);
    expect(await api.apply([change(1, false, on), change(2, false, on)])).toEqual([null, null]);
    expect(engine.users).toEqual([]);
  });

  test('Hysteria2, which lets a user in by each password that it was given, has each user once', async () => {
    const on = sampleInbound({ protocol: 'hysteria2', network: 'quic', security: 'tls' });
    const engine = memory(true);
    const api = connectTo(await listenGrpc(engine.respond));
    for (const _ of [1, 2]) expect(await api.apply([change(1, true, on)])).toEqual([null]);
    expect(engine.users).toEqual(['u1']);
    expect(await api.apply([change(1, false, on)])).toEqual([null]);
    expect(engine.users).toEqual([]);
  });

  test('of several changes of one user on one connection the last holds', async () => {
    const engine = memory(false);
    const api = connectTo(await listenGrpc(engine.respond));
    expect(await api.apply([change(1), change(2), change(1, false), change(2, false), change(2)])).toEqual([
      null,
      null,
      null,
      null,
      null,
    ]);
    expect(engine.users).toEqual(['u2']);
  });

  test('32 are made at once, not more', async () => {
    let atOnce = 0;
    let most = 0;
    const port = await listenGrpc(
      xray(async () => {
        atOnce += 1;
        most = Math.max(most, atOnce);
        await new Promise((resolve) => setImmediate(resolve));
        atOnce -= 1;
        return EMPTY;
      }),
    );
    const changes = Array.from({ length: 500 }, (_, index) => change(index + 1));
    expect(await connectTo(port).apply(changes)).toEqual(changes.map(() => null));
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(32);
  });

  test('what the engine refuses is the outcome of that change alone, in its words', async () => {
    const port = await listenGrpc(
      xray((_path, request) => {
        const text = request.toString('latin1');
        if (text.includes('gone-in'))
          return UNKNOWN('failed to get handler: gone-in > app/proxyman/inbound: handler not found: gone-in');
        return text.includes('u2') ? UNKNOWN('failed to parse user') : EMPTY;
      }),
    );
    const gone = sampleInbound({ protocol: 'vless', tag: 'gone-in' });
    const outcomes = await connectTo(port).apply([change(1), change(2), change(3, true, gone), change(4, false, gone)]);
    expect(outcomes).toMatchObject([
      null,
      { code: 'engine_refused', message: 'failed to parse user' },
      { code: 'engine_refused', message: expect.stringContaining('handler not found: gone-in') },
      // Blocking a user on a missing inbound succeeds: nobody can connect to it.
      null,
    ]);
  });

  test('after a call without an answer no more are made', async () => {
    let asked = 0;
    const port = await listenGrpc(
      xray(() => {
        asked += 1;
        return new Promise(() => {});
      }),
    );
    const changes = Array.from({ length: 500 }, (_, index) => change(index + 1));
    await expect(connectTo(port, SOON).apply(changes)).rejects.toMatchObject({ code: 'engine_unreachable' });
    expect(asked).toBeLessThanOrEqual(32);
  });

  test('an engine without the service for users says so', async () => {
    const port = await listenGrpc(xray(() => undefined));
    const api = connectTo(port);
    expect(await api.apply([change(1)])).toMatchObject([
      { code: 'engine_refused', message: expect.stringContaining('HandlerService') },
    ]);
    expect(await api.members(inbound)).toBeNull();
  });
});

describe('the type of an account is that of the connection', () => {
  const everything = { userId: 1, credentials: sampleCredentials(1) };
  const listTypes = (dialect: Dialect) =>
    PROTOCOLS.flatMap((protocol) =>
      (protocol === 'shadowsocks' ? METHODS_OF_SHADOWSOCKS : [null]).map((method) => {
        try {
          return buildAccount(dialect, { id: 1, protocol, method, flow: null, addressPool: DEFAULT_POOL }, everything)
            .type;
        } catch (error) {
          return error instanceof EngineError ? error.code : error;
        }
      }),
    );

  test('whatever the user has, for each protocol and cipher of the contract', () => {
    expect(listTypes('xray')).toEqual([
      'xray.proxy.vless.Account',
      'xray.proxy.vmess.Account',
      'xray.proxy.trojan.Account',
      'xray.proxy.shadowsocks.Account',
      'xray.proxy.shadowsocks.Account',
      'xray.proxy.shadowsocks.Account',
      'xray.proxy.shadowsocks.Account',
      'xray.proxy.shadowsocks_2022.Account',
      'xray.proxy.shadowsocks_2022.Account',
      'xray.proxy.hysteria.account.Account',
      'xray.proxy.wireguard.PeerConfig',
    ]);
    expect(listTypes('v2ray.core').slice(0, 3)).toEqual([
      'v2ray.core.proxy.vless.Account',
      'v2ray.core.proxy.vmess.Account',
      'v2ray.core.proxy.trojan.Account',
    ]);
    expect(listTypes('v2ray.core').at(-1)).toBe('engine_refused');
  });

  test('an account that Xray would choke on is not built: a key too short, or a cipher without one', () => {
    const build = (method: string | null, key = everything.credentials.key) => {
      const user = { ...everything, credentials: { ...everything.credentials, key } };
      return buildAccount('xray', { id: 1, protocol: 'shadowsocks', method, flow: null, addressPool: null }, user);
    };
    expect(() => build('2022-blake3-aes-256-gcm', 'c2hvcnQ=')).toThrow('has not 32 bytes');
    expect(() => build('2022-blake3-chacha20-poly1305')).toThrow(EngineError);
    expect(() => build(null)).toThrow(EngineError);
    const peer = (addressPool: string, wireguard: string, userId = 1) => {
      const user = { userId, credentials: { ...everything.credentials, wireguard } };
      return buildAccount('xray', { id: 1, protocol: 'wireguard', method: null, flow: null, addressPool }, user);
    };
    expect(() => peer(DEFAULT_POOL, '')).toThrow('has no key of WireGuard');
    expect(() => peer('10.8.0.0/24', everything.credentials.wireguard, 254)).toThrow('has none for this user');
  });
});
