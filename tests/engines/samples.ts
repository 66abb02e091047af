// Connections and users as the connector gets them, and the same connections as engines are configured with them.
import type { Credentials } from '../../src/core/ports/credentials.ts';
import type { EngineInbound } from '../../src/core/ports/engines.ts';

export function sampleInbound(changes: Partial<EngineInbound> & Pick<EngineInbound, 'protocol'>): EngineInbound {
  return {
    id: 1,
    nodeId: 1,
    tag: `${changes.protocol}-in`,
    name: 'Sample',
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
    updatedAt: 0,
    privateKey: null,
    certificate: null,
    certificateKey: null,
    decryption: null,
    mldsa65Seed: null,
    serverKey: null,
    ...changes,
  };
}

/** Other ones for each number. */
export function sampleCredentials(number: number): Credentials {
  const key = Buffer.alloc(32, 7);
  key.writeUInt32BE(number);
  return {
    uuid: `66ad4540-b58c-4ad2-9926-${number.toString(16).padStart(12, '0')}`,
    password: `password-${number}`,
    key: key.toString('base64'),
    wireguard: key.toString('base64'),
  };
}
