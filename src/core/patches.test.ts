// Merge patches over a real store, for every operation that takes one: what a patch sets is read back; what it leaves out stays. The same
// for the members of a new record.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { buildArbitrary } from '../../tests/support/arbitrary-of.ts';
import { CLI_CALL, coreParts } from '../../tests/support/core.ts';
import { times } from '../../tests/support/long.ts';
import { type TempStore, tempStore } from '../../tests/support/temp-store.ts';
import { certificateMaker } from '../adapters/certificates/connection-certificates.ts';
import { nodeCrypto } from '../adapters/crypto.ts';
import { parseInput, splitInput } from '../contract/input/input.ts';
import { acceptsProof, type Operation } from '../contract/operation.ts';
import { OPERATIONS, type OperationId } from '../contract/table.ts';
import { createCore } from './create-core.ts';
import type { Core } from './kernel/core.ts';
import { PanelError } from './kernel/panel-error.ts';
import type { Call, Reply } from './ports/call.ts';

type Members = Readonly<Record<string, unknown>>;

// An update of programs changes no record.
const PATCHES = Object.values(OPERATIONS).filter(({ id }) => id.startsWith('update') && id !== 'updateEngines');

/** The operations that read and create the record of a patch. */
const RECORDS: Readonly<Record<string, { readonly read: OperationId; readonly create: OperationId | null }>> = {
  updateUser: { read: 'getUser', create: 'createUser' },
  updateTariff: { read: 'getTariff', create: 'createTariff' },
  updateInbound: { read: 'getInbound', create: 'createInbound' },
  updateNode: { read: 'getNode', create: 'createNode' },
  updateSettings: { read: 'getPanelSettings', create: null },
};

const CERTIFICATE_MEMBERS = ['certificate_sha256', 'certificate_ends_at', 'certificate_self_signed'];

/** Members that the contract changes as a consequence of others; every record has its time of change. */
const CONSEQUENCES: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  updateUser: {
    enabled: ['state'],
    traffic_limit: ['state', 'traffic_remaining'],
    expires_at: ['state', 'hold', 'resets_at'],
    reset_strategy: ['resets_at'],
    tariff_id: [
      'state',
      'expires_at',
      'hold',
      'traffic_limit',
      'traffic_remaining',
      'reset_strategy',
      'resets_at',
      'device_limit',
      'concurrent_limit',
      'inbounds',
    ],
  },
  updateInbound: {
    private_key: ['public_key', 'has_private_key'],
    decryption: ['encryption', 'warnings'],
    encryption: ['warnings'],
    mldsa65_seed: ['mldsa65_verify', 'warnings'],
    mldsa65_verify: ['warnings'],
    xhttp_mode: ['warnings'],
    xhttp_extra: ['warnings'],
    security: ['has_private_key', 'warnings', ...CERTIFICATE_MEMBERS],
    // A certificate by the panel is for the name that apps request.
    host: ['warnings', ...CERTIFICATE_MEMBERS],
    sni: ['warnings', ...CERTIFICATE_MEMBERS],
    certificate: ['warnings', ...CERTIFICATE_MEMBERS],
    address_pool: ['warnings'],
    target: ['warnings'],
    min_client_version: ['warnings'],
    enabled: ['status'],
    shares_port_of: ['warnings', ...CERTIFICATE_MEMBERS],
  },
};

/** The secret of which a member is computed. */
const SECRETS: Readonly<Record<string, string>> = {
  public_key: 'private_key',
  encryption: 'decryption',
  mldsa65_verify: 'mldsa65_seed',
};

