// Every choice can be completed to a shape that works, and each shape has the settings that it needs.
import { describe, expect, it } from 'vitest';
import { NETWORKS, PROTOCOLS, SECURITIES } from '../../contract/inbounds.ts';
import {
  allowedNetworks,
  allowedSecurities,
  defaultShape,
  fitShape,
  shapeFields,
  sharedTransports,
} from './inbound-shape.ts';

const ALL = PROTOCOLS.flatMap((protocol) =>
  NETWORKS.flatMap((network) => SECURITIES.map((security) => ({ protocol, network, security }))),
);

describe('fitShape', () => {
  it('keeps the protocol and gives only what can be chosen', () => {
    for (const shape of ALL) {
      const { protocol, network, security } = fitShape(shape);
      expect(protocol).toBe(shape.protocol);
      expect(allowedSecurities(protocol)).toContain(security);
      expect(allowedNetworks({ protocol, security })).toContain(network);
    }
  });

  it('leaves a shape that works as it is', () => {
    for (const shape of ALL) expect(fitShape(fitShape(shape))).toEqual(fitShape(shape));
    const working = { protocol: 'vless', network: 'xhttp', security: 'reality' } as const;
    expect(fitShape(working)).toEqual(working);
  });

  it('takes TLS where a protocol cannot do without, and plain tcp under shadowsocks', () => {
    expect(fitShape({ protocol: 'trojan', network: 'ws', security: 'none' }).security).toBe('tls');
    expect(fitShape({ protocol: 'shadowsocks', network: 'grpc', security: 'tls' })).toEqual({
      protocol: 'shadowsocks',
      network: 'tcp',
      security: 'none',
    });
  });
});

describe('defaultShape', () => {
  it('is what a protocol leaves no choice of, and plain TCP elsewhere', () => {
    const shapes = PROTOCOLS.map((protocol) => {
      const { network, security } = defaultShape(protocol);
      return `${protocol} ${network} ${security}`;
    });
    expect(shapes).toEqual([
      'vless tcp none',
      'vmess tcp none',
      'trojan tcp none',
      'shadowsocks tcp none',
      'hysteria2 quic tls',
      'wireguard udp none',
    ]);
  });
});

describe('sharedTransports', () => {
  it('leave Hysteria2 the number of a port of TCP, but for that of Shadowsocks', () => {
    expect(PROTOCOLS.map((protocol) => sharedTransports('hysteria2', protocol))).toEqual([
      [],
      [],
      [],
      ['udp'],
      ['udp'],
      ['udp'],
    ]);
    expect(PROTOCOLS.map((protocol) => sharedTransports('vless', protocol))).toEqual([
      ['tcp'],
      ['tcp'],
      ['tcp'],
      ['tcp'],
      [],
      [],
    ]);
  });
});

describe('shapeFields', () => {
  it('asks of Hysteria2 for a certificate and the obfuscation alone', () => {
    const fields = [...shapeFields({ protocol: 'hysteria2', network: 'quic', security: 'tls' })].sort();
    expect(fields).toEqual(['certificate', 'certificate_key', 'obfs_password', 'sni']);
    for (const shape of ALL)
      expect(shapeFields(fitShape(shape)).has('obfs_password')).toBe(shape.protocol === 'hysteria2');
  });

  it('asks of WireGuard for keys, addresses and the size of packets alone', () => {
    const fields = [...shapeFields({ protocol: 'wireguard', network: 'udp', security: 'none' })].sort();
    expect(fields).toEqual(['address_pool', 'mtu', 'private_key', 'public_key']);
    for (const shape of ALL)
      expect(shapeFields(fitShape(shape)).has('address_pool')).toBe(shape.protocol === 'wireguard');
  });

  it('asks for keys with reality only', () => {
    expect([...shapeFields({ protocol: 'vless', network: 'tcp', security: 'reality' })].sort()).toEqual([
      'fingerprint',
      'flow',
      'min_client_version',
      'private_key',
      'public_key',
      'short_id',
      'sni',
      'target',
    ]);
    expect([...shapeFields({ protocol: 'vmess', network: 'tcp', security: 'none' })]).toEqual([]);
  });

  it('asks for a certificate with tls only', () => {
    const withCertificate = ALL.filter((shape) => shapeFields(fitShape(shape)).has('certificate'));
    expect(new Set(withCertificate.map((shape) => fitShape(shape).security))).toEqual(new Set(['tls']));
  });

  it('asks for a path or a service by the network', () => {
    expect(shapeFields({ protocol: 'vmess', network: 'ws', security: 'tls' }).has('path')).toBe(true);
    const grpc = shapeFields({ protocol: 'trojan', network: 'grpc', security: 'tls' });
    expect([grpc.has('service_name'), grpc.has('path')]).toEqual([true, false]);
  });
});
