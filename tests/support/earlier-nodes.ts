// Machines of earlier minor versions of the protocol, as they were: they take nothing but what they know. 1.0 has no ledger and does not say its
// version, 1.1 has no lease.
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import type { Engine, EngineConfig, EngineInbound } from '../../src/core/ports/engines.ts';
import type { Keys } from './node-machine.ts';

const none = z.strictObject({});
const person = [z.int(), z.string(), z.string(), z.string()] as const;
const inbound = z.looseObject({ id: z.int(), tag: z.string(), port: z.int(), protocol: z.string() });
const config = z.strictObject({ inbounds: z.array(inbound), blocksPrivate: z.boolean() });
const start = z.strictObject({ config, boot: z.string(), users: z.array(z.tuple([...person, z.array(z.int())])) });
const hexId = z.string().regex(/^[0-9a-f]{32}$/);
const take = z.strictObject({
  taken: z.strictObject({ ledger: hexId, run: hexId, taken: z.int(), acknowledged: z.int() }).nullable(),
  asks: z.boolean(),
});
const apply = z.strictObject({
  inbounds: z.array(inbound),
  changes: z.array(z.tuple([z.int(), z.boolean(), ...person])),
});

function credentialsOf(uuid: string, password: string, key: string) {
  return { uuid, password, key, wireguard: '' };
}

/** Of version 1.1. */
async function answerTake(engine: Engine, body: unknown): Promise<unknown> {
  const { taken, asks } = take.parse(body);
  const page = await engine.take(taken, asks);
  if (page === null) throw new Error('no ledger');
  const { ledger, run, acknowledged, until, isLast, entries, ends, failure } = page;
  const boots = [...new Set([...entries, ...ends].map(({ boot }) => boot))];
  return {
    ...{ ledger, run, acknowledged, until, isLast, boots },
    entries: entries.map(({ seq, boot, userId, tag, up, down }) => [
      ...[seq, boots.indexOf(boot), userId ?? tag ?? ''],
      ...[up, down],
    ]),
    ends: ends.map(({ seq, boot }) => [seq, boots.indexOf(boot)]),
    failure: failure && { code: failure.code, message: failure.message },
  };
}

function describe({ startedAt, ...running }: NonNullable<Awaited<ReturnType<Engine['running']>>>) {
  return { ...running, uptimeMs: Math.max(0, Date.now() - startedAt) };
}

async function answer(engine: Engine, name: string, body: unknown): Promise<unknown> {
  switch (name) {
    case 'running': {
      none.parse(body);
      const running = await engine.running();
      return { running: running && describe(running) };
    }
    case 'check':
      await engine.check(z.strictObject({ config }).parse(body).config as unknown as EngineConfig);
      return {};
    case 'start': {
      const { config: wanted, users, boot } = start.parse(body);
      const people = users.map(([userId, uuid, password, key, inbounds]) => ({
        userId,
        credentials: credentialsOf(uuid, password, key),
        inbounds,
      }));
      return { running: describe(await engine.start(wanted as unknown as EngineConfig, people, boot)) };
    }
    case 'stop':
      none.parse(body);
      await engine.stop();
      return {};
    case 'counters': {
      none.parse(body);
      const { boot, users, inbounds } = await engine.counters();
      return {
        boot,
        users: [...users].map(([userId, { up, down }]) => [userId, up, down]),
        inbounds: [...inbounds].map(([tag, { up, down }]) => [tag, up, down]),
      };
    }
    case 'apply': {
      const { inbounds, changes } = apply.parse(body);
      const outcomes = await engine.apply(
        changes.map(([place, isAllowed, userId, uuid, password, key]) => ({
          inbound: inbounds[place] as unknown as EngineInbound,
          isAllowed,
          user: { userId, credentials: credentialsOf(uuid, password, key) },
        })),
      );
      return { outcomes: outcomes.map((error) => error && { code: error.code, message: error.message }) };
    }
    case 'members': {
      const wanted = z.strictObject({ inbound }).parse(body).inbound;
      return { ids: await engine.members(wanted as unknown as EngineInbound) };
    }
    case 'connected': {
      none.parse(body);
      const users = await engine.connected();
      return {
        users: users && [...users].map(([id, all]) => [id, all.map(({ address, openedAt }) => [address, openedAt])]),
      };
    }
    default:
      return null;
  }
}

/** Serves an engine to the panel of these keys; that of 1.1 has a ledger. */
export async function serveEarlier(
  { node }: Keys,
  engine: Engine,
  version: '1.0' | '1.1',
): Promise<{ port: number; close(): void }> {
  const { key, certificate, authority } = node;
  const options = { key, cert: certificate, ca: authority, requestCert: true, rejectUnauthorized: true } as const;
  const server = createServer(options, (request, reply) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', async () => {
      const [, major, name = ''] = request.url?.split('/') ?? [];
      const headers = {
        'content-type': 'application/json',
        ...(version === '1.1' && { 'gatehouse-protocol': version }),
      };
      const send = (status: number, body: unknown) => {
        reply.writeHead(status, headers).end(JSON.stringify(body));
      };
      try {
        const body: unknown = JSON.parse(Buffer.concat(parts).toString());
        const isTake = version === '1.1' && major === '1' && name === 'take';
        const said = await (isTake ? answerTake(engine, body) : answer(engine, major === '1' ? name : '', body));
        send(said === null ? 404 : 200, said ?? {});
      } catch (error) {
        const { code = null, message } = error as { code?: string; message: string };
        send(code === null ? 400 : 409, { code, message });
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
