// Holds the form of connections to the panel: it offers the shapes that the panel accepts, and sends what the panel accepts.
import { describe, expect, it } from 'vitest';
import { inboundCreate, inboundExample, NETWORKS, PROTOCOLS, SECURITIES } from '../../src/contract/inbounds.ts';
import { hasKeyPair, requireConsistent } from '../../src/core/inbounds/inbound-rules.ts';
import {
  allowedNetworks,
  allowedSecurities,
  type InboundShape,
  shapeFields,
} from '../../src/domain/nodes/inbound-shape.ts';
import { mergePortOwner } from '../../src/domain/nodes/shared-port.ts';
import { userTunnelAddress } from '../../src/domain/nodes/wireguard.ts';
import {
  blankValues,
  buildCreateInput,
  previewLinks,
  reshaped,
  type Values,
} from '../../src/renderer/src/features/connections/values.ts';
import { canLink, canShare, NO_SECRETS } from '../../src/subscription/entry.ts';
import { shareLink } from '../../src/subscription/share-links.ts';
import { sampleInbound } from '../support/subscription-samples.ts';

const SHAPES: readonly InboundShape[] = PROTOCOLS.flatMap((protocol) =>
  NETWORKS.flatMap((network) => SECURITIES.map((security) => ({ protocol, network, security }))),
);
const FULL: Values = {
  ...blankValues(1, 443),
  name: 'Frankfurt (1)',
  tag: 'in',
  sni: 'www.example.org',
  path: '/ws?ed=2048',
  service_name: 'gs',
  xhttp_mode: 'packet-up',
  xhttp_extra: '{"xPaddingBytes": "100-1000", "xmux": {"maxConcurrency": 8}}',
  proxy_header: 'X-Forwarded-For',
  alpn: ['h2', 'http/1.1'],
  public_key: 'jNXHt1yRo0vDuchQlIP6Z0ZvjT3KtzVI-T4E7RoLJS0',
  private_key: '6Fh1ZxNa9rCjQ0jvM3bT5yWk2sE8uLpD4oIfGzXqR0A',
  encryption: 'mlkem768x25519plus.native.0rtt.jNXHt1yRo0vDuchQlIP6Z0ZvjT3KtzVI-T4E7RoLJS0',
  decryption: 'mlkem768x25519plus.native.600s.6Fh1ZxNa9rCjQ0jvM3bT5yWk2sE8uLpD4oIfGzXqR0A',
  mldsa65_verify: 'v'.repeat(2603),
  mldsa65_seed: 's'.repeat(43),
  short_id: '6ba85179e30d4fc2',
  obfs_password: 'hide&seek?',
  hop_ports: '20000-30000',
  masquerade: 'https://www.example.org',
  fragment: 'tlshello,100-200,10-20',
  noise: '3,50-100,10-20',
  mux: 8,
  shares_port_of: '',
  fallback: '127.0.0.1:8080',
  fallback_proxy_protocol: 1,
  address_pool: '192.168.0.0/16',
  mtu: 1280,
  target: 'www.example.org:8443',
  min_client_version: '1.8.0',
  certificate: 'a certificate',
  certificate_key: 'its key',
};
const BARE: Values = {
  ...FULL,
  sni: '',
  path: '',
  service_name: '',
  xhttp_mode: '',
  xhttp_extra: '',
  proxy_header: '',
  alpn: [],
  fingerprint: '',
  encryption: '',
  decryption: '',
  mldsa65_verify: '',
  mldsa65_seed: '',
  short_id: '',
  obfs_password: '',
  hop_ports: '',
  masquerade: '',
  fragment: '',
  noise: '',
  mux: '',
  shares_port_of: '',
  fallback: '',
  fallback_proxy_protocol: '',
  address_pool: '',
  mtu: '',
  target: '',
  min_client_version: '',
  certificate: '',
  certificate_key: '',
  flow: '',
};
/** The user of previews. */
const USER = {
  uuid: '00000000-0000-4000-8000-000000000000',
  password: 'password-of-the-user',
  key: 'MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDA=',
  wireguard: 'MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDA=',
};