// Members of a connection depend on each other: each of these accepts what others refuse.
const KEYS = nodeCrypto.newX25519();
const DECRYPTION = `mlkem768x25519plus.native.600s.${KEYS.privateKey}`;
const SEED = 's'.repeat(42).concat('0');
const INBOUNDS: readonly Members[] = [
  { protocol: 'vless', network: 'tcp', security: 'none' },
  {
    protocol: 'vless',
    network: 'tcp',
    security: 'reality',
    sni: 'example.org',
    public_key: KEYS.publicKey,
    mldsa65_seed: SEED,
  },
  { protocol: 'vless', network: 'tcp', security: 'none', decryption: DECRYPTION },
  {
    protocol: 'vless',
    network: 'ws',
    security: 'tls',
    path: '/ws',
    proxy_header: 'X-Proxy',
    alpn: ['h2'],
    fragment: '1-3,50,0',
    mux: 8,
  },
  { protocol: 'vmess', network: 'xhttp', xhttp_mode: 'packet-up', xhttp_extra: { xPaddingBytes: '100-1000' } },
  { protocol: 'trojan', network: 'grpc', security: 'tls', service_name: 'grpc' },
  { protocol: 'shadowsocks', network: 'tcp', method: 'aes-128-gcm' },
  {
    protocol: 'hysteria2',
    obfs_password: 'obfuscated',
    hop_ports: '20000-30000',
    masquerade: 'https://a.example',
    noise: '1,10,0',
  },
  { protocol: 'wireguard', mtu: 1280 },
  { protocol: 'trojan', network: 'tcp', security: 'tls', fallback: '127.0.0.1:80', fallback_proxy_protocol: 1 },
  { protocol: 'vmess', network: 'httpupgrade', security: 'tls', path: '/upgrade' },
];
/** An inbound whose port others can share. */
const PORT_OWNER = { id: 3, port: 9999 };

const HOST = {
  name: 'CDN {{DAYS_LEFT}}',
  address: 'cdn.example',
  port: 8443,
  security: null,
  sni: null,
  host_header: null,
  path: null,
  alpn: null,
  fingerprint: null,
  weight: 2,
  tariffs: [],
  tags: [],
  enabled: true,
};

const NOW = Date.UTC(2026, 10, 20);
const GIVEN = await certificateMaker.makeSelfSigned('given.example', NOW);

/** Members for which random text is seldom valid. */
const VALUES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  // Unique: small numbers would soon be taken.
  telegram_id: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  time_zone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/St_Johns', 'Asia/Kathmandu'),
  certificate: fc.constantFrom(GIVEN.served.chain, null),
  certificate_key: fc.constant(GIVEN.key),
  target: fc.constantFrom('www.example.org:443', '[2001:db8::1]:8443', null),
  address_pool: fc.constantFrom('10.64.0.0/10', '192.168.4.0/24', null),
  proxy_header: fc.constantFrom('X-Forwarded-For', 'CF-Connecting-IP', null),
  hop_ports: fc.constantFrom('443', '20000-30000', '443,20000-20100', null),
  masquerade: fc.constantFrom('https://www.example.org', 'http://127.0.0.1:8080/site', null),
  fragment: fc.constantFrom('tlshello,100-200,10-20', '1-3,50,0', null),
  noise: fc.constantFrom('3,50-100,10-20', '1,10,0', null),
  shares_port_of: fc.constant(PORT_OWNER.id),
  fallback: fc.constantFrom('127.0.0.1:8080', '[2001:db8::1]:80', null),
  xhttp_extra: fc.constantFrom({ xmux: { maxConcurrency: 8 } }, { seqPlacement: 'header', seqKey: 'X-Seq' }, null),
  encryption: fc.constantFrom(
    `mlkem768x25519plus.native.0rtt.${KEYS.publicKey}`,
    `mlkem768x25519plus.native.1rtt.100-111-1111.${KEYS.publicKey}`,
    null,
  ),
  decryption: fc.constantFrom(DECRYPTION, null),
  mldsa65_seed: fc.constantFrom(SEED, null),
  mldsa65_verify: fc.constantFrom(nodeCrypto.mldsa65PublicKey(SEED), null),
  min_client_version: fc.constantFrom('1.8.0', '26.3.27', null),
  hosts: fc.constantFrom([], [HOST], [HOST, { ...HOST, address: '203.0.113.7', tariffs: [1], tags: ['vip'] }]),
  address: fc.constantFrom('de3.example.com', '192.0.2.7', '2001:db8::7'),
  support_url: fc.constantFrom('https://example.org/help', 'tg://resolve?domain=example', null),
};

let temp: TempStore;
let core: Core;
let tags = 0;

