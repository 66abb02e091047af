// Holds what the pages know of connections to what the panel knows: which settings go together, and how a share link is written.
import { describe, expect, it } from 'vitest';
import { inboundCreate, NETWORKS, PROTOCOLS, SECURITIES } from '../../src/contract/inbounds.ts';
import { requireConsistent } from '../../src/core/inbound-rules.ts';
import { networksOf, type Shape, securitiesOf } from '../../src/renderer/src/features/connections/shape.ts';
import { sharePreview } from '../../src/renderer/src/features/connections/share-preview.ts';
import { blankValues, createOf, reshaped, type Values } from '../../src/renderer/src/features/connections/values.ts';
import { canShare, shareLink } from '../../src/subscription/share-links.ts';
import { inboundOf, UUID } from '../support/subscription-samples.ts';

const SHAPES: readonly Shape[] = PROTOCOLS.flatMap((protocol) =>
  NETWORKS.flatMap((network) => SECURITIES.map((security) => ({ protocol, network, security }))),
);
const FULL: Values = {
  ...blankValues(1),
  name: 'Frankfurt (1)',
  tag: 'in',
  sni: 'www.example.org',
  path: '/ws?ed=2048',
  service_name: 'gs',
  alpn: ['h2', 'http/1.1'],
  public_key: 'jNXHt1yRo0vDuchQlIP6Z0ZvjT3KtzVI-T4E7RoLJS0',
  private_key: '6Fh1ZxNa9rCjQ0jvM3bT5yWk2sE8uLpD4oIfGzXqR0A',
  short_id: '6ba85179e30d4fc2',
};
const BARE: Values = {
  ...FULL,
  sni: '',
  path: '',
  service_name: '',
  alpn: [],
  fingerprint: '',
  short_id: '',
  flow: '',
};
const USER = { uuid: UUID, password: 'q7Rk2_vN+pass' };

/** A connection as the panel would keep it. */
function kept(values: Values) {
  const { node_id, private_key, service_name, public_key, short_id, ...rest } = inboundCreate.parse(createOf(values));
  const row = { ...rest, nodeId: node_id, serviceName: service_name, publicKey: public_key, shortId: short_id };
  return { row: inboundOf(row), hasNewKey: private_key !== null };
}

function isOffered({ protocol, network, security }: Shape): boolean {
  return securitiesOf(protocol).includes(security) && networksOf({ protocol, security }).includes(network);
}

describe('the form of a connection', () => {
  it.each(SHAPES)('offers $protocol, $network, $security exactly where the panel takes it', (shape) => {
    const { row } = kept({ ...FULL, ...shape });
    const isTaken = () => {
      try {
        requireConsistent(row, false);
        return true;
      } catch {
        return false;
      }
    };
    expect(isOffered(shape)).toBe(isTaken());
  });

  it.each(SHAPES.filter(isOffered))('sends of $protocol, $network, $security what the panel takes', (shape) => {
    const full = kept(reshaped(FULL, shape));
    expect(() => requireConsistent(full.row, full.hasNewKey)).not.toThrow();
    expect(full.hasNewKey).toBe(shape.security === 'reality');
  });

  it.each(SHAPES.filter(isOffered))('previews the link of $protocol, $network, $security as it will be', (shape) => {
    for (const values of [reshaped(FULL, shape), { ...BARE, ...shape }]) {
      for (const address of ['de1.example.com', 'пример.рф', '2001:db8::1', '203.0.113.7']) {
        const { row } = kept(values);
        expect(canShare(row)).toBe(true);
        const real = shareLink({ name: values.name, address, inbound: row, credentials: USER });
        expect(sharePreview(values, address, USER)).toBe(real);
      }
    }
  });
});
