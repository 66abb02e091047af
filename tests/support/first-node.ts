// A machine of version 1.0 of the protocol, as it was: it has no ledger, does not say its version, and takes nothing but what it knows.
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
const apply = z.strictObject({
  inbounds: z.array(inbound),
  changes: z.array(z.tuple([z.int(), z.boolean(), ...person])),
});

function credentialsOf(uuid: string, password: string, key: string) {
  return { uuid, password, key };
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

/** Serves an engine to the panel of these keys. */
export async function serveFirstVersion({ node }: Keys, engine: Engine): Promise<{ port: number; close(): void }> {
  const { key, certificate, authority } = node;
  const options = { key, cert: certificate, ca: authority, requestCert: true, rejectUnauthorized: true } as const;
  const server = createServer(options, (request, reply) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', async () => {
      const [, version, name = ''] = request.url?.split('/') ?? [];
      const send = (status: number, body: unknown) => {
        reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      };
      try {
        const said = await answer(engine, version === '1' ? name : '', JSON.parse(Buffer.concat(parts).toString()));
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
