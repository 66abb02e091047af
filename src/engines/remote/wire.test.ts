// Messages of the protocol on the wire: each optional part is sent, made from the rows of a store, and arrives unchanged.

import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createTestClock, createTestTimers } from '../../../tests/support/clock.ts';
import { coreParts } from '../../../tests/support/core.ts';
import { DAY, settledAccount } from '../../../tests/support/domain-arbitraries.ts';
import { createFakeMachine, NO_PROGRAMS } from '../../../tests/support/fake-engine.ts';
import { createTestLog } from '../../../tests/support/log.ts';
import { times } from '../../../tests/support/long.ts';
import { plainSeal } from '../../../tests/support/node-lease.ts';
import { dial, type Exchange, type Keys, makeKeys, realLooking, tapNode } from '../../../tests/support/node-machine.ts';
import { listParts, partsIn } from '../../../tests/support/schema-parts.ts';
import { SOLE_PANEL } from '../../../tests/support/sole-panel.ts';
import { anyInbound, FULL_HOST, sampleHost, sampleInbound } from '../../../tests/support/subscription-samples.ts';
import {
  sampleNode,
  sampleTariff,
  sampleUser,
  storeAccount,
  type TempStore,
  tempFolder,
  tempStore,
} from '../../../tests/support/temp-store.ts';
import { systemClock } from '../../adapters/clock.ts';
import { nodeCrypto } from '../../adapters/crypto.ts';
import { enforceLease } from '../../agent/enforcer.ts';
import { meterEngine } from '../../agent/ledger-engine.ts';
import { serveNode } from '../../agent/server.ts';
import { openNodeLedger } from '../../agent/store/ledger.ts';
import { superviseEngine } from '../../agent/supervised-engine.ts';
import { NODE_ERROR_CODES } from '../../contract/nodes/nodes.ts';
import { DEFAULT_APPS } from '../../contract/subscription/default-apps.ts';
import { CONFIGURATION_FORMATS } from '../../contract/subscription/formats.ts';
import { RULE_ACTIONS } from '../../contract/subscription/rules.ts';
import type { TemplateChoice } from '../../contract/subscription/templates.ts';
import { createHeavyEnv } from '../../core/create-core.ts';
import { engineInbound, saveSecret } from '../../core/inbounds/inbound-secrets.ts';
import { createNodeReconciler } from '../../core/nodes/reconciler.ts';
import { NO_CREDENTIALS } from '../../core/ports/credentials.ts';
import {
  type Engine,
  EngineError,
  type EngineInbound,
  type MachineFacts,
  type RunningEngine,
} from '../../core/ports/engines.ts';
import type { InboundRow } from '../../core/ports/inbounds.ts';
import type { NewUser } from '../../core/ports/users.ts';
import { LEASE_EVENTS } from '../../domain/nodes/lease.ts';
import { METHODS, REPLIES, REQUESTS } from './wire.ts';
import { MAX_INSTANT } from './wire-values.ts';

const HOST = '127.0.0.1';
const HOUR = 3_600_000;
/** The administrator's notes are for the panel alone. */
const NOTE = 'not for machines';
const ROUNDS = times(25, 150);

const sampleEngineInbound: EngineInbound = {
  ...sampleInbound(),
  privateKey: null,
  certificateKey: null,
  decryption: null,
  mldsa65Seed: null,
  serverKey: null,
};

/** Records which parts the exchanged messages had. */
function createCoverage() {
  const seen = new Set<string>();
  return {
    note({ name, request, status, reply }: Exchange): void {
      const method = METHODS.find((each) => each === name);
      if (method === undefined) throw new Error(`no such message: ${name}`);
      for (const part of partsIn(REQUESTS[method], request, `${method}?`)) seen.add(part);
      if (status !== 200) return;
      for (const part of partsIn(REPLIES[method], reply, `${method}!`)) seen.add(part);
    },
    missing: (side: '?' | '!'): readonly string[] =>
      METHODS.flatMap((name) => listParts((side === '?' ? REQUESTS : REPLIES)[name], `${name}${side}`)).filter(
        (part) => !seen.has(part),
      ),
  };
}

const CERTIFICATE = {
  chain: '-----BEGIN CERTIFICATE-----',
  isOwn: false,
  isSelfSigned: true,
  sha256: 'ab'.repeat(32),
  endsAt: 1,
};

