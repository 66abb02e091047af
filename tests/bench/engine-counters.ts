// A process in the place of an engine that many users have connected to: it answers the same counters to every poll.
import { Server, ServerCredentials } from '@grpc/grpc-js';
import protobuf from 'protobufjs/minimal.js';
import { answerParent } from './child.ts';

const { Writer } = protobuf;
const SERVICE = '/xray.app.stats.command.StatsService';
const server = new Server();

/** `QueryStatsResponse` with two counters a user. */
function encodeCounters(users: number): Buffer {
  const writer = Writer.create();
  for (let userId = 1; userId <= users; userId += 1)
    for (const direction of ['uplink', 'downlink']) {
      const name = `user>>>u${userId}.in>>>traffic>>>${direction}`;
      writer
        .uint32(10)
        .fork()
        .uint32(10)
        .string(name)
        .uint32(16)
        .int64(userId * 1_000_003)
        .ldelim();
    }
  return Buffer.from(writer.finish());
}

function start(users: number): Promise<number> {
  const counters = encodeCounters(users);
  const asIs = (bytes: Buffer) => bytes;
  const buildMethod = (name: string) => ({
    path: `${SERVICE}/${name}`,
    requestStream: false,
    responseStream: false,
    requestSerialize: asIs,
    requestDeserialize: asIs,
    responseSerialize: asIs,
    responseDeserialize: asIs,
  });
  server.addService(
    { GetSysStats: buildMethod('GetSysStats'), QueryStats: buildMethod('QueryStats') },
    {
      GetSysStats: (_call: unknown, done: (error: null, reply: Buffer) => void) => done(null, Buffer.alloc(0)),
      QueryStats: ({ request }: { request: Buffer }, done: (error: null, reply: Buffer) => void) =>
        done(null, request.includes('user>>>') ? counters : Buffer.alloc(0)),
    },
  );
  return new Promise((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
      error ? reject(error) : resolve(port),
    );
  });
}

answerParent({ start, stop: () => server.forceShutdown() });
