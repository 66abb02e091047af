// Random messages both ways between the panel and a node's machine: neither fails, and what makes no sense changes nothing.
// FUZZ_SEED repeats a run of the full form, whose messages are others each time.

import { createServer, request, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../src/adapters/clock.ts';
import { nodeCrypto } from '../../src/adapters/crypto.ts';
import { enforceLease } from '../../src/agent/enforcer.ts';
import { meterEngine } from '../../src/agent/ledger-engine.ts';
import { type NodeListener, serveNode } from '../../src/agent/server.ts';
import { openNodeLedger } from '../../src/agent/store/ledger.ts';
import { superviseEngine } from '../../src/agent/supervised-engine.ts';
import { DEFAULT_SUBSCRIPTION_HEADERS } from '../../src/contract/subscription/headers.ts';
import { type Engine, EngineError, type EngineInbound } from '../../src/core/ports/engines.ts';
import { METHODS, type Method } from '../../src/engines/remote/wire.ts';
import { createTestTimers } from '../support/clock.ts';
import { createFakeMachine, type FakeMachine, NO_PROGRAMS } from '../support/fake-engine.ts';
import { createTestLog, type TestLog } from '../support/log.ts';
import { times } from '../support/long.ts';
import { plainSeal } from '../support/node-lease.ts';
import { dial, type Keys, makeKeys, realLooking } from '../support/node-machine.ts';
import { PLAIN_RULE } from '../support/plain-rule.ts';
import { readSeed } from '../support/seed.ts';
import { SOLE_PANEL } from '../support/sole-panel.ts';
import { sampleInbound } from '../support/subscription-samples.ts';
import { type TempFolder, tempFolder } from '../support/temp-store.ts';

const MESSAGES = times(300, 20_000);
const SEED = readSeed('FUZZ_SEED');
const HOST = '127.0.0.1';
const SAMPLE: EngineInbound = {
  ...sampleInbound(),
  privateKey: null,
  certificateKey: null,
  decryption: null,
  mldsa65Seed: null,
  serverKey: null,
};

let keys: Keys;
let machine: FakeMachine;
let listener: NodeListener;
let log: TestLog;
let folder: TempFolder;
beforeAll(async () => {
  keys = await makeKeys();
  machine = createFakeMachine();
  log = createTestLog();
  const real = realLooking(machine);
  // It is asked to start whatever runs.
  const start: Engine['start'] = async (...args) => {
    machine.process = null;
    return real.start(...args);
  };
  folder = tempFolder();
  const ledger = openNodeLedger(join(folder.path, 'ledger.db'), plainSeal);
  const common = { timers: createTestTimers(), log };
  const engine = enforceLease(
    superviseEngine(meterEngine({ ...real, start }, { ledger, ...common, clock: systemClock }), {
      ...common,
      crypto: nodeCrypto,
      lease: ledger.lease,
    }),
    { ...common, clock: systemClock, lease: ledger.lease },
  );
  const parts = {
    identity: keys.node,
    engine,
    clock: systemClock,
    log,
    version: '0.0.0',
    obeyed: SOLE_PANEL,
    programs: NO_PROGRAMS,
  };
  listener = await serveNode(parts, { host: HOST, port: 0 });
});
afterAll(async () => {
  await listener.close();
  folder[Symbol.dispose]();
});

const inbound = fc
  .record({ id: fc.nat(3), tag: fc.string(), port: fc.nat(70_000), protocol: fc.constantFrom('vless', 'trojan', 'x') })
  .map((some) => ({ ...SAMPLE, ...some }));
const person = [fc.nat(5), fc.string(), fc.string(), fc.string(), fc.string()] as const;
const bytes = fc.oneof(fc.nat(), fc.integer());
const leased = fc.record({
  account: fc.record({
    enabled: fc.boolean(),
    expiresAt: fc.option(bytes),
    hold: fc.option(fc.record({ months: fc.nat(3), days: fc.nat(3) })),
    trafficLimit: fc.option(bytes),
    usedUp: fc.nat(),
    usedDown: fc.nat(),
    totalUp: fc.nat(),
    totalDown: fc.nat(),
    resetStrategy: fc.constantFrom('none', 'day', 'month'),
    termBeganAt: fc.option(bytes),
    resetsAt: fc.option(fc.nat()),
    grants: fc.constant([]),
  }),
  nodes: fc.nat(3),
  shareLeft: fc.option(fc.nat()),
  hasConnected: fc.boolean(),
  isEndNoted: fc.boolean(),
  cutOffUntil: fc.option(fc.nat()),
});
const part = fc.record({
  leaseId: fc.constant('0'.repeat(32)),
  base: fc.nat(2),
  at: fc.nat(),
  taken: fc.nat(),
  shared: fc.option(
    fc.record({
      settings: fc.record({
        timeZone: fc.constantFrom('UTC', 'x'),
        restartToCutOff: fc.boolean(),
        language: fc.constantFrom('en', 'x'),
        subscriptionTitle: fc.string(),
        supportUrl: fc.option(fc.string()),
        announcement: fc.string(),
        updateIntervalHours: fc.nat(),
        subscriptionRules: fc.array(fc.constantFrom(PLAIN_RULE, { ...PLAIN_RULE, action: 'x' }, null)),
        subscriptionApps: fc.constantFrom(null, [], [{}]),
        subscriptionTemplates: fc.constantFrom(
          { items: [], chosen: null, choices: [] },
          { items: [null, {}], chosen: 'x', choices: [{}] },
        ),
        subscriptionHeaders: fc.constantFrom(DEFAULT_SUBSCRIPTION_HEADERS, { happ_routing: 1 }),
        rateLimit: fc.nat(),
        subPath: fc.string(),
      }),
      weight: fc.nat(200),
      linkBase: fc.string(),
      connections: fc.array(
        fc.record({
          inbound,
          address: fc.string(),
          isDraining: fc.boolean(),
          engine: fc.option(fc.record({ name: fc.constantFrom('xray', 'v2ray'), version: fc.constant('26.10.10') })),
          secrets: fc.constant({ serverKey: null, certificate: null, pin: null }),
        }),
      ),
    }),
  ),
  users: fc.array(
    fc.record({
      id: fc.nat(5),
      name: fc.string(),
      credentials: fc.record({ uuid: fc.string(), password: fc.string(), key: fc.string(), wireguard: fc.string() }),
      inbounds: fc.option(fc.array(fc.nat(3))),
      leftOut: fc.array(fc.nat(3)),
      tokenHash: fc.string(),
      deviceLimit: fc.option(fc.nat()),
      tariffId: fc.option(fc.nat(3)),
      tags: fc.array(fc.string()),
      leased,
      updatedAt: fc.nat(),
    }),
  ),
  gone: fc.array(fc.nat(5)),
  isLast: fc.boolean(),
});
const config = fc.record({ inbounds: fc.array(inbound), blocksPrivate: fc.boolean() });
const boot = fc.oneof(fc.constant('a1'), fc.string());
/** Of each message such as is mostly understood. */
const NEARLY: Readonly<Record<Method, fc.Arbitrary<object>>> = {
  running: fc.constant({}),
  check: fc.record({ config }),
  start: fc.record({ config, boot, users: fc.array(fc.tuple(...person, fc.array(fc.nat(3)))) }),
  startHeld: fc.record({ config, boot, leaseId: fc.constant('0'.repeat(32)), version: fc.nat(3) }),
  stop: fc.record({ isRestart: fc.boolean() }),
  readLedger: fc.record({
    taken: fc.option(
      fc.record({ ledger: fc.constant('0'.repeat(32)), run: fc.string(), taken: fc.integer(), acknowledged: fc.nat() }),
    ),
    asks: fc.boolean(),
  }),
  lease: fc.record({ part: fc.option(part) }),
  apply: fc.record({ inbounds: fc.array(inbound), changes: fc.array(fc.tuple(fc.nat(3), fc.boolean(), ...person)) }),
  members: fc.record({ inbound, after: fc.nat(5) }),
  connected: fc.record({ after: fc.nat(5) }),
  findSessions: fc.record({ inbounds: fc.array(inbound), userIds: fc.array(fc.nat(5)) }),
  reopen: fc.record({ inbound }),
  programs: fc.constant({}),
  changeProgram: fc.record({ name: fc.option(fc.string()) }),
};
const name = fc.constantFrom(...METHODS);
const text = fc.oneof(
  { weight: 2, arbitrary: name.chain((of) => NEARLY[of]).map((value) => JSON.stringify(value)) },
  { weight: 2, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string() },
);
const path = fc.oneof(
  { weight: 6, arbitrary: name.map((of) => `/1/${of}`) },
  { weight: 1, arbitrary: fc.webPath().map((end) => `/${end.replace(/^\/+/, '')}`) },
);
const method = fc.constantFrom('POST', 'POST', 'POST', 'GET', 'DELETE');
const message = fc.oneof(
  name.chain((of) => NEARLY[of].map((body) => ({ path: `/1/${of}`, method: 'POST', body: JSON.stringify(body) }))),
  fc.record({ path, method, body: text }),
);

function send(path: string, method: string, body: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const { key, certificate } = keys.panel;
    const tls = { key, cert: certificate, servername: '', rejectUnauthorized: false };
    const headers = { 'content-length': Buffer.byteLength(body) };
    const sent = request({ host: HOST, port: listener.port, method, path, headers, agent: false, ...tls }, (reply) => {
      reply.resume().on('end', () => resolve(reply.statusCode));
    });
    sent.on('error', reject).end(body);
  });
}