const text = (max: number) => fc.string({ unit: 'grapheme', minLength: 1, maxLength: max });
const amount = fc.oneof(fc.nat(), fc.constant(Number.MAX_SAFE_INTEGER));

/** All fields of a user that the store accepts. */
const userFields = fc.record({
  name: text(20),
  contact: text(20),
  note: fc.constant(NOTE),
  deviceLimit: fc.option(fc.integer({ min: 1, max: 100 })),
  tariffId: fc.option(fc.constant(1)),
  tags: fc.array(text(20), { maxLength: 2 }),
  onlineAt: fc.option(fc.nat()),
  expiredAnnounced: fc.boolean(),
  cutOff: fc.boolean(),
  isOnAll: fc.boolean(),
  totalUp: amount,
});
/** Grants beyond those of the account, in the bounds of the store. */
const odd = fc.record({
  bytes: fc.constantFrom(1, Number.MAX_SAFE_INTEGER),
  endsAt: fc.constantFrom(null, MAX_INSTANT, -MAX_INSTANT),
  note: fc.constant(NOTE),
});
const inbound = fc
  .record({
    row: anyInbound,
    name: text(20),
    certificate: fc.option(fc.constant(CERTIFICATE)),
    host: fc.option(fc.domain()),
    note: fc.constant(NOTE),
  })
  .map(({ row, ...more }): InboundRow => ({ ...row, ...more }));
/** Rules as the panel saves them. */
const rules = fc.array(
  fc.record({
    id: fc.integer({ min: 1, max: 1_000_000 }),
    name: fc.constant('Rule'),
    enabled: fc.boolean(),
    apps: fc.array(fc.constant('Happ/*'), { maxLength: 2 }),
    requires: fc.array(fc.constant({ name: 'x-a', pattern: '*' }), { maxLength: 1 }),
    action: fc.constantFrom(...RULE_ACTIONS),
    format: fc.option(fc.constantFrom(...CONFIGURATION_FORMATS)),
    template: fc.option(fc.constantFrom('russia', 'own-1')),
    text: fc.constant('Text'),
    headers: fc.array(fc.constant({ name: 'x-a', value: '1' }), { maxLength: 1 }),
  }),
  { maxLength: 3 },
);
const appHeaders = fc.record({
  web_page_url: fc.option(fc.constant('https://a.example')),
  announce_url: fc.option(fc.constant('https://a.example')),
  update_always: fc.boolean(),
  happ_routing: fc.option(fc.constant('happ://routing/off')),
  v2raytun_routing: fc.option(fc.constant('e30=')),
  incy_routing: fc.option(fc.constant('incy://routing/add/e30=')),
  happ_provider_id: fc.option(fc.constant('abcd1234')),
  happ_hide_settings: fc.boolean(),
  happ_always_device: fc.boolean(),
  happ_expiry_notices: fc.boolean(),
  happ_fragment: fc.option(fc.constant({ packets: 'tlshello', length: '50-100', interval: '5' } as const)),
  happ_noise: fc.option(fc.constant({ kind: 'rand', packet: '10-20', delay: '10', apply_to: 'ip' } as const)),
});
const templates = fc.record({
  items: fc.array(fc.constant({ id: 'own-1', name: 'Own', mihomo: 'a', sing_box: '', xray: '' }), { maxLength: 1 }),
  chosen: fc.option(fc.constantFrom('china', 'own-1')),
  choices: fc.array(
    fc.constantFrom('iran', 'own-1').map((template): TemplateChoice => ({ template, tariffs: [1], tags: ['vip'] })),
    { maxLength: 2 },
  ),
});
const settings = fc.record({
  subscriptionTemplates: templates,
  subscriptionApps: fc.option(
    fc.constantFrom(
      [],
      [...DEFAULT_APPS],
      DEFAULT_APPS.map((app) => ({ ...app, format: 'xray' as const })),
    ),
  ),
  subscriptionRules: rules,
  subscriptionHeaders: appHeaders,
  timeZone: fc.constantFrom('UTC', 'America/Argentina/ComodRivadavia'),
  language: fc.constantFrom('en', 'ru'),
  supportUrl: fc.option(fc.webUrl()),
  announcement: text(40),
  restartToCutOff: fc.boolean(),
  rateLimit: fc.nat(5000),
  weight: fc.nat(1000),
} as const);