/** A connection as the panel would store it. */
function stored(values: Values) {
  const input = inboundCreate.parse(buildCreateInput(values));
  const { node_id, private_key, service_name, public_key, short_id, certificate, certificate_key, ...others } = input;
  const {
    hosts: _hosts,
    host_order: _order,
    proxy_header,
    min_client_version,
    obfs_password,
    hop_ports,
    shares_port_of,
    fallback_proxy_protocol,
    address_pool,
    decryption,
    mldsa65_seed,
    mldsa65_verify,
    xhttp_mode,
    xhttp_extra,
    network = 'tcp',
    security = 'none',
    ...rest
  } = others;
  const renamed = { serviceName: service_name, publicKey: public_key, shortId: short_id };
  const hidden = {
    proxyHeader: proxy_header,
    minClientVersion: min_client_version,
    obfsPassword: obfs_password,
    hopPorts: hop_ports,
    sharesPortOf: shares_port_of,
    fallbackProxyProtocol: fallback_proxy_protocol,
    mldsa65Verify: mldsa65_verify,
    xhttpMode: xhttp_mode,
    xhttpExtra: xhttp_extra,
    addressPool: address_pool,
  };
  const row = sampleInbound({ ...rest, ...renamed, ...hidden, network, security, nodeId: node_id });
  return { row, brought: { privateKey: private_key !== null, certificate: certificate !== null }, certificate_key };
}

function isOffered({ protocol, network, security }: InboundShape): boolean {
  return allowedSecurities(protocol).includes(security) && allowedNetworks({ protocol, security }).includes(network);
}

describe('the form of a connection', () => {
  it.each(SHAPES)('offers $protocol, $network, $security exactly where the panel takes it', (shape) => {
    const { row } = stored({ ...FULL, ...shape });
    const isTaken = () => {
      try {
        requireConsistent(row);
        return true;
      } catch {
        return false;
      }
    };
    expect(isOffered(shape)).toBe(isTaken());
  });

  it.each(SHAPES.filter(isOffered))('sends of $protocol, $network, $security what the panel takes', (shape) => {
    const full = stored(reshaped(FULL, shape));
    expect(() => requireConsistent(full.row, full.brought)).not.toThrow();
    expect(full.brought).toEqual({
      privateKey: hasKeyPair({ ...shape, sharesPortOf: null }),
      certificate: shape.security === 'tls',
    });
    expect(full.certificate_key !== null).toBe(shape.security === 'tls');
  });

  const sharing = SHAPES.filter((shape) => isOffered(shape) && shapeFields(shape).has('shares_port_of'));
  it.each(sharing)('sends and previews $protocol, $network, $security on the port of another', (shape) => {
    const values = { ...reshaped(FULL, shape), shares_port_of: 5 } as const;
    const { row, brought } = stored(values);
    expect(() => requireConsistent(row, brought)).not.toThrow();
    expect(row.sharesPortOf).toBe(5);
    const { publicKey } = sampleInbound({ publicKey: FULL.public_key });
    const keys = { publicKey, mldsa65Verify: FULL.mldsa65_verify, shortId: '6ba8' };
    const reality = { public_key: publicKey, mldsa65_verify: keys.mldsa65Verify, short_id: keys.shortId };
    const owner = { ...inboundExample, host: 'owner.example', ...reality };
    const reached = mergePortOwner(row, sampleInbound({ host: owner.host, ...keys }));
    const entry = { name: values.name, inbound: reached, credentials: USER, tunnelAddress: null, secrets: NO_SECRETS };
    const link = canLink(reached) ? shareLink({ ...entry, address: 'owner.example' }) : null;
    const previews = link === null ? null : [{ place: 1, name: values.name, link }];
    expect(previewLinks({ ...values, host: '' }, 'node.example', owner)).toEqual(previews);
  });

  it.each(SHAPES.filter(isOffered))('previews the link of $protocol, $network, $security as it will be', (shape) => {
    for (const values of [reshaped(FULL, shape), { ...BARE, ...shape }]) {
      for (const address of ['de1.example.com', 'пример.рф', '2001:db8::1', '203.0.113.7']) {
        const { row } = stored(values);
        expect(canShare(row)).toBe(true);
        if (!canLink(row)) {
          expect(previewLinks(values, address)).toBeNull();
          continue;
        }
        const tunnelAddress = userTunnelAddress(row.addressPool, 1);
        const entry = { name: values.name, address, inbound: row, credentials: USER, tunnelAddress };
        const real = shareLink({ ...entry, secrets: NO_SECRETS });
        expect(previewLinks(values, address)).toEqual([{ place: 1, name: values.name, link: real }]);
      }
    }
  });
});
