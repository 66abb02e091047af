// Messages that a machine cannot parse: what its log and the panel report.

import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { createTestClock } from '../../tests/support/clock.ts';
import { coreParts } from '../../tests/support/core.ts';
import { createFakeMachine, NO_PROGRAMS } from '../../tests/support/fake-engine.ts';
import { createTestLog } from '../../tests/support/log.ts';
import { dial, type Keys, makeKeys, realLooking } from '../../tests/support/node-machine.ts';
import { SOLE_PANEL } from '../../tests/support/sole-panel.ts';
import { sampleInbound } from '../../tests/support/subscription-samples.ts';
import { sampleNode, sampleUser, tempStore } from '../../tests/support/temp-store.ts';
import { createHeavyEnv } from '../core/create-core.ts';
import { createNodeReconciler } from '../core/nodes/reconciler.ts';
import type { EngineInbound } from '../core/ports/engines.ts';
import { readJson } from '../engines/remote/wire.ts';
import { serveNode } from './server.ts';

const HOST = '127.0.0.1';
const SECRET = 'hunter2-secret';
const MINUTE = 60_000;
const BOUNDS = { bytes: 1_000_000, values: 10_000, depth: 16 };
const PROTOCOL = { 'gatehouse-protocol': '1.0' };

function send(port: number, name: string, body: string, { panel }: Keys) {
  const { key, certificate: cert } = panel;
  const tls = { key, cert, servername: '', agent: false, rejectUnauthorized: false } as const;
  return new Promise<{ status: number | undefined; reply: unknown }>((resolve, reject) => {
    const sent = request({ host: HOST, port, method: 'POST', path: `/1/${name}`, ...tls }, (answer) => {
      readJson(answer, BOUNDS).then((reply) => resolve({ status: answer.statusCode, reply }), reject);
    });
    sent.on('error', reject).end(body);
  });
}

it('is refused with the reason, which is in the log once a minute and has none of its values', async () => {
  const keys = await makeKeys();
  const log = createTestLog();
  const clock = createTestClock(Date.now());
  const engine = realLooking(createFakeMachine());
  const parts = {
    identity: keys.node,
    engine,
    clock,
    log,
    version: '0.0.0',
    obeyed: SOLE_PANEL,
    programs: NO_PROGRAMS,
  };
  const listener = await serveNode(parts, { host: HOST, port: 0 });
  const sendCall = (name: string, body: unknown) =>
    send(listener.port, name, typeof body === 'string' ? body : JSON.stringify(body), keys);

  const part = { leaseId: 'a'.repeat(32), base: 0, at: 1, taken: 0, shared: null, gone: [], isLast: true };
  const users = [1, 2].map((id) => ({ id: String(id), name: SECRET, note: SECRET, [SECRET]: 1 }));
  const { status, reply } = await sendCall('lease', { part: { ...part, users } });
  expect(status).toBe(400);
  const { reason } = reply as { reason: string };
  expect(reason).toContain('part.users.*.id: invalid_type; part.users.*.credentials: invalid_type');
  expect(await sendCall('lease', { part: { ...part, users: [], note: SECRET, [SECRET]: 1 } })).toEqual({
    status: 400,
    reply: { reason: 'part: unrecognized_keys (note, ?)' },
  });
  expect(await sendCall('lease', `{"part": ${SECRET}}`)).toEqual({ status: 400, reply: { reason: 'not JSON' } });
  expect(await sendCall('stop', [])).toEqual({ status: 400, reply: { reason: 'message: invalid_type' } });
  for (let time = 0; time < 5; time += 1) await sendCall('stop', []);
  const lines = () => log.lines.filter((line) => line.includes('message refused'));
  expect(lines()).toHaveLength(4);
  expect(JSON.parse(lines()[1] ?? '')).toMatchObject({ message: 'lease', reason: 'part: unrecognized_keys (note, ?)' });
  clock.advance(MINUTE);
  await sendCall('stop', []);
  expect(lines()).toHaveLength(5);
  // Whatever is sent, the log has few lines a minute.
  for (let count = 0; count < 30; count += 1) await sendCall('stop', { [`m${count}`]: 1 });
  expect(lines().length).toBeLessThan(5 + 10);
  expect(log.lines.join('\n') + JSON.stringify(reply)).not.toContain(SECRET);
  await listener.close();
});

it('is not sent where the panel finds that it would be refused', async () => {
  const keys = await makeKeys();
  const machine = createFakeMachine();
  const log = createTestLog();
  const parts = {
    identity: keys.node,
    engine: realLooking(machine),
    log,
    version: '0.0.0',
    obeyed: SOLE_PANEL,
    programs: NO_PROGRAMS,
  };
  const listener = await serveNode({ ...parts, clock: createTestClock(0) }, { host: HOST, port: 0 });
  const panel = dial(listener.port, keys);
  const inbound = {
    ...sampleInbound({ port: 70_000 }),
    privateKey: SECRET,
    certificateKey: null,
    decryption: null,
    mldsa65Seed: null,
    serverKey: null,
  };
  const error = await panel.members(inbound satisfies EngineInbound).catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    code: 'message_refused',
    message: 'the message "members" is refused: inbound.port: too_big',
  });
  expect(machine.calls).toBe(0);
  expect(log.lines).toEqual([]);
  panel.close();
  await listener.close();
});

it.each([
  ['{"reason":"part.users.*.leased.account.grants.*: unrecognized_keys (note)"}', /: part\.users\.\*\.leased/],
  ['{}', /^the message "lease" is refused$/],
])('is the problem of its node where it is the list of users, with %s as the answer', async (reply, text) => {
  using temp = tempStore();
  const keys = await makeKeys();
  const { key, certificate: cert } = keys.node;
  const taken = {
    ...{ ledger: 'a'.repeat(32), run: 'b'.repeat(32), acknowledged: 0, until: 0, isLast: true, failure: null },
    ...{ boots: [], entries: [], ends: [], events: [] },
  };
  const server = createServer({ key, cert, requestCert: true, rejectUnauthorized: false }, async (asked, answer) => {
    const body = (await readJson(asked, BOUNDS)) as { part?: unknown };
    const answers: Readonly<Record<string, unknown>> = {
      '/1/running': {
        running: null,
        machine: { load: null, at: 0, version: '0.0.0', certificate: null, waiting: null },
      },
      '/1/readLedger': taken,
      '/1/check': {},
      '/1/lease': { held: null },
    };
    const isRefused = asked.url === '/1/lease' && body.part !== null;
    answer.writeHead(isRefused ? 400 : 200, PROTOCOL);
    answer.end(isRefused ? reply : JSON.stringify(answers[asked.url ?? '']));
  });
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
  const { store } = temp;
  const nodeId = store.nodes.insert(sampleNode({ kind: 'remote' }));
  store.users.insert(sampleUser());
  const panel = dial((server.address() as AddressInfo).port, keys);
  const node = createNodeReconciler(createHeavyEnv(coreParts(temp)), nodeId, panel);
  await expect(node.round(true)).rejects.toMatchObject({ code: 'message_refused' });
  expect(store.nodes.get(nodeId)).toMatchObject({
    status: 'down',
    errorCode: 'message_refused',
    errorText: expect.stringMatching(text),
  });
  panel.close();
  server.closeAllConnections();
  server.close();
});
