// Holds the form to shapes that work: whatever is chosen, the rest is fitted to it and shows what it needs.
import { describe, expect, it } from 'vitest';
import { NETWORKS, PROTOCOLS, SECURITIES } from '../../../../contract/inbounds.ts';
import { fieldsOf, fitted, networksOf, securitiesOf } from './shape.ts';

const ALL = PROTOCOLS.flatMap((protocol) =>
  NETWORKS.flatMap((network) => SECURITIES.map((security) => ({ protocol, network, security }))),
);

describe('fitted', () => {
  it('keeps the protocol and gives only what can be chosen', () => {
    for (const shape of ALL) {
      const { protocol, network, security } = fitted(shape);
      expect(protocol).toBe(shape.protocol);
      expect(securitiesOf(protocol)).toContain(security);
      expect(networksOf({ protocol, security })).toContain(network);
    }
  });

  it('leaves a shape that works as it is', () => {
    for (const shape of ALL) expect(fitted(fitted(shape))).toEqual(fitted(shape));
    const working = { protocol: 'vless', network: 'xhttp', security: 'reality' } as const;
    expect(fitted(working)).toEqual(working);
  });

  it('takes TLS where a protocol cannot do without, and plain tcp under shadowsocks', () => {
    expect(fitted({ protocol: 'trojan', network: 'ws', security: 'none' }).security).toBe('tls');
    expect(fitted({ protocol: 'shadowsocks', network: 'grpc', security: 'tls' })).toEqual({
      protocol: 'shadowsocks',
      network: 'tcp',
      security: 'none',
    });
  });
});

describe('fieldsOf', () => {
  it('asks for keys with reality only', () => {
    expect([...fieldsOf({ protocol: 'vless', network: 'tcp', security: 'reality' })].sort()).toEqual([
      'fingerprint',
      'flow',
      'private_key',
      'public_key',
      'short_id',
      'sni',
    ]);
    expect([...fieldsOf({ protocol: 'vmess', network: 'tcp', security: 'none' })]).toEqual([]);
  });

  it('asks for a path or a service by the network', () => {
    expect(fieldsOf({ protocol: 'vmess', network: 'ws', security: 'tls' }).has('path')).toBe(true);
    const grpc = fieldsOf({ protocol: 'trojan', network: 'grpc', security: 'tls' });
    expect([grpc.has('service_name'), grpc.has('path')]).toEqual([true, false]);
  });
});
