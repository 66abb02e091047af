// One test a row of the table: the version before its first lacks it, the first has it. tests/engines asks the engines themselves.
import { describe, expect, it, test } from 'vitest';
import {
  abilityDifference,
  canReportAddresses,
  describeMissing,
  ENGINE_FACTS,
  engineDifference,
  engineNeeds,
  findCutOffs,
  isOlder,
  missingFacts,
  NO_PARTS,
  neededFacts,
  type ServedShape,
} from './engine-facts.ts';

const PLAIN: ServedShape = {
  protocol: 'vless',
  network: 'tcp',
  security: 'none',
  flow: null,
  ...NO_PARTS,
};
const REALITY = { ...PLAIN, security: 'reality' } as const;

/** A connection that needs a row, by its title. */
const SHAPES: Readonly<Record<string, ServedShape>> = {
  gRPC: { ...PLAIN, network: 'grpc' },
  HTTPUpgrade: { ...PLAIN, network: 'httpupgrade' },
  XHTTP: { ...PLAIN, network: 'xhttp' },
  REALITY,
  'XHTTP with obfuscation': { ...PLAIN, network: 'xhttp', xhttpExtra: { seqPlacement: 'header' } },
  'VLESS encryption': { ...PLAIN, encryption: 'e' },
  'REALITY with ML-DSA-65': { ...REALITY, mldsa65Verify: 'v' },
  'XTLS Vision': { ...REALITY, flow: 'xtls-rprx-vision' },
  'Shadowsocks with several users': { ...PLAIN, protocol: 'shadowsocks', method: 'aes-256-gcm' },
  'Shadowsocks 2022 with several users': {
    ...PLAIN,
    protocol: 'shadowsocks',
    method: '2022-blake3-aes-128-gcm',
  },
  Hysteria2: { ...PLAIN, protocol: 'hysteria2', network: 'quic', security: 'tls' },
  'WireGuard with several users': { ...PLAIN, protocol: 'wireguard', network: 'udp' },
};

function versionBefore(version: string): string {
  const numbers = version.split('.').map(Number);
  const last = numbers.findLastIndex((number) => number > 0);
  return numbers.map((number, index) => (index === last ? number - 1 : index > last ? 99 : number)).join('.');
}

describe.each(ENGINE_FACTS)('$title', ({ title, since }) => {
  const shape = SHAPES[title] ?? PLAIN;
  const lacks = (name: string, version: string) => missingFacts(shape, { name, version }).map((fact) => fact.title);

  it.each(['xray', 'v2ray'] as const)('%s', (name) => {
    const first = since[name];
    if (first === null) return expect(lacks(name, '99.1.1')).toContain(title);
    expect(lacks(name, first)).not.toContain(title);
    expect(lacks(name, `${first}.1`)).not.toContain(title);
    expect(lacks(name, versionBefore(first))).toContain(title);
  });
});

test('what every engine knows needs nothing, and an engine that is not known lacks nothing', () => {
  for (const protocol of ['vless', 'vmess', 'trojan'] as const)
    for (const network of ['tcp', 'ws'] as const)
      for (const security of ['none', 'tls'] as const)
        expect(missingFacts({ ...PLAIN, protocol, network, security }, { name: 'v2ray', version: '4.34.0' })).toEqual(
          [],
        );
  const shape: ServedShape = { ...PLAIN, network: 'xhttp' };
  expect(missingFacts(shape, { name: 'something', version: '1.0' })).toEqual([]);
  expect(missingFacts(shape, { name: 'xray', version: 'built yesterday' })).toEqual([]);
  expect(missingFacts(shape, { name: 'xray', version: '24.11' })).toHaveLength(1);
});

test('Xray tells addresses from 26.1.13 on, v2ray in no version', () => {
  const reportsAddresses = (name: string, version: string) => canReportAddresses({ name, version });
  expect([
    reportsAddresses('xray', '26.1.13'),
    reportsAddresses('xray', '26.3.27'),
    reportsAddresses('xray', '25.12.8'),
  ]).toEqual([true, true, false]);
  expect(reportsAddresses('v2ray', '5.40.0')).toBe(false);
});

test('the words say who has it, and what the node runs', () => {
  const words = ENGINE_FACTS.map((fact) => describeMissing(fact, { name: 'v2ray', version: '4.34.0' }));
  expect(words[0]).toBe('needs gRPC: Xray 1.4.0 or v2ray 4.36.0 or newer; its node runs v2ray 4.34.0');
  expect(words[2]).toBe('needs XHTTP: Xray 24.11.30 or newer; its node runs v2ray 4.34.0');
});

describe('findCutOffs', () => {
  it('says that Xray and v2ray refuse new connections, and how open ones end', () => {
    expect(findCutOffs({ name: 'xray', version: '1.0.0' })).toEqual(['refuse', 'reopen', 'restart']);
    expect(findCutOffs({ name: 'v2ray', version: '1.0.0' })).toEqual(['refuse', 'restart']);
    for (const name of ['other', 'constructor']) expect(findCutOffs({ name, version: '1.0.0' })).toBeNull();
  });
});