beforeAll(async () => {
  temp = tempStore();
  core = createCore(coreParts(temp));
  await call('createNode', { name: 'Frankfurt', address: 'de1.example.com' });
  for (const inbound of INBOUNDS.slice(0, 2)) await call('createInbound', newInbound(inbound));
  const owner = { protocol: 'vless', security: 'tls', port: PORT_OWNER.port };
  expect(await call('createInbound', newInbound(owner))).toMatchObject(PORT_OWNER);
  await call('createTariff', {
    name: 'Monthly',
    duration: { months: 1 },
    traffic_limit: 1000,
    device_limit: 2,
    concurrent_limit: 4,
  });
  await call('createTariff', { name: 'Held', duration: { days: 30 }, starts: 'on_first_use', inbounds: [1] });
});
afterAll(async () => {
  await core.stop();
  temp[Symbol.dispose]();
});

/** Rejects with PanelError, also for input that the contract refuses. */
async function call(id: OperationId, flat: Members): Promise<Members> {
  const input = parseInput(OPERATIONS[id], splitInput(OPERATIONS[id], flat));
  if (!input.ok) throw new PanelError('validation', input.errors);
  const run = core.call as (id: OperationId, input: unknown, call: Call) => Reply | Promise<Reply>;
  return (await run(id, input.value, CALL)).body as Members;
}

/** The command line needs no proof of identity. */
const CALL = CLI_CALL;

function newInbound(members: Members): Members {
  tags += 1;
  return { node_id: 1, tag: `tag-${tags}`, name: 'Germany', port: 10_000 + tags, ...members };
}

/** The schema of the members that an operation may set, without the record's id and the proof of identity. */
function pickFields(operation: Operation): z.ZodObject {
  let schema = (operation.door === 'api' ? operation.body : operation.input) as z.ZodObject;
  if (acceptsProof(operation)) schema = schema.omit({ password: true, code: true });
  return 'id' in schema.shape ? schema.omit({ id: true }) : schema;
}

/** Replaces random references by existing tariffs and connections. */
function withReferences(members: Members): Members {
  const { tariff_id: tariff, inbounds } = members;
  return {
    ...members,
    ...(typeof tariff === 'number' && { tariff_id: 1 + (tariff % 2) }),
    ...(Array.isArray(inbounds) && { inbounds: [...new Set(inbounds.map((id: number) => 1 + (id % 2)))] }),
  };
}

/** Records to patch: random valid ones, and for connections one of each kind. */
function generateStart(create: OperationId | null): fc.Arbitrary<Members> {
  if (create === null) return fc.constant({});
  if (create === 'createInbound') return fc.constantFrom(...INBOUNDS);
  const records = buildArbitrary(pickFields(OPERATIONS[create])) as fc.Arbitrary<Members>;
  // Random external ids and addresses would soon collide, so that few records could be created.
  if (create === 'createUser') return records.map((user) => ({ ...user, external_id: null, telegram_id: null }));
  if (create === 'createNode') return records.map((node) => ({ ...node, kind: 'remote', address: 'de2.example.com' }));
  if (create !== 'createTariff') return records;
  // Only a tariff with a duration may start with the first use: without one, patches of `starts` seldom change anything.
  return records.map((plan) => ({ ...plan, duration: plan.duration ?? { days: 30 } }));
}

/** A certificate and its key can only be set together, and who shares a port has the same, with a path of its own. */
function getCounterpart(member: string, value: unknown): Members {
  if (member === 'certificate' && value !== null) return { certificate_key: GIVEN.key };
  if (member === 'shares_port_of' && value !== null) return { port: PORT_OWNER.port, path: `/shared/${tags}` };
  return member === 'certificate_key' ? { certificate: GIVEN.served.chain } : {};
}

/** The form in which a member is read back. */
function readable(member: string, value: unknown): unknown {
  if (member === 'expires_at' && typeof value === 'string') return new Date(value).toISOString();
  // The longest notice comes first.
  if (member === 'expiring_notice_days') return (value as number[]).toSorted((a, b) => b - a);
  return value;
}

/** RFC 7396 for the objects of records, which hold no objects themselves. */
function merged(member: string, before: unknown, patch: unknown): unknown {
  // By the contract it is replaced as a whole.
  if (member === 'xhttp_extra') return patch;
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const members = Object.entries({ ...(before as Members | null), ...patch });
  return Object.fromEntries(members.filter(([, value]) => value !== null));
}

