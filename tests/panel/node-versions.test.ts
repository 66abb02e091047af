// Panel and machine of different major versions of the protocol: each refuses the other in words.

import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/adapters/clock.ts';
import { awaitJoin, serveNode } from '../../src/agent/server.ts';
import { createHeavyEnv } from '../../src/core/create-core.ts';
import { createNodeReconciler } from '../../src/core/nodes/reconciler.ts';
import type { Engine } from '../../src/core/ports/engines.ts';
import { PROTOCOL, writeVersion } from '../../src/domain/nodes/node-protocol.ts';
import { joinNode } from '../../src/engines/remote/join-node.ts';
import { coreParts } from '../support/core.ts';
import { createFakeMachine, NO_PROGRAMS } from '../support/fake-engine.ts';
import { createTestLog } from '../support/log.ts';
import { dial, type Keys, makeKeys, realLooking } from '../support/node-machine.ts';
import { SOLE_PANEL } from '../support/sole-panel.ts';
import { sampleNode, type TempStore, tempStore } from '../support/temp-store.ts';

const PLACE = { host: '127.0.0.1', port: 0 };
const PRESENT = writeVersion(PROTOCOL);

/** A panel's node. */
function openNode(temp: TempStore, engine: Engine) {
  const { store } = temp;
  const nodeId = store.nodes.insert(sampleNode({ kind: 'remote' }));
  const node = createNodeReconciler(createHeavyEnv(coreParts(temp)), nodeId, engine);
  return { poll: () => node.round(true), row: () => store.nodes.get(nodeId) };
}

function serve({ node }: Keys, engine: Engine, log = createTestLog()) {
  return serveNode(
    {
      identity: node,
      engine,
      clock: systemClock,
      log,
      version: '0.0.0',
      obeyed: SOLE_PANEL,
      programs: NO_PROGRAMS,
    },
    PLACE,
  );
}

describe('another major version', () => {
  it.each([
    ['2.0', 'update the panel'],
    ['0.9', 'update Gatehouse on the machine'],
  ])('%s of a machine is refused by the panel, and its node says what to do', async (version, advice) => {
    using temp = tempStore();
    const keys = await makeKeys();
    const { key, certificate } = keys.node;
    const options = { key, cert: certificate, requestCert: true, rejectUnauthorized: false } as const;
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
      identity: keys.panel,
      takenBy: null,
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
    const ends = { save: () => {}, joined: () => {}, taken: () => {} };
    const waiting = { identity: keys.node, secret: 'a1'.repeat(32), clock: systemClock, log, ...ends };
    for (const listener of [await serve(keys, realLooking(machine), log), await awaitJoin(waiting, PLACE)]) {
      for (const path of ['/2/running', '/2/join', '/0/running']) {
        const reply = await sendRequest(listener.port, path, keys);
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

function sendRequest(port: number, path: string, { panel }: Keys): Promise<Said> {
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