/** Rows with every optional field, one of each kind that has a secret, and rows with none. */
const FULL: Partial<InboundRow> = {
  groupId: 1,
  host: 'a.example',
  sni: 'a.example',
  path: '/a',
  serviceName: 'a',
  proxyHeader: 'X-Forwarded-For',
  flow: 'xtls-rprx-vision',
  fingerprint: 'chrome',
  alpn: ['h2'],
  publicKey: 'a'.repeat(43),
  xhttpMode: 'packet-up',
  xhttpExtra: { xPaddingBytes: '100-1000', xmux: { maxConnections: 4 } },
  encryption: 'mlkem768x25519plus.native.0rtt.k',
  mldsa65Verify: 'v'.repeat(2603),
  shortId: '6ba8',
  moreShortIds: ['ab'],
  moreServerNames: ['b.example'],
  obfsPassword: 'abcd',
  hopPorts: '20000-30000',
  masquerade: 'https://www.example.org',
  fragment: 'tlshello,100-200,10-20',
  noise: '3,50-100,10-20',
  mux: 8,
  sharesPortOf: null,
  fallback: '127.0.0.1:8080',
  fallbackProxyProtocol: 1,
  addressPool: '10.64.0.0/10',
  mtu: 1420,
  target: 'a.example:443',
  minClientVersion: '1.8.0',
  hosts: [FULL_HOST, sampleHost()],
  hostOrder: 'weighted',
  targetFindings: ['target_no_h2'],
  note: NOTE,
};
const ROWS: readonly Partial<InboundRow>[] = [
  {},
  { ...FULL, security: 'reality' },
  { ...FULL, groupId: 2, security: 'tls', certificate: CERTIFICATE },
  { ...FULL, groupId: 3, protocol: 'shadowsocks', method: '2022-blake3-aes-256-gcm' },
  { ...FULL, groupId: 4, protocol: 'wireguard', network: 'udp' },
  { ...FULL, groupId: 5, sharesPortOf: 2 },
];

/** A panel's node, whose machine is behind the wire with a lease and a ledger on disk. */
async function openScene(temp: TempStore, folder: string, keys: Keys, note: (exchange: Exchange) => void) {
  const { store } = temp;
  const clock = createTestClock(Date.now() - DAY);
  const env = createHeavyEnv(coreParts(temp, { clock }));
  const nodeId = store.nodes.insert(sampleNode({ kind: 'remote' }));
  const fake = createFakeMachine();
  const timers = createTestTimers();
  const log = createTestLog();
  const ledger = openNodeLedger(join(folder, 'ledger.db'), plainSeal);
  const { lease } = ledger;
  const recorded = meterEngine(realLooking(fake), { ledger, clock, timers, log });
  const kept = superviseEngine(recorded, { crypto: nodeCrypto, timers, log, lease });
  const engine = enforceLease(kept, { lease, clock, timers, log });
  const parts = {
    identity: keys.node,
    engine,
    clock,
    log,
    version: '1.0.0',
    obeyed: SOLE_PANEL,
    programs: NO_PROGRAMS,
  };
  const listener = await serveNode(parts, { host: HOST, port: 0 });
  const tap = await tapNode(listener.port, keys, note);
  const panel = dial(tap.port, keys);
  const node = createNodeReconciler(env, nodeId, panel);
  return {
    store,
    env,
    clock,
    fake,
    nodeId,
    lease,
    panel,
    round: () => node.round(true),
    async close() {
      panel.close();
      tap.close();
      await listener.close();
      engine.close();
    },
  };
}

