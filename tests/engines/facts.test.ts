// The table of engine facts against the engines themselves: what it says that one lacks, that one refuses to start with.
import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { ENGINE_FACTS, missingFacts, NO_PARTS, type ServedShape } from '../../src/domain/nodes/engine-facts.ts';
import type { Json, ServerProgram } from '../support/engine-process.ts';
import { getProgramPath, whyWithout } from './found.ts';

const UUID = '66ad4540-b58c-4ad2-9926-ea63445a9b57';
const KEY = Buffer.alloc(16, 3).toString('base64');
const REALITY_KEY = '6Fh1ZxNa9rCjQ0jvM3bT5yWk2sE8uLpD4oIfGzXqR0A';

const VLESS: ServedShape = {
  protocol: 'vless',
  network: 'tcp',
  security: 'none',
  flow: null,
  ...NO_PARTS,
};
const DECRYPTION = `mlkem768x25519plus.native.600s.${REALITY_KEY}`;
const vless = (flow?: string) => ({ decryption: 'none', clients: [{ id: UUID, email: 'u1', flow }] });
const REALITY = {
  security: 'reality',
  realitySettings: { dest: 'example.org:443', serverNames: ['example.org'], privateKey: REALITY_KEY, shortIds: [''] },
};

/** For each fact a connection that needs it, and what an engine reads of it. */
const SAMPLES: Readonly<Record<string, { shape: ServedShape; protocol?: string; settings: Json; stream: Json }>> = {
  gRPC: { shape: { ...VLESS, network: 'grpc' }, settings: vless(), stream: { network: 'grpc' } },
  HTTPUpgrade: { shape: { ...VLESS, network: 'httpupgrade' }, settings: vless(), stream: { network: 'httpupgrade' } },
  XHTTP: { shape: { ...VLESS, network: 'xhttp' }, settings: vless(), stream: { network: 'xhttp' } },
  'XHTTP with obfuscation': {
    shape: { ...VLESS, network: 'xhttp', xhttpExtra: { seqPlacement: 'header' } },
    settings: vless(),
    stream: { network: 'xhttp', xhttpSettings: { extra: { seqPlacement: 'header' } } },
  },
  REALITY: { shape: { ...VLESS, security: 'reality' }, settings: vless(), stream: REALITY },
  'XTLS Vision': {
    shape: { ...VLESS, security: 'reality', flow: 'xtls-rprx-vision' },
    settings: vless('xtls-rprx-vision'),
    stream: REALITY,
  },
  'VLESS encryption': {
    shape: { ...VLESS, encryption: 'e' },
    settings: { ...vless(), decryption: DECRYPTION },
    stream: {},
  },
  'REALITY with ML-DSA-65': {
    shape: { ...VLESS, security: 'reality', mldsa65Verify: 'v' },
    settings: vless(),
    stream: {
      ...REALITY,
      realitySettings: { ...REALITY.realitySettings, mldsa65Seed: Buffer.alloc(32, 5).toString('base64url') },
    },
  },
  'Shadowsocks with several users': {
    shape: { ...VLESS, protocol: 'shadowsocks', method: 'aes-256-gcm' },
    settings: { clients: [{ email: 'u1', method: 'aes-256-gcm', password: 'p' }] },
    stream: {},
  },
  'Shadowsocks 2022 with several users': {
    shape: { ...VLESS, protocol: 'shadowsocks', method: '2022-blake3-aes-128-gcm' },
    settings: { method: '2022-blake3-aes-128-gcm', password: KEY, clients: [{ email: 'u1', password: KEY }] },
    stream: {},
  },
  Hysteria2: {
    shape: { ...VLESS, protocol: 'hysteria2', network: 'quic', security: 'tls' },
    protocol: 'hysteria',
    settings: { version: 2, clients: [{ auth: 'p', email: 'u1' }] },
    stream: { network: 'hysteria', security: 'tls', hysteriaSettings: { version: 2 } },
  },
  'WireGuard with several users': {
    shape: { ...VLESS, protocol: 'wireguard', network: 'udp' },
    settings: {
      secretKey: REALITY_KEY,
      peers: [{ publicKey: REALITY_KEY, allowedIPs: ['10.64.0.2/32'], email: 'u1' }],
    },
    stream: {},
  },
};

