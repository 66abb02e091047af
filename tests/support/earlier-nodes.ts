// Machines of earlier minor versions of the protocol, as they were: they take nothing but what they know. 1.0 has no ledger and does not say its
// version, 1.1 has no lease, 1.3 is sent the whole of it and everybody for a start.
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import type { Engine, EngineConfig, EngineInbound } from '../../src/core/ports/engines.ts';
import type { LeasePart } from '../../src/core/ports/lease.ts';
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

const whole = z.int().min(0);
const account = z.strictObject({
  ...{ enabled: z.boolean(), expiresAt: whole.nullable(), trafficLimit: whole.nullable() },
  hold: z.strictObject({ months: whole, days: whole }).nullable(),
  ...{ usedUp: whole, usedDown: whole, totalUp: whole, totalDown: whole },
  ...{ resetStrategy: z.string(), termBeganAt: whole.nullable(), resetsAt: whole.nullable() },
  grants: z.array(z.looseObject({ id: z.int() })),
});
/** Of version 1.3. */
const lease = z.strictObject({
  part: z
    .strictObject({
      ...{ leaseId: hexId, base: whole, at: whole, taken: whole, gone: z.array(z.int()), isLast: z.boolean() },
      shared: z
        .looseObject({ settings: z.looseObject({ timeZone: z.string(), restartToCutOff: z.boolean() }) })
        .nullable(),
      users: z.array(
        z.strictObject({
          ...{ id: z.int(), name: z.string(), tokenHash: z.string(), deviceLimit: whole.nullable(), updatedAt: whole },
          ...{ inbounds: z.array(z.int()).nullable(), leftOut: z.array(z.int()) },
          credentials: z.strictObject({
            ...{ uuid: z.string(), password: z.string(), key: z.string(), wireguard: z.string() },
          }),
          leased: z.strictObject({
            ...{ account, nodes: z.int(), shareLeft: whole.nullable(), cutOffUntil: whole.nullable() },
            ...{ hasConnected: z.boolean(), isEndNoted: z.boolean() },
          }),
        }),
      ),
    })
    .nullable(),
});
const startLater = z.strictObject({
  ...{ config, boot: z.string() },
  users: z.array(z.tuple([...person, z.array(z.int()), z.string()])),
});

const applyLater = z.strictObject({
  inbounds: z.array(inbound),
  changes: z.array(z.tuple([z.int(), z.boolean(), ...person, z.string()])),
});

function credentialsOf(uuid: string, password: string, key: string) {
  return { uuid, password, key, wireguard: '' };
}

/** Of version 1.1, and with `hasEvents` of 1.3. */
async function answerTake(engine: Engine, body: unknown, hasEvents: boolean): Promise<unknown> {
  const { taken, asks } = take.parse(body);
  const page = await engine.take(taken, asks);
  if (page === null) throw new Error('no ledger');
  const { ledger, run, acknowledged, until, isLast, entries, ends, failure } = page;
  const events = hasEvents ? page.events : [];
  const boots = [...new Set([...entries, ...ends, ...events].flatMap(({ boot }) => boot ?? []))];
  return {
    ...{ ledger, run, acknowledged, until, isLast, boots },
    entries: entries.map(({ seq, boot, userId, tag, up, down }) => [
      ...[seq, boots.indexOf(boot), userId ?? tag ?? ''],
      ...[up, down],
    ]),
    ends: ends.map(({ seq, boot }) => [seq, boots.indexOf(boot)]),
    ...(hasEvents && {
      events: events.map(({ seq, kind, at, userId, boot, up, down }) => [
        ...[seq, kind, at, userId],
        ...[boot === null ? null : boots.indexOf(boot), up, down],
      ]),
    }),
    failure: failure && { code: failure.code, message: failure.message },
  };
}

function describe({ startedAt, ...running }: NonNullable<Awaited<ReturnType<Engine['running']>>>) {
  return { ...running, uptimeMs: Math.max(0, Date.now() - startedAt) };
}

/** Of version 1.3, where that is another than of 1.0. */
async function answerLater(engine: Engine, name: string, body: unknown): Promise<unknown> {
  if (name === 'lease') return { held: await engine.lease(lease.parse(body).part as LeasePart | null) };
  if (name === 'start') {
    const { config: wanted, users, boot } = startLater.parse(body);
    const people = users.map(([userId, uuid, password, key, inbounds, wireguard]) => ({
      ...{ userId, inbounds },
      credentials: { uuid, password, key, wireguard },
    }));
    return { running: describe(await engine.start(wanted as unknown as EngineConfig, people, boot)) };
  }
  if (name === 'take') return answerTake(engine, body, true);
  if (name === 'apply') {
    const { inbounds, changes } = applyLater.parse(body);
    const outcomes = await engine.apply(
      changes.map(([place, isAllowed, userId, uuid, password, key, wireguard]) => ({
        inbound: inbounds[place] as unknown as EngineInbound,
        isAllowed,
        user: { userId, credentials: { uuid, password, key, wireguard } },
      })),
    );
    return { outcomes: outcomes.map((error) => error && { code: error.code, message: error.message }) };
  }
  return answer(engine, name, body);
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

/** Serves an engine to the panel of these keys; that of 1.1 has a ledger, that of 1.3 a lease too. */
export async function serveEarlier(
  { node }: Keys,
  engine: Engine,
  version: '1.0' | '1.1' | '1.3',
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
        ...(version !== '1.0' && { 'gatehouse-protocol': version }),
      };
      const send = (status: number, body: unknown) => {
        reply.writeHead(status, headers).end(JSON.stringify(body));
      };
      try {
        const body: unknown = JSON.parse(Buffer.concat(parts).toString());
        const wanted = major === '1' ? name : '';
        const isTake = version === '1.1' && wanted === 'take';
        const said = await (version === '1.3'
          ? answerLater(engine, wanted, body)
          : isTake
            ? answerTake(engine, body, false)
            : answer(engine, wanted, body));
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
