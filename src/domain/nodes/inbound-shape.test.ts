// Every choice can be completed to a shape that works, and each shape has the settings that it needs.
import { describe, expect, it } from 'vitest';
import { NETWORKS, PROTOCOLS, SECURITIES } from '../../contract/inbounds.ts';
import {
  adjustShape,
  allowedNetworks,
  allowedSecurities,
  canOfferPort,
  defaultShape,
  listTransports,
  shapeFields,
  sharedTransports,
} from './inbound-shape.ts';

const ALL = PROTOCOLS.flatMap((protocol) =>
  NETWORKS.flatMap((network) => SECURITIES.map((security) => ({ protocol, network, security }))),
);

describe('adjustShape', () => {
  it('keeps the protocol and gives only what can be chosen', () => {
    for (const shape of ALL) {
      const { protocol, network, security } = adjustShape(shape);
      expect(protocol).toBe(shape.protocol);
      expect(allowedSecurities(protocol)).toContain(security);
      expect(allowedNetworks({ protocol, security })).toContain(network);
    }
  });

  it('leaves a shape that works as it is', () => {
    for (const shape of ALL) expect(adjustShape(adjustShape(shape))).toEqual(adjustShape(shape));
    const working = { protocol: 'vless', network: 'xhttp', security: 'reality' } as const;
    expect(adjustShape(working)).toEqual(working);
  });

  it('takes TLS where a protocol cannot do without, and plain tcp under shadowsocks', () => {
    expect(adjustShape({ protocol: 'trojan', network: 'ws', security: 'none' }).security).toBe('tls');
    expect(adjustShape({ protocol: 'shadowsocks', network: 'grpc', security: 'tls' })).toEqual({
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
    expect(fields).toEqual([
      'certificate',
      'certificate_key',
      'hop_ports',
      'masquerade',
      'noise',
      'obfs_password',
      'sni',
    ]);
    for (const shape of ALL)
      expect(shapeFields(adjustShape(shape)).has('obfs_password')).toBe(shape.protocol === 'hysteria2');
  });

  it('asks of WireGuard for keys, addresses and the size of packets alone', () => {
    const fields = [...shapeFields({ protocol: 'wireguard', network: 'udp', security: 'none' })].sort();
    expect(fields).toEqual(['address_pool', 'mtu', 'noise', 'private_key', 'public_key']);
    for (const shape of ALL)
      expect(shapeFields(adjustShape(shape)).has('address_pool')).toBe(shape.protocol === 'wireguard');
  });

  it('asks for keys with reality only', () => {
    expect([...shapeFields({ protocol: 'vless', network: 'tcp', security: 'reality' })].sort()).toEqual([
      'decryption',
      'encryption',
      'fingerprint',
      'flow',
      'fragment',
      'min_client_version',
      'mldsa65_seed',
      'mldsa65_verify',
      'mux',
      'private_key',
      'public_key',
      'short_id',
      'sni',
      'target',
    ]);
    expect([...shapeFields({ protocol: 'vmess', network: 'tcp', security: 'none' })]).toEqual(['mux']);
  });

  it('asks for a certificate with tls only', () => {
    const withCertificate = ALL.filter((shape) => shapeFields(adjustShape(shape)).has('certificate'));
    expect(new Set(withCertificate.map((shape) => adjustShape(shape).security))).toEqual(new Set(['tls']));
  });

  it('asks for nothing that the connection has whose port is shared', () => {
    const reality = { protocol: 'trojan', network: 'grpc', security: 'reality' } as const;
    expect([...shapeFields(reality, true)].sort()).toEqual([
      'fingerprint',
      'fragment',
      'service_name',
      'shares_port_of',
      'sni',
    ]);
    const owners = ALL.map((shape) => ({ ...adjustShape(shape), encryption: null }));
    expect(owners.map((owner) => ({ ...owner, encryption: 'e' })).filter(canOfferPort)).toEqual([]);
    const offering = owners.filter(canOfferPort);
    expect(new Set(offering.map(({ protocol, network }) => `${protocol} ${network}`))).toEqual(
      new Set(['vless tcp', 'trojan tcp']),
    );
  });

  it('asks for a path or a service by the network', () => {
    expect(shapeFields({ protocol: 'vmess', network: 'ws', security: 'tls' }).has('path')).toBe(true);
    const grpc = shapeFields({ protocol: 'trojan', network: 'grpc', security: 'tls' });
    expect([grpc.has('service_name'), grpc.has('path')]).toEqual([true, false]);
  });
});

/** The shapes that engines can serve, with the settings of each. */
const SERVED = `
vless tcp none: decryption encryption mux
vless ws none: decryption encryption mux path proxy_header sni
vless grpc none: decryption encryption service_name
vless httpupgrade none: decryption encryption mux path proxy_header sni
vless xhttp none: decryption encryption path proxy_header sni xhttp_extra xhttp_mode
vless tcp tls: alpn certificate certificate_key decryption encryption fallback fallback_proxy_protocol fingerprint flow fragment mux sni
vless ws tls: alpn certificate certificate_key decryption encryption fingerprint fragment mux path proxy_header shares_port_of sni
vless grpc tls: alpn certificate certificate_key decryption encryption fingerprint fragment service_name shares_port_of sni
vless httpupgrade tls: alpn certificate certificate_key decryption encryption fingerprint fragment mux path proxy_header shares_port_of sni
vless xhttp tls: alpn certificate certificate_key decryption encryption fingerprint fragment path proxy_header shares_port_of sni xhttp_extra xhttp_mode
vless tcp reality: decryption encryption fingerprint flow fragment min_client_version mldsa65_seed mldsa65_verify mux private_key public_key short_id sni target
vless grpc reality: decryption encryption fingerprint fragment min_client_version mldsa65_seed mldsa65_verify private_key public_key service_name shares_port_of short_id sni target
vless xhttp reality: decryption encryption fingerprint fragment min_client_version mldsa65_seed mldsa65_verify path private_key proxy_header public_key shares_port_of short_id sni target xhttp_extra xhttp_mode
vmess tcp none: mux
vmess ws none: mux path proxy_header sni
vmess grpc none: service_name
vmess httpupgrade none: mux path proxy_header sni
vmess xhttp none: path proxy_header sni xhttp_extra xhttp_mode
vmess tcp tls: alpn certificate certificate_key fingerprint fragment mux sni
vmess ws tls: alpn certificate certificate_key fingerprint fragment mux path proxy_header shares_port_of sni
vmess grpc tls: alpn certificate certificate_key fingerprint fragment service_name shares_port_of sni
vmess httpupgrade tls: alpn certificate certificate_key fingerprint fragment mux path proxy_header shares_port_of sni
vmess xhttp tls: alpn certificate certificate_key fingerprint fragment path proxy_header shares_port_of sni xhttp_extra xhttp_mode
trojan tcp tls: alpn certificate certificate_key fallback fallback_proxy_protocol fingerprint fragment mux sni
trojan ws tls: alpn certificate certificate_key fingerprint fragment mux path proxy_header shares_port_of sni
trojan grpc tls: alpn certificate certificate_key fingerprint fragment service_name shares_port_of sni
trojan httpupgrade tls: alpn certificate certificate_key fingerprint fragment mux path proxy_header shares_port_of sni
trojan xhttp tls: alpn certificate certificate_key fingerprint fragment path proxy_header shares_port_of sni xhttp_extra xhttp_mode
trojan tcp reality: fingerprint fragment min_client_version mldsa65_seed mldsa65_verify mux private_key public_key short_id sni target
trojan grpc reality: fingerprint fragment min_client_version mldsa65_seed mldsa65_verify private_key public_key service_name shares_port_of short_id sni target
trojan xhttp reality: fingerprint fragment min_client_version mldsa65_seed mldsa65_verify path private_key proxy_header public_key shares_port_of short_id sni target xhttp_extra xhttp_mode
shadowsocks tcp none: method
hysteria2 quic tls: certificate certificate_key hop_ports masquerade noise obfs_password sni
wireguard udp none: address_pool mtu noise private_key public_key`.trim();

it('allows what engines can serve, with the settings of each, and nothing else', () => {
  const allowed = PROTOCOLS.flatMap((protocol) =>
    allowedSecurities(protocol).flatMap((security) =>
      allowedNetworks({ protocol, security }).map((network) => {
        const fields = [...shapeFields({ protocol, network, security })].sort().join(' ');
        return `${protocol} ${network} ${security}${fields === '' ? '' : `: ${fields}`}`;
      }),
    ),
  );
  expect(allowed).toEqual(SERVED.split('\n'));
});

it('changes what is not allowed to the nearest that is: TLS, and the first network', () => {
  const fitted = (protocol: (typeof PROTOCOLS)[number]) =>
    SECURITIES.flatMap((security) =>
      (['tcp', 'ws', 'xhttp', 'quic'] as const).map((network) => {
        const fit = adjustShape({ protocol, network, security });
        return `${fit.network} ${fit.security}`;
      }),
    );
  expect(SECURITIES).toEqual(['none', 'tls', 'reality']);
  const [none, tls] = [
    ['tcp none', 'ws none', 'xhttp none', 'tcp none'],
    ['tcp tls', 'ws tls', 'xhttp tls', 'tcp tls'],
  ];
  const reality = ['tcp reality', 'tcp reality', 'xhttp reality', 'tcp reality'];
  expect(fitted('vless')).toEqual([...none, ...tls, ...reality]);
  expect(fitted('vmess')).toEqual([...none, ...tls, ...tls]);
  expect(fitted('trojan')).toEqual([...tls, ...tls, ...reality]);
  expect(new Set(fitted('shadowsocks'))).toEqual(new Set(['tcp none']));
  expect(new Set(fitted('hysteria2'))).toEqual(new Set(['quic tls']));
  expect(new Set(fitted('wireguard'))).toEqual(new Set(['udp none']));
});

it('listens on TCP, UDP or both, by the protocol', () => {
  expect(PROTOCOLS.map((protocol) => [protocol, ...listTransports(protocol)].join(' '))).toEqual([
    'vless tcp',
    'vmess tcp',
    'trojan tcp',
    'shadowsocks tcp udp',
    'hysteria2 udp',
    'wireguard udp',
  ]);
});