/** What an engine that lacks it reads without a word, to serve the connection in clear: only the table can refuse it. */
const PASSED_OVER: Readonly<Record<ServerProgram, readonly string[]>> = {
  // Older ones have WireGuard without users that can be added and counted.
  xray: ['WireGuard with several users'],
  'xray-new': [],
  v2ray: ['REALITY', 'REALITY with ML-DSA-65', 'XTLS Vision'],
};

const ARGS: Readonly<Record<ServerProgram, readonly string[]>> = {
  xray: ['run', '-test', '-c', 'stdin:'],
  'xray-new': ['run', '-test', '-c', 'stdin:'],
  v2ray: ['-test', '-config', 'stdin:'],
};

for (const program of ['xray', 'xray-new', 'v2ray'] as const) {
  const reason = whyWithout(program);
  describe.skipIf(reason !== null)(`${program} ${reason ?? ''}`.trim(), () => {
    test.each(ENGINE_FACTS.map(({ title }) => title))('%s', (title) => {
      const sample = SAMPLES[title];
      if (!sample) throw new Error(`no connection that needs ${title}`);
      const says = execFileSync(getProgramPath(program), [program === 'v2ray' ? '-version' : 'version'], {
        encoding: 'utf8',
      });
      const version = /^(?:Xray|V2Ray) ([\d.]+) /.exec(says)?.[1] ?? '';
      const lacks = missingFacts(sample.shape, { name: program === 'v2ray' ? 'v2ray' : 'xray', version });

      const inbound = {
        listen: '127.0.0.1',
        port: 1,
        protocol: sample.protocol ?? sample.shape.protocol,
        settings: sample.settings,
        streamSettings: sample.stream,
      };
      const config = { inbounds: [inbound], outbounds: [{ protocol: 'freedom' }] };
      const { status, stdout } = spawnSync(getProgramPath(program), ARGS[program], {
        input: JSON.stringify(config),
        encoding: 'utf8',
      });
      const isRefused = lacks.length > 0 && !PASSED_OVER[program].includes(title);
      expect({ isRefused: status !== 0, stdout }).toMatchObject({ isRefused });
      if (program === 'v2ray' && version.startsWith('4.')) expect(lacks.map((fact) => fact.title)).toContain(title);
    });
  });
}

const withoutNew = whyWithout('xray-new');
describe.skipIf(withoutNew !== null)(`VLESS in clear, in a client of xray-new ${withoutNew ?? ''}`.trim(), () => {
  const isTaken = (settings: Json) => {
    const config = { outbounds: [{ protocol: 'vless', settings }] };
    const input = JSON.stringify(config);
    return spawnSync(getProgramPath('xray-new'), ARGS['xray-new'], { input, encoding: 'utf8' }).status === 0;
  };
  // With one server and one user in place of lists, as the newer applications write it.
  const flat = (address: string) => isTaken({ address, port: 443, id: UUID, encryption: 'none' });
  const listed = (address: string) =>
    isTaken({ vnext: [{ address, port: 443, users: [{ id: UUID, encryption: 'none' }] }] });

  test.each(['8.8.8.8', 'de1.example.com'])('to the public address %s is refused in the flat form alone', (address) => {
    expect([flat(address), listed(address)]).toEqual([false, true]);
  });

  test.each(['10.0.0.1', '192.168.4.1', 'fd00::1', 'router.lan', 'localhost'])('to %s is taken', (address) => {
    expect([flat(address), listed(address)]).toEqual([true, true]);
  });
});