it('a machine answers every message, and goes on', async () => {
  const statuses = new Set<number | undefined>();
  await fc.assert(
    fc.asyncProperty(message, async ({ path: where, method: how, body }) => {
      const status = await send(where, how, body);
      statuses.add(status);
      expect([200, 400, 404, 409]).toContain(status);
    }),
    { numRuns: MESSAGES, seed: SEED },
  );
  expect(statuses).toEqual(new Set([200, 400, 404, 409]));
  const engine = dial(listener.port, keys);
  await engine.stop();
  expect(await engine.running()).toBeNull();
  engine.close();
});

/** A machine with the key of the node that answers whatever it likes. */
async function lying(answer: () => { status: number; body: string; version: string; isCut: boolean }): Promise<Server> {
  const { key, certificate } = keys.node;
  const options = { key, cert: certificate, requestCert: true, rejectUnauthorized: false } as const;
  const server = createServer(options, (asked, reply) => {
    asked.resume();
    const { status, body, version, isCut } = answer();
    const length = Buffer.byteLength(body);
    if (version !== '') reply.setHeader('gatehouse-protocol', version);
    reply.writeHead(status, { 'content-length': isCut ? length + 1 : length });
    reply.end(body);
    if (isCut) asked.socket.destroySoon();
  });
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
  return server;
}

