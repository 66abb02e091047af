// Settings with which no client could connect are refused, each at its own member.
import { describe, expect, it } from 'vitest';
import { PanelError } from '../kernel/panel-error.ts';
import { requireConsistent } from './inbound-rules.ts';

type Facts = Parameters<typeof requireConsistent>[0];

const BASE: Facts = {
  nodeId: 1,
  groupId: null,
  tag: 'a',
  name: 'A',
  protocol: 'vless',
  network: 'tcp',
  security: 'none',
  host: null,
  port: 443,
  sni: null,
  path: null,
  serviceName: null,
  proxyHeader: null,
  flow: null,
  fingerprint: null,
  alpn: null,
  publicKey: null,
  xhttpMode: null,
  xhttpExtra: null,
  encryption: null,
  mldsa65Verify: null,
  shortId: null,
  moreShortIds: [],
  moreServerNames: [],
  method: null,
  obfsPassword: null,
  hopPorts: null,
  masquerade: null,
  fragment: null,
  noise: null,
  mux: null,
  sharesPortOf: null,
  fallback: null,
  fallbackProxyProtocol: null,
  addressPool: null,
  mtu: null,
  target: null,
  minClientVersion: null,
  hosts: [],
  hostOrder: 'listed',
  targetFindings: null,
  certificate: null,
  note: '',
  enabled: true,
};
const REALITY: Partial<Facts> = { security: 'reality', publicKey: 'k'.repeat(43), sni: 'www.example.org' };

const WIREGUARD: Partial<Facts> = {
  protocol: 'wireguard',
  network: 'udp',
  publicKey: 'k'.repeat(43),
  addressPool: '10.64.0.0/10',
};
const HYSTERIA2: Partial<Facts> = { protocol: 'hysteria2', network: 'quic', security: 'tls' };
const CERTIFICATE = { chain: '', isOwn: false, isSelfSigned: true, sha256: '', endsAt: 0 } as const;

function brokenMembers(change: Partial<Facts>): (string | undefined)[] {
  try {
    requireConsistent({ ...BASE, ...change });
    return [];
  } catch (error) {
    if (!(error instanceof PanelError)) throw error;
    return (error.errors ?? []).map(({ pointer }) => pointer);
  }
}

