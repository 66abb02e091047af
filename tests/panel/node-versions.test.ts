// Panel and machine of different versions: with an earlier minor one everything is counted once, another major one is refused in words.
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { issueSelfSigned } from '../../src/adapters/certificates/issuer.ts';
import { systemClock } from '../../src/adapters/clock.ts';
import { nodeCrypto } from '../../src/adapters/crypto.ts';
import { createHeavyEnv } from '../../src/core/create-core.ts';
import { createNodeSync } from '../../src/core/nodes/sync.ts';
import type { Engine } from '../../src/core/ports/engines.ts';
import { PROTOCOL, updatesFor, writeVersion } from '../../src/domain/nodes/node-protocol.ts';
import { enforceLease } from '../../src/nodes/remote/enforcer.ts';
import { keepEngine } from '../../src/nodes/remote/kept-engine.ts';
import { recordEngine } from '../../src/nodes/remote/ledger-engine.ts';
import { awaitJoin, serveNode } from '../../src/nodes/remote/node-server.ts';
import { joinNode } from '../../src/nodes/remote/remote-engine.ts';
import { openNodeLedger } from '../../src/store/nodes/node-ledger.ts';
import { createTestTimers } from '../support/clock.ts';
import { coreParts } from '../support/core.ts';
import { serveEarlier } from '../support/earlier-nodes.ts';
import { createFakeMachine } from '../support/fake-engine.ts';
import { createTestLog } from '../support/log.ts';
import { plainSeal } from '../support/node-lease.ts';
import { dial, type Keys, makeKeys, realLooking } from '../support/node-machine.ts';
import { inboundOf } from '../support/subscription-samples.ts';
import { sampleNode, sampleUser, type TempStore, tempFolder, tempStore } from '../support/temp-store.ts';

const PLACE = { host: '127.0.0.1', port: 0 };
const HOUR = 3_600_000;
const PRESENT = writeVersion(PROTOCOL);

/** A panel's node of one connection, with one user. */
function openNode(temp: TempStore, engine: Engine) {
  const { store } = temp;
  const nodeId = store.nodes.insert(sampleNode({ kind: 'remote' }));
  const { id: _, ...row } = inboundOf({ nodeId, tag: 'in', port: 1000 });
  const inboundId = store.inbounds.insert(row);
  const userId = store.users.insert(sampleUser());
  const node = createNodeSync(createHeavyEnv(coreParts(temp)), nodeId, engine);
  return {
    nodeId,
    inboundId,
    userId,
    poll: () => node.round(true),
    row: () => store.nodes.get(nodeId),
    down: () => [store.traffic.total().down, store.users.get(userId)?.totalDown],
  };
}

function serve({ node }: Keys, engine: Engine, log = createTestLog()) {
  return serveNode(
    { identity: node, engine, clock: systemClock, log, version: '0.0.0', saveIdentity: () => {} },
    PLACE,
  );
}

it('a machine that is updated from an earlier version, and goes back to it, has every byte counted once', async () => {
  using temp = tempStore();
  using folder = tempFolder();
  const keys = await makeKeys();
  const machine = createFakeMachine();
  let port = 0;
  const engine = dial(() => port, keys);
  const node = openNode(temp, engine);
  const move = (down: number) => expect(machine.move(node.userId, node.inboundId, { up: 0, down })).toBe(true);
  let close = async () => {};
  const runFirst = async () => {
    await close();
    const first = await serveEarlier(keys, realLooking(machine), '1.0');
    port = first.port;
    close = async () => first.close();
  };
  const clock = systemClock;
  const record = () => {
    const ledger = openNodeLedger(join(folder.path, 'ledger.db'), plainSeal);
    const parts = { ledger, clock, timers: createTestTimers(), log: createTestLog() };
    return { ledger, recorded: recordEngine(realLooking(machine), parts) };
  };
  const runSecond = async () => {
    await close();
    const { recorded } = record();
    const second = await serveEarlier(keys, recorded, '1.1');
    port = second.port;
    close = async () => {
      second.close();
      recorded.close();
    };
  };
  const enforce = () => {
    const { ledger, recorded } = record();
    const parts = { lease: ledger.lease, clock, timers: createTestTimers(), log: createTestLog() };
    return enforceLease(keepEngine(recorded, { crypto: nodeCrypto, ...parts }), parts);
  };
  const runThird = async () => {
    await close();
    const enforced = enforce();
    const third = await serveEarlier(keys, enforced, '1.3');
    port = third.port;
    close = async () => {
      third.close();
      enforced.close();
    };
  };
  const runPresent = async () => {
    await close();
    const enforced = enforce();
    const listener = await serve(keys, enforced);
    port = listener.port;
    close = async () => {
      await listener.close();
      enforced.close();
    };
  };
  const expectPolled = async (protocol: string, updates: readonly string[], down: number) => {
    await node.poll();
    expect(node.row()).toMatchObject({ status: 'up', agentProtocol: protocol });
    expect(updatesFor(node.row()?.agentProtocol ?? null)).toEqual(updates);
    expect(node.down()).toEqual([down, down]);
  };

  await runFirst();
  await expectPolled('1.0', ['ledger', 'lease', 'wireguard', 'difference', 'weight', 'certificate', 'engine'], 0);
  move(100);
  await expectPolled('1.0', ['ledger', 'lease', 'wireguard', 'difference', 'weight', 'certificate', 'engine'], 100);
  move(20);
  await runPresent();
  await expectPolled(PRESENT, [], 120);
  await expectPolled(PRESENT, [], 120);
  move(3);
  await expectPolled(PRESENT, [], 123);
  move(4);
  await runSecond();
  await expectPolled('1.1', ['lease', 'wireguard', 'difference', 'weight', 'certificate', 'engine'], 127);
  await expectPolled('1.1', ['lease', 'wireguard', 'difference', 'weight', 'certificate', 'engine'], 127);
  move(10);
  await runPresent();
  await expectPolled(PRESENT, [], 137);
  await runFirst();
  await expectPolled('1.0', ['ledger', 'lease', 'wireguard', 'difference', 'weight', 'certificate', 'engine'], 137);
  move(5000);
  await runThird();
  await expectPolled('1.3', ['difference', 'weight', 'certificate', 'engine'], 5137);
  // It is sent everybody for a start.
  const { id: _id, ...more } = inboundOf({ nodeId: node.nodeId, tag: 'more', port: 1001 });
  const moreId = temp.store.inbounds.insert(more);
  await expectPolled('1.3', ['difference', 'weight', 'certificate', 'engine'], 5137);
  expect(machine.process?.members.get(moreId)?.has(node.userId)).toBe(true);
  expect(machine.starts).toBe(2);
  temp.store.inbounds.remove(moreId);
  await expectPolled('1.3', ['difference', 'weight', 'certificate', 'engine'], 5137);
  expect(machine.starts).toBe(3);
  await runPresent();
  await expectPolled(PRESENT, [], 5137);
  expect(machine.starts, 'the engine was adopted each time but for other connections').toBe(3);

  // One that its machine has started by itself, of which the panel has counted a part when the machine is updated.
  await runFirst();
  await node.poll();
  const { process } = machine;
  machine.crash();
  const people = [
    {
      userId: node.userId,
      credentials: { uuid: 'u', password: '', key: '', wireguard: '' },
      inbounds: [node.inboundId],
    },
  ];
  if (process) await realLooking(machine).start(process.config, people, 'beef');
  move(10_000);
  machine.fault = (method) => (method === 'stop' ? 'hang' : null);
  await expect(node.poll()).rejects.toMatchObject({ code: 'engine_unreachable' });
  move(20_000);
  machine.fault = () => null;
  await runPresent();
  await expectPolled(PRESENT, [], 35_137);
  engine.close();
  await close();
});

