// What the panel writes is what the engines take: every shape of a connection, with users and without, checked by the programs themselves.
import { spawnSync } from 'node:child_process';
import { fc } from '@fast-check/vitest';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { certificateMaker } from '../../src/adapters/certificates/connection-certificates.ts';
import { nodeCrypto } from '../../src/adapters/crypto.ts';
import { METHODS, NETWORKS, PROTOCOLS, SECURITIES } from '../../src/contract/inbounds.ts';
import type { EngineInbound, EngineName } from '../../src/core/ports/engines.ts';
import type { KeyedCertificate } from '../../src/core/ports/ports.ts';
import { allowedNetworks, allowedSecurities } from '../../src/domain/nodes/inbound-shape.ts';
import { hasKeys, keyFor } from '../../src/domain/nodes/shadowsocks.ts';
import { computeFingerprint, engineConfigText, type StartUser } from '../../src/engines/engine-config.ts';
import { times } from '../support/long.ts';
import { anyInbound, hostileName, sampleInbound } from '../support/subscription-samples.ts';
import { getProgramPath, whyWithout } from './found.ts';

type Program = EngineName | 'xray-new';
const TEST_ARGS: Readonly<Record<Program, readonly string[]>> = {
  xray: ['run', '-test', '-config', 'stdin:'],
  'xray-new': ['run', '-test', '-config', 'stdin:'],
  v2ray: ['-test', '-config', 'stdin:'],
};
const KEYS = nodeCrypto.newX25519();
const KEY = Buffer.alloc(32, 7).toString('base64');

let certificate: KeyedCertificate;
beforeAll(async () => {
  certificate = await certificateMaker.makeSelfSigned('node.example', Date.now());
});
let checked = 0;
afterAll(() => console.log(`${checked} configurations checked by engines`));

/** A connection of a shape with everything that its engine needs. */
function complete(fields: Partial<EngineInbound>): EngineInbound {
  const isReality = fields.security === 'reality';
  const isTls = fields.security === 'tls';
  const isWireguard = fields.protocol === 'wireguard';
  const hasKeyPair = isReality || isWireguard;
  const serverKey = hasKeys(fields.method ?? null) ? keyFor(fields.method ?? '', KEY) : null;
  return {
    ...sampleInbound(),
    sni: isReality ? 'www.example.org' : null,
    publicKey: hasKeyPair ? KEYS.publicKey : null,
    privateKey: hasKeyPair ? KEYS.privateKey : null,
    addressPool: isWireguard ? '10.64.0.0/10' : null,
    shortId: isReality ? '6ba85179e30d4fc2' : null,
    certificate: isTls ? certificate.served : null,
    certificateKey: isTls ? certificate.key : null,
    serverKey,
    decryption: null,
    mldsa65Seed: null,
    ...fields,
  };
}

function shapes(): EngineInbound[] {
  const plain = PROTOCOLS.filter((protocol) => protocol !== 'shadowsocks').flatMap((protocol) =>
    allowedSecurities(protocol).flatMap((security) =>
      allowedNetworks({ protocol, security }).map((network) => ({ protocol, security, network })),
    ),
  );
  const more: Partial<EngineInbound>[] = [
    { protocol: 'vless', security: 'reality', flow: 'xtls-rprx-vision' },
    { protocol: 'vless', security: 'tls', flow: 'xtls-rprx-vision', alpn: ['h2', 'http/1.1'] },
    {
      protocol: 'vless',
      security: 'reality',
      target: '[2001:db8::1]:8443',
      minClientVersion: '26.3.27',
      shortId: null,
    },
    { protocol: 'trojan', security: 'tls', network: 'ws', path: '/ws?ed=2048' },
    { protocol: 'vmess', network: 'grpc', serviceName: 'a/b' },
    { protocol: 'hysteria2', network: 'quic', security: 'tls', obfsPassword: 'obfus"cated' },
    ...METHODS.map((method) => ({ protocol: 'shadowsocks' as const, method })),
  ];
  return [...plain, ...more].map((fields, index) =>
    complete({ ...fields, id: index + 1, tag: `in-${index}`, port: 20_000 + index }),
  );
}

/** Connections with all that a person may type into them, as the panel allows it to be stored. */
const anySet = fc
  .array(fc.record({ number: fc.nat(), typed: anyInbound, name: hostileName }), { minLength: 1, maxLength: 16 })
  .map((made) => {
    const all = shapes();
    return made.map(({ number, typed, name }, index): EngineInbound => {
      const shape = all[number % all.length] ?? complete({});
      const { path, serviceName, alpn, mtu } = typed;
      return {
        ...shape,
        ...{ id: index + 1, tag: `in-${index}`, port: 20_000 + index, name, path, serviceName, mtu },
        alpn: shape.security === 'tls' && shape.network === 'tcp' && alpn && alpn.length > 0 ? alpn : null,
        sni: shape.sni === null ? typed.sni : shape.sni,
        obfsPassword: shape.protocol === 'hysteria2' ? typed.obfsPassword : null,
      };
    });
  });

