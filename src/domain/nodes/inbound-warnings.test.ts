// Each warning of a connection, and the connections that have none.
import { describe, expect, it } from 'vitest';
import { INBOUND_WARNINGS, type InboundWarning } from '../../contract/inbounds.ts';
import { DAY_MS } from '../limits.ts';
import { inboundWarnings, type WarnedFacts } from './inbound-warnings.ts';

const NOW = Date.UTC(2026, 10, 20);
const PLAIN: WarnedFacts = {
  protocol: 'vless',
  network: 'tcp',
  security: 'none',
  flow: null,
  method: null,
  fingerprint: null,
  obfsPassword: null,
  hopPorts: null,
  fragment: null,
  noise: null,
  mux: null,
  xhttpMode: null,
  xhttpExtra: null,
  encryption: null,
  mldsa65Verify: null,
  address: '10.0.0.1',
  sni: null,
  target: null,
  minClientVersion: null,
  addressPool: null,
  lastUserId: 1000,
  certificate: null,
  hosts: [],
  targetFindings: [],
};
const REALITY: WarnedFacts = { ...PLAIN, security: 'reality', address: 'a.example', sni: 'www.example.org' };
const TLS: WarnedFacts = {
  ...PLAIN,
  security: 'tls',
  address: 'a.example',
  certificate: { endsAt: NOW + 14 * DAY_MS, isSelfSigned: true },
};
const WIREGUARD: WarnedFacts = {
  ...PLAIN,
  protocol: 'wireguard',
  network: 'udp',
  address: '198.51.100.7',
  addressPool: '10.8.0.0/24',
};
const HOST = { enabled: true, address: null, security: null };
const CDN = { ...HOST, security: 'tls' } as const;
const ENDING = { endsAt: NOW + 14 * DAY_MS - 1, isSelfSigned: false };
const V2RAY = { name: 'v2ray', version: '4.34.0' };

const CASES: readonly [string, WarnedFacts, readonly InboundWarning[]][] = [
  ['nothing in a private network', PLAIN, []],
  ['nothing where the address is not known yet', { ...PLAIN, address: '' }, []],
  ['VLESS in clear to a public address', { ...PLAIN, address: '198.51.100.7' }, ['unencrypted']],
  ['VLESS with encryption', { ...PLAIN, address: '198.51.100.7', encryption: 'e' }, []],
  ['short certificates', { ...REALITY, targetFindings: ['target_short_chain'] }, []],
  [
    'short certificates with ML-DSA-65',
    { ...REALITY, targetFindings: ['target_short_chain'], mldsa65Verify: 'v' },
    ['target_short_chain'],
  ],
  ['VLESS whose hosts have TLS of their own', { ...PLAIN, address: 'a.example', hosts: [CDN] }, []],
  ['one of whose hosts has not', { ...PLAIN, address: 'a.example', hosts: [CDN, HOST] }, ['unencrypted']],
  ['whose only such host is off', { ...PLAIN, address: 'a.example', hosts: [CDN, { ...HOST, enabled: false }] }, []],
  ['with a host in a private network', { ...PLAIN, address: '', hosts: [{ ...HOST, address: '10.0.0.1' }] }, []],
  [
    'WireGuard with a host at a name',
    { ...WIREGUARD, lastUserId: 0, hosts: [{ ...HOST, address: 'a.example' }] },
    ['wireguard_by_name'],
  ],
  ['an own certificate that no app of VMess meets', { ...TLS, protocol: 'vmess', hosts: [CDN] }, []],
  ['one that apps meet at a host', { ...TLS, protocol: 'vmess', hosts: [CDN, HOST] }, ['certificate_not_pinned']],
  ['WireGuard encrypts by itself', { ...WIREGUARD, lastUserId: 253 }, []],
  ['more users than addresses', { ...WIREGUARD, lastUserId: 254 }, ['address_pool_small']],
  ['WireGuard at an IPv6 address', { ...WIREGUARD, address: '2001:db8::1', lastUserId: 0 }, []],
  ['WireGuard at an address that is not known yet', { ...WIREGUARD, address: '', lastUserId: 0 }, []],
  ['WireGuard at a name', { ...WIREGUARD, address: 'a.example', lastUserId: 0 }, ['wireguard_by_name']],
  ['VMess encrypts by itself', { ...PLAIN, protocol: 'vmess', address: 'a.example' }, []],
  ['REALITY as it should be', REALITY, []],
  ['a target that lacks something', { ...REALITY, targetFindings: ['target_no_h2'] }, ['target_no_h2']],
  ['what was found of a target that is no longer asked', { ...TLS, targetFindings: ['target_no_h2'] }, []],
  ['a target in a zone that is watched', { ...REALITY, sni: 'www.example.RU' }, ['target_risky_name']],
  ['a target that is watched', { ...REALITY, target: 'www.icloud.com:443' }, ['target_risky_name']],
  ['a name that only looks like it', { ...REALITY, sni: 'pineapple.com' }, []],
  ['another port', { ...REALITY, target: '[2001:db8::1]:8443' }, ['target_port']],
  ['a least version that all announce', { ...REALITY, minClientVersion: '1.8.1' }, []],
  ['a least version that only Xray has', { ...REALITY, minClientVersion: '1.8.2' }, ['min_client_version']],
  ['a certificate with a pin', TLS, []],
  ['a certificate that VMess cannot pin', { ...TLS, protocol: 'vmess' }, ['certificate_not_pinned']],
  ['a certificate that ends soon', { ...TLS, certificate: ENDING }, ['certificate_ends_soon']],
  ['one that has ended', { ...TLS, certificate: { ...ENDING, endsAt: NOW } }, ['certificate_ended']],
];

describe('a connection is warned of', () => {
  it.each(CASES)('%s', (_name, facts, warnings) => {
    expect(inboundWarnings(facts, null, NOW)).toEqual(warnings);
  });

  it('what the engine of its node lacks', () => {
    expect(inboundWarnings(REALITY, V2RAY, NOW)).toEqual(['not_served']);
    expect(inboundWarnings(REALITY, { name: 'xray', version: '26.3.27' }, NOW)).toEqual([]);
  });

  it('whose apps the engine of its node lets in no more, or not always', () => {
    const since = (version: string, fingerprint: string | null) =>
      inboundWarnings({ ...REALITY, fingerprint }, { name: 'xray', version }, NOW);
    expect(since('26.9.7', 'edge')).toEqual([]);
    expect(since('26.9.8', null)).toEqual(['no_sing_box']);
    expect(since('26.10.10', 'firefox')).toEqual(['no_sing_box', 'no_mihomo']);
    expect(since('26.10.10', 'edge')).toEqual(['no_xray', 'no_sing_box', 'no_mihomo']);
    expect(since('26.10.10', 'random')).toEqual(['no_sing_box', 'client_varies']);
    const tls = { ...TLS, network: 'grpc', fingerprint: 'android' } as const;
    expect(inboundWarnings(tls, { name: 'xray', version: '26.3.27' }, NOW)).toEqual([
      'no_xray',
      'no_sing_box',
      'no_mihomo',
    ]);
  });

  it('in the order of the contract', () => {
    const facts: WarnedFacts = {
      ...REALITY,
      target: 'www.apple.com:8443',
      minClientVersion: '26.3.27',
      targetFindings: ['target_no_tls13', 'target_no_h2', 'target_other_name'],
    };
    const found = inboundWarnings(facts, V2RAY, NOW);
    expect(found).toHaveLength(7);
    expect(found).toEqual(INBOUND_WARNINGS.filter((warning) => found.includes(warning)));
  });
});