it('requests of the panel have every part that one may have, made of any rows of its store', async () => {
  using temp = tempStore();
  using folder = tempFolder();
  const keys = await makeKeys();
  const coverage = createCoverage();
  const exchanges: Exchange[] = [];
  /** Users as they were last sent, by id. */
  const sent = new Map<number, unknown>();
  const scene = await openScene(temp, folder.path, keys, (exchange) => {
    exchanges.push(exchange);
    const { part } = exchange.request as { part?: { users: readonly { id: number }[] } | null };
    for (const user of part?.users ?? []) sent.set(user.id, user);
  });
  const { store, env, clock, fake, nodeId, panel } = scene;
  store.tariffs.insert(sampleTariff());
  const inboundIds: number[] = [];
  let port = 1000;
  function insertInbound({ id: _, ...row }: InboundRow): void {
    port += 1;
    const id = store.inbounds.insert({ ...row, nodeId, tag: `in-${port}`, port, updatedAt: clock.now() });
    inboundIds.push(id);
    for (const name of ['private_key', 'certificate_key', 'server_key', 'decryption', 'mldsa65_seed'] as const)
      saveSecret(env, id, name, Buffer.alloc(32, 1).toString('base64'));
  }
  for (const row of ROWS) insertInbound(sampleInbound(row));

  const anyRound = fc.record({
    users: fc.array(fc.record({ settled: settledAccount, fields: userFields, odds: fc.array(odd, { maxLength: 2 }) }), {
      minLength: 1,
      maxLength: 3,
    }),
    inbounds: fc.array(inbound, { maxLength: 1 }),
    settings,
  });
  await fc.assert(
    fc.asyncProperty(anyRound, async (round) => {
      const { weight, ...changed } = round.settings;
      const now = clock.advance(10_000);
      const ids: number[] = [];
      store.write(() => {
        store.settings.set(changed);
        env.forgetSettings();
        const present = store.nodes.get(nodeId);
        if (present) store.nodes.save({ ...present, weight, updatedAt: now });
        for (const row of round.inbounds) insertInbound(row);
        for (const { settled, fields, odds } of round.users) {
          const { cutOff, isOnAll, ...rest } = fields;
          const excess = { addresses: 3, at: now, cutOffUntil: cutOff ? now + HOUR : null, cutOffNode: null };
          const inbounds = isOnAll ? null : inboundIds.slice(0, 2);
          const flags = { noticeAnnounced: null, expiredAnnounced: rest.expiredAnnounced, trafficLowAnnounced: false };
          const { account } = settled;
          const own = odds.length === 0 ? account : { ...account, grants: [] };
          const more: Partial<NewUser> = {
            ...rest,
            updatedAt: now,
            excess,
            inbounds,
            ...(odds.length > 0 && { extra: 1 }),
          };
          const { id } = storeAccount(store, own, flags, settled.now, more);
          for (const { bytes, ...grant } of odds) {
            const made = { bytes, bytesLeft: bytes, lifetime: 'used', days: null, createdAt: now } as const;
            store.grants.insert({ ...made, ...grant, userId: id });
          }
          const [first = 0, second = 0] = inboundIds;
          const byInbound = [
            { inboundId: first, value: `own ${id}`, flow: null },
            { inboundId: second, value: `own ${id}`, flow: '' },
          ];
          if (odds.length > 0) store.users.saveCredentials(id, { ...store.users.credentials(id), byInbound });
          ids.push(id);
        }
      });
      await scene.round();
      expect(store.nodes.get(nodeId)).toMatchObject({ status: 'up', errorCode: null });
      for (const id of ids) {
        const row = store.users.get(id);
        const grants = row && row.extra > 0 ? store.grants.live(id) : [];
        const {
          leased,
          leftOut: _,
          tokenHash,
          ...user
        } = sent.get(id) as never as Record<string, Record<string, unknown>>;
        const { account } = leased as never as { account: object };
        expect({ ...row, credentials: store.users.credentials(id), grants }).toMatchObject({ ...user, ...account });
        expect(tokenHash).toBe(env.crypto.sha256(row?.token ?? ''));
        expect(scene.lease.findLink(String(tokenHash), now)?.user).toMatchObject(user);
      }
      fake.move(ids[0] ?? 0, inboundIds[0] ?? 0, { up: 1, down: 1 });
    }),
    { numRuns: ROUNDS },
  );

  // The engine refuses one user, another is deleted, and the rare calls are made.
  const sample = sampleUser({ onlineAt: clock.now() });
  const byInbound = [{ inboundId: inboundIds[0] ?? 0, value: 'own', flow: '' }];
  const id = store.users.insert({ ...sample, credentials: { ...sample.credentials, byInbound } });
  fake.refuses.add(id);
  clock.advance(10_000);
  await scene.round();
  clock.advance(10_000);
  await scene.round();
  store.users.remove(id);
  await scene.round();
  expect(store.nodes.get(nodeId)).toMatchObject({ status: 'up' });
  const rows = store.inbounds.page({ nodeId }, 1000, 0);
  const config = { inbounds: rows.map((row) => engineInbound(env, row)), blocksPrivate: true };
  await panel.check(config);
  await panel.stop();
  await panel.stop(true);
  const everybody = store.sync.membersAfter(1, 0, 1000);
  await panel.start(
    config,
    everybody.map((user) => ({ ...user, inbounds: user.inbounds ?? inboundIds })),
    'ab',
  );
  for (const each of config.inbounds) {
    expect(await panel.members(each)).not.toBeNull();
    const changes = everybody.map((user) => ({ inbound: each, user, isAllowed: true }));
    expect(await panel.apply(changes)).toHaveLength(changes.length);
    await panel.reopen?.(each, async () => []);
  }
  expect(await panel.findSessions?.(config.inbounds, [1])).toEqual([]);
  await panel.connected();
  await panel.programs?.();
  await expect(panel.changeProgram?.('xray-26.3.27')).rejects.toMatchObject({ code: 'engine_refused' });
  await expect(panel.changeProgram?.(null)).rejects.toMatchObject({ code: 'engine_refused' });
  await scene.close();
  for (const exchange of exchanges) {
    coverage.note(exchange);
    expect(JSON.stringify(exchange.request)).not.toContain(NOTE);
  }
  expect(coverage.missing('?')).toEqual([]);
});