describe('a connection', () => {
  it.each<[string, Partial<Facts>]>([
    ['vless over plain tcp', {}],
    [
      'xhttp with all of its own',
      { network: 'xhttp', xhttpMode: 'packet-up', xhttpExtra: { uplinkHTTPMethod: 'GET' } },
    ],
    ['vless with encryption', { encryption: 'e' }],
    ['reality with ML-DSA-65', { ...REALITY, mldsa65Verify: 'v' }],
    ['vless with reality and vision', { ...REALITY, flow: 'xtls-rprx-vision', shortId: '' }],
    ['vless over ws with tls', { network: 'ws', security: 'tls', path: '/ws', alpn: ['h2'] }],
    ['vless over ws behind a proxy', { network: 'ws', proxyHeader: 'X-Forwarded-For' }],
    ['vless with tls that imitates Android', { security: 'tls', fingerprint: 'android' }],
    ['trojan over grpc', { protocol: 'trojan', network: 'grpc', security: 'tls', serviceName: 'gs' }],
    ['shadowsocks', { protocol: 'shadowsocks', method: 'aes-256-gcm' }],
    ['shadowsocks 2022', { protocol: 'shadowsocks', method: '2022-blake3-aes-128-gcm' }],
    ['hysteria2', { ...HYSTERIA2, sni: 'a.example' }],
    ['hysteria2 with obfuscation', { ...HYSTERIA2, obfsPassword: 'obfuscated' }],
    ['hysteria2 with hopping', { ...HYSTERIA2, hopPorts: '20000-30000' }],
    ['hysteria2 with a site', { ...HYSTERIA2, masquerade: 'https://www.example.org' }],
    ['hysteria2 with noise', { ...HYSTERIA2, noise: '3,50-100,10-20' }],
    ['wireguard with noise', { ...WIREGUARD, noise: '3,50-100,10-20' }],
    ['reality in parts', { ...REALITY, fragment: 'tlshello,100-200,10-20' }],
    ['many streams over ws', { network: 'ws', mux: 8 }],
    ['a shared port', { network: 'ws', security: 'tls', sharesPortOf: 2 }],
    ['a shared port with encryption', { network: 'ws', security: 'tls', sharesPortOf: 2, encryption: 'e' }],
    ['a shared port with reality', { network: 'grpc', security: 'reality', sharesPortOf: 2 }],
    ['a fallback', { security: 'tls', fallback: '127.0.0.1:80', fallbackProxyProtocol: 1 }],
    ['wireguard', WIREGUARD],
    ['wireguard with small packets', { ...WIREGUARD, addressPool: '192.168.4.0/24', mtu: 1280 }],
    ['reality with a target', { ...REALITY, target: '[2001:db8::1]:8443', minClientVersion: '1.8.0' }],
    ['one that had a certificate of the panel', { certificate: CERTIFICATE }],
  ])('may be %s', (_name, change) => {
    expect(brokenMembers(change)).toEqual([]);
  });

  it.each<[string, Partial<Facts>, string[]]>([
    ['shadowsocks without a method', { protocol: 'shadowsocks' }, ['#/method']],
    ['a method with vless', { method: 'aes-256-gcm' }, ['#/method']],
    [
      'shadowsocks over ws with tls',
      { protocol: 'shadowsocks', method: 'aes-256-gcm', network: 'ws', security: 'tls' },
      ['#/network', '#/security'],
    ],
    ['hysteria2 over tcp in clear', { protocol: 'hysteria2' }, ['#/network', '#/security']],
    ['hysteria2 with reality', { ...HYSTERIA2, ...REALITY }, ['#/security']],
    [
      'hysteria2 with a browser and alpn',
      { ...HYSTERIA2, fingerprint: 'chrome', alpn: ['h2'] },
      ['#/alpn', '#/fingerprint'],
    ],
    ['hysteria2 with a path and a flow', { ...HYSTERIA2, path: '/a', flow: 'xtls-rprx-vision' }, ['#/flow', '#/path']],
    ['wireguard over tcp with tls', { ...WIREGUARD, network: 'tcp', security: 'tls' }, ['#/network', '#/security']],
    ['wireguard with reality', { ...WIREGUARD, ...REALITY, network: 'udp' }, ['#/security', '#/sni']],
    [
      'wireguard without keys and addresses',
      { protocol: 'wireguard', network: 'udp' },
      ['#/public_key', '#/address_pool'],
    ],
    ['wireguard with addresses of others', { ...WIREGUARD, addressPool: '8.8.8.0/24' }, ['#/address_pool']],
    ['wireguard with a place in a network', { ...WIREGUARD, addressPool: '10.64.0.1/10' }, ['#/address_pool']],
    ['wireguard with a name', { ...WIREGUARD, sni: 'a.example' }, ['#/sni']],
    [
      'addresses and a size of packets with vless',
      { addressPool: '10.64.0.0/10', mtu: 1280 },
      ['#/address_pool', '#/mtu'],
    ],
    ['vless over packets of UDP', { network: 'udp' }, ['#/network']],
    ['vless over quic', { network: 'quic', security: 'tls' }, ['#/network']],
    [
      'trojan with obfuscation',
      { protocol: 'trojan', security: 'tls', obfsPassword: 'obfuscated' },
      ['#/obfs_password'],
    ],
    ['trojan in clear', { protocol: 'trojan' }, ['#/security']],
    ['reality that imitates a program without TLS 1.3', { ...REALITY, fingerprint: 'android' }, ['#/fingerprint']],
    ['vmess with reality', { ...REALITY, protocol: 'vmess' }, ['#/security']],
    ['reality over ws', { ...REALITY, network: 'ws' }, ['#/security']],
    ['reality without its key and name', { security: 'reality' }, ['#/public_key', '#/sni']],
    [
      'a key and a short id without reality',
      { publicKey: 'k'.repeat(43), shortId: 'ab' },
      ['#/public_key', '#/short_id'],
    ],
    ['vision without tls', { flow: 'xtls-rprx-vision' }, ['#/flow']],
    ['a path over tcp', { path: '/ws' }, ['#/path']],
    ['a header of a proxy over grpc', { network: 'grpc', proxyHeader: 'X-Proxy' }, ['#/proxy_header']],
    [
      'settings of xhttp over ws',
      { network: 'ws', xhttpMode: 'auto', xhttpExtra: {} },
      ['#/xhttp_mode', '#/xhttp_extra'],
    ],
    [
      'data in cookies of long requests',
      { network: 'xhttp', xhttpMode: 'stream-up', xhttpExtra: { uplinkDataPlacement: 'cookie' } },
      ['#/xhttp_mode'],
    ],
    ['GET in any mode', { network: 'xhttp', xhttpExtra: { uplinkHTTPMethod: 'GET' } }, ['#/xhttp_mode']],
    ['encryption of trojan', { protocol: 'trojan', security: 'tls', encryption: 'e' }, ['#/encryption']],
    ['ML-DSA-65 without reality', { security: 'tls', mldsa65Verify: 'v' }, ['#/mldsa65_verify']],
    ['hopping over tcp', { network: 'tcp', hopPorts: '20000-30000' }, ['#/hop_ports']],
    ['a site over tcp', { network: 'tcp', masquerade: 'https://www.example.org' }, ['#/masquerade']],
    ['a shared port over tcp', { security: 'tls', sharesPortOf: 2 }, ['#/shares_port_of']],
    ['a shared port without tls', { network: 'ws', sharesPortOf: 2 }, ['#/shares_port_of']],
    [
      'a shared port with what its owner has',
      {
        ...REALITY,
        network: 'grpc',
        sharesPortOf: 2,
        shortId: 'ab',
        moreShortIds: ['cd'],
        moreServerNames: ['b.example'],
        target: 'a.example:443',
        minClientVersion: '1.8.0',
        mldsa65Verify: 'v',
      },
      [
        '#/public_key',
        '#/mldsa65_verify',
        '#/short_id',
        '#/more_short_ids',
        '#/more_server_names',
        '#/target',
        '#/min_client_version',
      ],
    ],
    ['a fallback over ws', { network: 'ws', security: 'tls', fallback: '127.0.0.1:80' }, ['#/fallback']],
    ['a fallback with encryption', { security: 'tls', fallback: '127.0.0.1:80', encryption: 'e' }, ['#/encryption']],
    ['a fallback without tls', { fallback: '127.0.0.1:80' }, ['#/fallback']],
    [
      'the PROXY protocol without a fallback',
      { security: 'tls', fallbackProxyProtocol: 1 },
      ['#/fallback_proxy_protocol'],
    ],
    ['noise over tcp', { network: 'tcp', noise: '3,50-100,10-20' }, ['#/noise']],
    ['parts without tls', { fragment: 'tlshello,100-200,10-20' }, ['#/fragment']],
    ['parts of quic', { ...HYSTERIA2, fragment: 'tlshello,100-200,10-20' }, ['#/fragment']],
    ['many streams over grpc', { network: 'grpc', mux: 8 }, ['#/mux']],
    ['many streams with vision', { ...REALITY, flow: 'xtls-rprx-vision', mux: 8 }, ['#/mux']],
    ['a service name over ws', { network: 'ws', serviceName: 'gs' }, ['#/service_name']],
    ['alpn without tls', { alpn: ['h2'] }, ['#/alpn']],
    [
      'a target and a least version without reality',
      { security: 'tls', target: 'www.example.org:443', minClientVersion: '1.8.0' },
      ['#/target', '#/min_client_version'],
    ],
    ['an own certificate without tls', { certificate: { ...CERTIFICATE, isOwn: true } }, ['#/certificate']],
  ])('may not be %s', (_name, change, pointers) => {
    expect(brokenMembers(change)).toEqual(pointers);
  });
});