test('what a connection needs is the latest of the versions of all that it has', () => {
  expect(engineNeeds({ ...PLAIN, network: 'ws', security: 'tls' })).toBeNull();
  expect(engineNeeds({ ...PLAIN, network: 'grpc' })).toEqual({ xray: '1.4.0', v2ray: '4.36.0' });
  expect(engineNeeds({ ...PLAIN, network: 'grpc', security: 'reality' })).toEqual({ xray: '1.8.0', v2ray: null });
  expect(engineNeeds({ ...REALITY, network: 'xhttp', flow: 'xtls-rprx-vision' })).toEqual({
    xray: '24.11.30',
    v2ray: null,
  });
});

test('a change of version gives and takes what it has the first version of, addresses as well', () => {
  const xray = (version: string) => ({ name: 'xray', version });
  const both = (from: string, to: string) => engineDifference(xray(from), xray(to));
  expect(both('1.8.0', '1.8.9')).toEqual({ gained: ['HTTPUpgrade'], lost: [] });
  expect(both('1.8.9', '1.8.0')).toEqual({ gained: [], lost: ['HTTPUpgrade'] });
  expect(both('1.8.9', '1.8.24')).toEqual({ gained: [], lost: [] });
  const addresses = 'From where users are connected';
  expect(both('26.1.12', '26.1.13')).toEqual({ gained: [addresses], lost: [] });
  expect(both('26.1.13', '26.1.12')).toEqual({ gained: [], lost: [addresses] });
  const { gained, lost } = engineDifference({ name: 'v2ray', version: '5.40.0' }, xray('26.6.27'));
  expect(lost).toEqual([]);
  expect(gained).toEqual([
    ...ENGINE_FACTS.filter(({ since }) => since.v2ray === null).map(({ title }) => title),
    addresses,
  ]);
  expect(engineDifference(xray('26.6.27'), { name: 'v2ray', version: '5.40.0' })).toEqual({ gained: [], lost: gained });
  // Of an engine that is not known nothing is said to be there.
  expect(engineDifference({ name: 'other', version: '99.0' }, xray('1.4.0')).gained).toContain('gRPC');
});

test('the same by ids, for who has words of his own', () => {
  const before = { name: 'xray', version: '26.1.12' };
  const after = { name: 'xray', version: '26.3.23' };
  expect(abilityDifference(before, after)).toEqual({
    gained: ['xhttp_obfuscation', 'hysteria2', 'addresses'],
    lost: [],
  });
  expect(abilityDifference(after, before)).toEqual({
    gained: [],
    lost: ['xhttp_obfuscation', 'hysteria2', 'addresses'],
  });
  expect(abilityDifference(after, after)).toEqual({ gained: [], lost: [] });
  expect(abilityDifference({ name: 'v2ray', version: '5.40.0' }, { name: 'xray', version: '26.6.27' })).toEqual({
    gained: [
      'httpupgrade',
      'xhttp',
      'xhttp_obfuscation',
      'reality',
      'vision',
      'vless_encryption',
      'mldsa65',
      'shadowsocks',
      'shadowsocks_2022',
      'hysteria2',
      'wireguard',
      'addresses',
    ],
    lost: [],
  });
  expect(canReportAddresses({ name: 'v2ray', version: '26.1.13' })).toBe(false);
});

test('what is missing names the setting that needs it', () => {
  const missing = (shape: ServedShape) => missingFacts(shape, { name: 'v2ray', version: '4.35.0' });
  const listMissingFields = (shape: ServedShape) => missing(shape).map(({ field }) => field);
  expect(listMissingFields({ ...REALITY, network: 'grpc', flow: 'xtls-rprx-vision' })).toEqual([
    'network',
    'security',
    'flow',
  ]);
  expect(listMissingFields({ ...PLAIN, protocol: 'shadowsocks', method: '2022-blake3-aes-256-gcm' })).toEqual([
    'protocol',
    'method',
  ]);
  expect(listMissingFields({ ...PLAIN, network: 'httpupgrade' })).toEqual(['network']);
  expect(listMissingFields({ ...PLAIN, network: 'xhttp' })).toEqual(['network']);
  expect(listMissingFields({ ...PLAIN, protocol: 'hysteria2', network: 'quic' })).toEqual(['protocol']);
  expect(listMissingFields({ ...PLAIN, protocol: 'wireguard', network: 'udp' })).toEqual(['protocol']);
});

test('what of the table a connection needs', () => {
  const titles = (shape: ServedShape) => neededFacts(shape).map(({ title }) => title);
  expect(titles(PLAIN)).toEqual([]);
  expect(titles({ ...REALITY, network: 'xhttp' })).toEqual(['XHTTP', 'REALITY']);
});

test('versions are compared number by number, and what is none is older than nothing', () => {
  expect([isOlder('1.8.0', '1.8.1'), isOlder('1.8.1', '1.8.0'), isOlder('1.8.1', '1.8.1')]).toEqual([
    true,
    false,
    false,
  ]);
  expect([isOlder('1.9', '1.10'), isOlder('1.10', '1.9'), isOlder('2', '1.9.9')]).toEqual([true, false, false]);
  expect([isOlder('1', '1.0.1'), isOlder('1', '1.0.0'), isOlder('1.0.0', '1')]).toEqual([true, false, false]);
  for (const text of ['', 'v1.0', '1.0-rc', '1..0', '1.0.'])
    expect([text, isOlder(text, '99.0')]).toEqual([text, false]);
});