const boot = fc.stringMatching(/^[a-z0-9]{1,64}$/);
const runningEngine = fc.record({
  name: fc.constantFrom('xray', 'v2ray'),
  version: fc.constantFrom('26.3.27', '4.34.0'),
  boot: fc.option(boot),
  fingerprint: fc.option(fc.constant('ab'.repeat(8))),
  startedAt: fc.constant(Date.now() - HOUR),
} as const);
const engineError = fc
  .record({ code: fc.constantFrom(...NODE_ERROR_CODES), message: text(20) })
  .map(({ code, message }) => new EngineError(code, message));
const moved = { up: amount, down: amount };
const userId = fc.integer({ min: 1, max: 9 });
const tag = fc.constantFrom('in', 'in-2');
const seq = fc.nat(100);
const ledgerPage = fc.record({
  ledger: fc.constant('a'.repeat(32)),
  run: fc.constant('b'.repeat(32)),
  acknowledged: seq,
  entries: fc.array(
    fc.oneof(
      fc.record({ seq, boot, userId, tag: fc.constant(null), ...moved }),
      fc.record({ seq, boot, userId: fc.constant(null), tag, ...moved }),
    ),
  ),
  ends: fc.array(fc.record({ seq, boot })),
  events: fc.array(
    fc.record({ seq, kind: fc.constantFrom(...LEASE_EVENTS), at: fc.nat(), userId, boot: fc.option(boot), ...moved }),
  ),
  until: seq,
  isLast: fc.boolean(),
  failure: fc.option(engineError),
});
const programName = fc.constantFrom('xray-26.3.27', 'v2ray-4.34.0');
const programs = fc.record({
  current: fc.option(programName),
  former: fc.option(programName),
  offered: fc.array(programName, { maxLength: 3 }),
  hasOwnPath: fc.boolean(),
  job: fc.option(
    fc.record({ name: fc.option(programName), state: fc.constantFrom('running', 'failed'), reason: text(20) } as const),
  ),
});
const said = fc.record({
  running: fc.option(runningEngine),
  started: runningEngine,
  held: fc.option(
    fc.record({ leaseId: fc.constant('c'.repeat(32)), version: seq, at: fc.option(fc.nat()), users: fc.nat() }),
  ),
  load: fc.option(fc.nat(500)),
  waiting: fc.option(fc.record({ entries: fc.nat(), bytes: amount })),
  certificate: fc.option(
    fc.record({
      endsAt: fc.option(fc.nat()),
      isLate: fc.boolean(),
      failure: fc.option(fc.constantFrom('refused', 'unreachable')),
    } as const),
  ),
  page: ledgerPage,
  outcomes: fc.tuple(fc.option(engineError), fc.option(engineError)),
  members: fc.option(fc.uniqueArray(userId).map((all) => all.toSorted((a, b) => a - b))),
  connected: fc.option(
    fc
      .array(fc.tuple(userId, fc.array(fc.record({ address: fc.ipV6(), openedAt: fc.nat() }))))
      .map((all) => new Map(all)),
  ),
  sessions: fc.array(fc.record({ inboundId: userId, userId })),
  programs,
});