describe('another major version', () => {
  it.each([
    ['2.0', 'update the panel'],
    ['0.9', 'update Gatehouse on the machine'],
  ])('%s of a machine is refused by the panel, and its node says what to do', async (version, advice) => {
    using temp = tempStore();
    const keys = await makeKeys();
    const { key, certificate, authority } = keys.node;
    const options = { key, cert: certificate, ca: authority, requestCert: true, rejectUnauthorized: false } as const;
    const server = createServer(options, (asked, reply) => {
      asked.resume();
      reply.writeHead(404, { 'gatehouse-protocol': version }).end('{}');
    });
    await new Promise<void>((resolve) => server.listen(PLACE.port, PLACE.host, resolve));
    const engine = dial((server.address() as AddressInfo).port, keys);
    const node = openNode(temp, engine);
    await expect(node.poll()).rejects.toMatchObject({ code: 'other_version' });
    expect(node.row()).toMatchObject({ status: 'down', errorCode: 'other_version', agentProtocol: version });
    expect(node.row()?.errorText).toBe(
      `the machine speaks version ${version} of the protocol, the panel ${PRESENT}: ${advice}`,
    );
    const joining = joinNode({
      host: PLACE.host,
      port: (server.address() as AddressInfo).port,
      secret: 'a1'.repeat(32),
      authority: keys.authority.pem,
      certify: async () => '',
    });
    await expect(joining).rejects.toMatchObject({ code: 'other_version' });
    engine.close();
    server.closeAllConnections();
    server.close();
  });

  it('of a panel is refused by a machine that serves and by one that waits to be joined, once in the log', async () => {
    const keys = await makeKeys();
    const log = createTestLog();
    const machine = createFakeMachine();
    const now = systemClock.now();
    const own = await issueSelfSigned(['node.invalid'], { from: now - HOUR, to: now + HOUR });
    const ends = { save: () => {}, joined: () => {} };
    const waiting = { own, secret: 'a1'.repeat(32), authority: '0'.repeat(64), clock: systemClock, log, ...ends };
    for (const listener of [await serve(keys, realLooking(machine), log), await awaitJoin(waiting, PLACE)]) {
      for (const path of ['/2/running', '/2/join', '/0/running']) {
        const reply = await ask(listener.port, path, keys);
        const older = path.startsWith('/2') ? 'this machine' : 'the panel';
        expect(reply).toMatchObject({ status: 404, version: PRESENT, said: { code: 'other_version' } });
        expect(reply.said.message).toContain(`this machine ${PRESENT}: update ${older}`);
      }
      await listener.close();
    }
    expect(machine.calls).toBe(0);
    expect(log.lines.filter((line) => line.includes('panel refused'))).toHaveLength(4);
  });
});

interface Said {
  readonly status: number | undefined;
  readonly version: unknown;
  readonly said: { readonly code: string; readonly message: string };
}

function ask(port: number, path: string, { panel }: Keys): Promise<Said> {
  const { key, certificate } = panel;
  return new Promise((resolve, reject) => {
    const tls = { key, cert: certificate, rejectUnauthorized: false, servername: '', agent: false } as const;
    const sent = request({ host: PLACE.host, port, path, method: 'POST', ...tls }, (reply) => {
      const parts: Buffer[] = [];
      reply.on('data', (part: Buffer) => parts.push(part));
      reply.on('end', () => {
        const said = JSON.parse(Buffer.concat(parts).toString());
        resolve({ status: reply.statusCode, version: reply.headers['gatehouse-protocol'], said });
      });
    });
    sent.on('error', reject).end('{}');
  });
}