function buildUsers(inbounds: readonly EngineInbound[], count: number): StartUser[] {
  return Array.from({ length: count }, (_, index) => ({
    userId: index + 1,
    credentials: {
      uuid: nodeCrypto.uuid(),
      password: `password-${index}-long-enough`,
      key: Buffer.alloc(32, index + 1).toString('base64'),
      wireguard: Buffer.alloc(32, index + 101).toString('base64'),
    },
    inbounds: inbounds.map(({ id }) => id),
  }));
}

function buildConfigText(
  name: EngineName,
  inbounds: readonly EngineInbound[],
  users: readonly StartUser[],
  isOpen: boolean,
) {
  const config = { inbounds, blocksPrivate: !isOpen };
  const start = {
    name,
    apiPort: 19_999,
    innerPorts: new Map(),
    boot: 'b1',
    fingerprint: computeFingerprint(config),
    spareKey: KEY,
  };
  return engineConfigText(config, users, start);
}

/** What the program says; null: it would start. */
function findRefusal(name: Program, text: string): string | null {
  checked += 1;
  const { status, stdout, stderr } = spawnSync(getProgramPath(name), TEST_ARGS[name], {
    input: text,
    encoding: 'utf8',
  });
  return status === 0 ? null : `${status}: ${stdout}${stderr}`.slice(-500);
}

describe.each(['xray', 'xray-new'] as const)('%s', (program) => {
  const missing = whyWithout(program);
  test.skipIf(missing !== null)(
    `takes every shape at once, with users and without, whatever users may reach ${missing ?? ''}`.trim(),
    () => {
      const inbounds = shapes();
      const combinations = new Set(
        inbounds.map(({ protocol, network, security }) => [protocol, network, security].join()),
      );
      // 5 networks x 3 securities are 15: reality has 3 networks, vmess no reality, trojan no none, shadowsocks one shape. QUIC is that of hysteria2, UDP that of wireguard.
      expect(combinations.size).toBe(13 + 10 + 8 + 1 + 1 + 1);
      expect((NETWORKS.length - 2) * SECURITIES.length).toBe(15);
      for (const count of [0, 3]) {
        for (const isOpen of [false, true]) {
          expect(
            findRefusal(program, buildConfigText('xray', inbounds, buildUsers(inbounds, count), isOpen)),
          ).toBeNull();
        }
      }
    },
  );

  const runs = times(5, 200);
  test.skipIf(missing !== null)(
    `takes ${runs} sets with anything typed into them ${missing ?? ''}`.trim(),
    async () => {
      await fc.assert(
        fc.property(anySet, fc.boolean(), (inbounds, isOpen) => {
          expect(findRefusal(program, buildConfigText('xray', inbounds, buildUsers(inbounds, 2), isOpen))).toBeNull();
        }),
        { numRuns: runs },
      );
    },
  );

  test.skipIf(missing !== null)(`takes each of them alone ${missing ?? ''}`.trim(), () => {
    const refused = shapes().flatMap((inbound) => {
      const refusal = findRefusal(program, buildConfigText('xray', [inbound], buildUsers([inbound], 1), true));
      return refusal === null ? [] : [`${inbound.protocol} ${inbound.network} ${inbound.security}: ${refusal}`];
    });
    expect(refused).toEqual([]);
  });
});

const withoutV2ray = whyWithout('v2ray');
describe.skipIf(withoutV2ray !== null)(`v2ray ${withoutV2ray ?? ''}`.trim(), () => {
  test('takes all that is not refused first', () => {
    const taken = shapes().filter((inbound) => {
      try {
        buildConfigText('v2ray', [inbound], [], false);
        return true;
      } catch {
        return false;
      }
    });
    const kinds = new Set(taken.map(({ protocol, network, security }) => `${protocol} ${network} ${security}`));
    expect([...kinds].toSorted()).toEqual([
      'trojan tcp tls',
      'trojan ws tls',
      'vless tcp none',
      'vless tcp tls',
      'vless ws none',
      'vless ws tls',
      'vmess tcp none',
      'vmess tcp tls',
      'vmess ws none',
      'vmess ws tls',
    ]);
    for (const count of [0, 3]) {
      expect(findRefusal('v2ray', buildConfigText('v2ray', taken, buildUsers(taken, count), false))).toBeNull();
    }
  });
});