it('whatever an engine and its machine say arrives as it was said, and nothing else', async () => {
  const keys = await makeKeys();
  const coverage = createCoverage();
  const { engine } = createFakeMachine().attach();
  await fc.assert(
    fc.asyncProperty(said, async (all) => {
      // At run time values may have more members than their types.
      const more = <T extends object>(value: T): T => ({ ...value, secret: 'not for the panel' });
      const facts: MachineFacts = {
        load: all.load,
        clockOffset: null,
        version: null,
        certificate: null,
        waiting: all.waiting && more(all.waiting),
      };
      const talking: Engine = {
        ...engine,
        running: async () => all.running && more(all.running),
        check: async () => {},
        start: async () => more(all.started),
        startHeld: async () => all.running && more(all.running),
        stop: async () => {},
        machine: () => more(facts),
        readLedgerPage: async () => more(all.page),
        lease: async () => all.held && more(all.held),
        apply: async () => all.outcomes,
        members: async () => all.members,
        connected: async () => all.connected,
        findSessions: async () => all.sessions.map(more),
        reopen: async () => {},
      };
      const parts = {
        identity: keys.node,
        engine: talking,
        clock: systemClock,
        log: createTestLog(),
        version: '1.0.0',
      };
      const listener = await serveNode(
        {
          ...parts,
          certificate: () => all.certificate && more(all.certificate),
          obeyed: SOLE_PANEL,
          programs: { read: async () => more(all.programs), begin: () => {} },
        },
        { host: HOST, port: 0 },
      );
      const exchanges: Exchange[] = [];
      const tap = await tapNode(listener.port, keys, (exchange) => exchanges.push(exchange));
      const panel = dial(tap.port, keys);
      const withoutStart = (running: RunningEngine | null | undefined) => running && { ...running, startedAt: 0 };
      const config = { inbounds: [], blocksPrivate: true };
      const change = {
        inbound: sampleEngineInbound,
        user: { userId: 1, credentials: NO_CREDENTIALS },
        isAllowed: true,
      };
      expect(withoutStart(await panel.running())).toEqual(withoutStart(all.running));
      expect(panel.machine()).toMatchObject({ load: all.load, certificate: all.certificate, waiting: all.waiting });
      await panel.check(config);
      expect(withoutStart(await panel.start(config, [], 'ab'))).toEqual(withoutStart(all.started));
      const held = { leaseId: 'c'.repeat(32), version: 1 };
      expect(withoutStart(await panel.startHeld?.(config, held, 'ab'))).toEqual(withoutStart(all.running));
      await panel.stop(true);
      expect(await panel.readLedgerPage(null, true)).toEqual(all.page);
      expect(await panel.lease?.(null)).toEqual(all.held);
      expect(await panel.apply([change, change])).toEqual(all.outcomes);
      expect(await panel.members(sampleEngineInbound)).toEqual(all.members);
      expect(await panel.connected()).toEqual(all.connected);
      expect(await panel.findSessions?.([sampleEngineInbound], [1])).toEqual(all.sessions);
      await panel.reopen?.(sampleEngineInbound, async () => []);
      expect(await panel.programs?.()).toEqual(all.programs);
      await panel.changeProgram?.(null);
      for (const exchange of exchanges) {
        coverage.note(exchange);
        expect(JSON.stringify(exchange.reply)).not.toContain('secret');
        expect(exchange.status).toBe(200);
      }
      panel.close();
      tap.close();
      await listener.close();
    }),
    { numRuns: times(25, 150) },
  );
  // Machines before version 1.4 do not report their state.
  expect(coverage.missing('!')).toEqual([]);
});

/** Each number of a schema with its bounds and its path. */
function listNumbers(schema: unknown, path: string): readonly (readonly [path: string, min: unknown, max: unknown])[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const inner = Object.entries(schema).flatMap(([key, part]) => listNumbers(part, `${path}/${key}`));
  if (!('type' in schema) || (schema.type !== 'number' && schema.type !== 'integer')) return inner;
  const { minimum, maximum } = schema as { minimum?: unknown; maximum?: unknown };
  return [...inner, [path, minimum, maximum]];
}

const NUMBERS = Object.entries({ requests: REQUESTS, replies: REPLIES }).flatMap(([kind, messages]) =>
  Object.entries(messages).flatMap(([name, schema]) =>
    listNumbers(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), `${kind}/${name}`),
  ),
);

describe('the numbers of messages', () => {
  it('are found', () => expect(NUMBERS.length).toBeGreaterThan(80));

  it.each(NUMBERS)('%s has bounds that the store has too', (path, min, max) => {
    // Only times of other clocks may be before 1970; all other numbers are counts.
    expect(min).toBeGreaterThanOrEqual(max === MAX_INSTANT ? -MAX_INSTANT : 0);
    expect(max, path).toBeLessThanOrEqual(Number.MAX_SAFE_INTEGER);
  });
});