const INBOUND = SAMPLE;
const CONFIG = { inbounds: [INBOUND], blocksPrivate: true };
const USER = { userId: 1, credentials: { uuid: 'a', password: 'b', key: 'c', wireguard: 'd' } };
const CALLS: readonly ((engine: Engine) => Promise<unknown>)[] = [
  (engine) => engine.running(),
  (engine) => engine.check(CONFIG),
  (engine) => engine.start(CONFIG, [{ ...USER, inbounds: [1] }], 'a1'),
  async (engine) => engine.startHeld?.(CONFIG, { leaseId: '0'.repeat(32), version: 1 }, 'a1'),
  (engine) => engine.stop(),
  (engine) => engine.readLedgerPage(null, true),
  (engine) => engine.apply([{ inbound: INBOUND, user: USER, isAllowed: true }]),
  (engine) => engine.members(INBOUND),
  (engine) => engine.connected(),
  async (engine) => engine.lease?.(null),
];

it('the panel takes what makes sense, and anything else as a node that does not answer', async () => {
  let said = { status: 200, body: '{}', version: '', isCut: false };
  const server = await lying(() => said);
  const engine = dial((server.address() as AddressInfo).port, keys);
  const number = fc.oneof(fc.integer({ min: -2, max: 5 }), fc.double(), fc.constant(2 ** 60), fc.string());
  const rows = fc.array(fc.array(number, { maxLength: 4 }));
  const running = fc.record({
    name: fc.constantFrom('xray', 'x'),
    version: fc.string(),
    boot: fc.string(),
    uptimeMs: number,
  });
  const machine = fc.record({
    load: fc.option(number),
    at: number,
    version: fc.constantFrom('1.0.0', ''),
    certificate: fc.constant(null),
    waiting: fc.option(fc.record({ entries: number, bytes: number })),
  });
  const meant = fc.oneof(
    fc.record({ users: fc.option(fc.array(fc.tuple(number, rows))), isLast: fc.boolean() }),
    fc.record({ running: fc.option(running), machine }),
    fc.record({ outcomes: fc.array(fc.option(fc.record({ code: fc.string(), message: fc.string() }))) }),
    fc.record({ ids: fc.option(fc.array(number)), isLast: fc.boolean() }),
    fc.record({
      ledger: fc.constant('0'.repeat(32)),
      run: fc.constantFrom('1'.repeat(32), ''),
      acknowledged: number,
      boots: fc.array(fc.constantFrom('a1', 'a1rb2', '')),
      entries: fc.array(fc.tuple(number, fc.nat(2), fc.oneof(number, fc.string()), number, number)),
      ends: fc.array(fc.tuple(number, fc.nat(2))),
      events: fc.array(
        fc.tuple(number, fc.constantFrom('first', 'x'), number, number, fc.option(fc.nat(2)), number, number),
      ),
      until: number,
      isLast: fc.boolean(),
      failure: fc.option(fc.record({ code: fc.constantFrom('engine_crashed', 'other'), message: fc.string() })),
    }),
    fc.record({
      held: fc.option(fc.record({ leaseId: fc.constant('0'.repeat(32)), version: number, at: number, users: number })),
    }),
    fc.record({ code: fc.constantFrom('engine_crashed', 'other'), message: fc.string() }),
  );
  const body = fc.oneof(
    meant.map((value) => JSON.stringify(value)),
    fc.json(),
    fc.string(),
  );
  const status = fc.constantFrom(200, 200, 200, 409, 404, 400, 500, 204);
  const version = fc.constantFrom('1.0', '1.0', '1.0', '1.9999', '2.0', '1', '1.1.1', '-1.1', '');
  const isCut = fc.integer({ min: 0, max: 9 }).map((one) => one === 0);
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...CALLS), fc.record({ status, body, version, isCut }), async (call, reply) => {
      said = reply;
      const outcome = await call(engine).catch((error: unknown) => error);
      if (outcome instanceof Error) expect(outcome).toBeInstanceOf(EngineError);
      // What is stored of it has to be a moment.
      if (typeof outcome === 'object' && outcome !== null && 'startedAt' in outcome)
        expect(outcome.startedAt).toBeGreaterThanOrEqual(0);
    }),
    { numRuns: MESSAGES, seed: SEED },
  );
  engine.close();
  server.closeAllConnections();
  server.close();
});

it('the panel gives up a reply that is longer, deeper or of more values than what a machine can have to say', async () => {
  const said = { status: 200, body: '', version: '1.0', isCut: false };
  const server = await lying(() => said);
  const engine = dial((server.address() as AddressInfo).port, keys);
  const hostile = {
    'nested too deeply': '['.repeat(2 ** 21),
    'more than 1048576 bytes': `"${'x'.repeat(2 ** 20)}"`,
    // A message of a quarter of a megabyte that would be a hundred thousand arrays.
    values: `[${'[],'.repeat(100_000)}[]]`,
  };
  for (const [message, body] of Object.entries(hostile)) {
    said.body = body;
    for (const call of [(one: Engine) => one.running(), (one: Engine) => one.connected()])
      await expect(call(engine)).rejects.toMatchObject({
        code: 'engine_unreachable',
        message: expect.stringContaining(message),
      });
  }
  engine.close();
  server.closeAllConnections();
  server.close();
});