/** Applies a patch and compares the record before and after. Returns whether it was accepted and changed anything. */
async function check(id: OperationId, path: Members, patch: Members): Promise<boolean> {
  const { read } = RECORDS[id] ?? { read: 'getUser' };
  const before = await call(read, path);
  let reply: Members;
  try {
    reply = await call(id, { ...path, ...patch });
  } catch (error) {
    if (!(error instanceof PanelError)) throw error;
    expect(await call(read, path)).toEqual(before);
    return false;
  }
  const after = await call(read, path);
  expect(reply).toEqual(after);
  const consequences = CONSEQUENCES[id] ?? {};
  const following = new Set(Object.keys(patch).flatMap((member) => consequences[member] ?? []));
  for (const member of Object.keys(after)) {
    // A secret gives what apps have of it, also where the patch has none.
    if (patch[member] === null && typeof patch[SECRETS[member] ?? ''] === 'string') continue;
    if (member in patch)
      expect(after[member], member).toEqual(readable(member, merged(member, before[member], patch[member])));
    else if (!following.has(member) && member !== 'updated_at') expect(after[member], member).toEqual(before[member]);
  }
  if ('private_key' in patch) expect(after.has_private_key).toBe(patch.private_key !== null);
  return JSON.stringify({ ...after, updated_at: null }) !== JSON.stringify({ ...before, updated_at: null });
}

it('is about every PATCH of the API', () => {
  const patches = Object.values<Operation>(OPERATIONS).filter(
    (operation) => operation.door === 'api' && operation.method === 'PATCH',
  );
  expect(PATCHES).toEqual(expect.arrayContaining(patches));
  expect(Object.keys(RECORDS)).toEqual(PATCHES.map(({ id }) => id));
});

describe.each(PATCHES.map((operation) => [operation.id, operation] as const))('%s', (id, operation) => {
  const { create = null } = RECORDS[id] ?? {};
  const patch = pickFields(operation);
  const members = Object.keys(patch.shape);

  it.each(members)('sets %s, and leaves alone what it does not name', async (member) => {
    const value = VALUES[member] ?? buildArbitrary(patch.shape[member] as z.ZodType);
    const others = buildArbitrary(patch) as fc.Arbitrary<Members>;
    let changes = 0;
    await fc.assert(
      fc.asyncProperty(generateStart(create), value, others, async (start, set, more) => {
        const starts = create === 'createInbound' ? INBOUNDS : [start];
        for (const each of starts) {
          const path = await createRecord(create, each);
          if (path === null) continue;
          const only = { ...withReferences({ [member]: set }), ...getCounterpart(member, set) };
          if (await check(id, path, only)) changes += 1;
          await check(id, path, { ...withReferences(more), ...only });
        }
      }),
      // For connections each run tries every shape.
      { numRuns: create === 'createInbound' ? times(5, 20) : 20 },
    );
    expect(changes).toBeGreaterThan(0);
  });
});

/** The required members of new records. Those of a connection depend on its shape, and are tried with its patches. */
const NEW_RECORDS: Readonly<Record<string, Members>> = {
  createUser: { name: 'Anna', tariff_id: 1 },
  createTariff: { name: 'Monthly', duration: { days: 30 } },
  createNode: { name: 'Frankfurt', kind: 'remote', address: 'de2.example.com' },
};
const CREATES = Object.values(RECORDS).flatMap(({ read, create }) =>
  create === null || create === 'createInbound' ? [] : [[create, read] as const],
);

describe.each(CREATES)('%s', (create, read) => {
  const { shape } = pickFields(OPERATIONS[create]);

  it.each(Object.keys(shape))('stores %s', async (member) => {
    const value = VALUES[member] ?? buildArbitrary(shape[member] as z.ZodType);
    let stored = 0;
    await fc.assert(
      fc.asyncProperty(value, async (set) => {
        const path = await createRecord(create, { ...NEW_RECORDS[create], [member]: set });
        if (path === null) return;
        expect((await call(read, path))[member]).toEqual(readable(member, withReferences({ [member]: set })[member]));
        stored += 1;
      }),
      { numRuns: 20 },
    );
    expect(stored).toBeGreaterThan(0);
  });
});

/** The path of a new record; null: the core refuses the random one. */
async function createRecord(create: OperationId | null, members: Members): Promise<Members | null> {
  if (create === null) return {};
  try {
    const made = await call(create, create === 'createInbound' ? newInbound(members) : withReferences(members));
    return { id: made.id };
  } catch (error) {
    if (error instanceof PanelError) return null;
    throw error;
  }
}
