import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FULL_HOST, sampleHost, sampleInbound } from '../../../tests/support/subscription-samples.ts';
import { expandHosts, type Host, type HostUser } from './hosts.ts';

const USER: HostUser = { id: 1, tariffId: null, tags: [] };
const SECRETS = { serverKey: 'k', certificate: 'PEM', pin: 'ab' };

function place(hosts: readonly Host[], changes: Parameters<typeof sampleInbound>[0] = {}) {
  return { inbound: sampleInbound({ hosts, ...changes }), address: 'node.example', engine: null, secrets: SECRETS };
}
function addresses(hosts: readonly Host[], user: HostUser = USER, changes = {}): string[] {
  return expandHosts([place(hosts, changes)], user).map(({ address }) => address);
}
const at = (address: string, changes: Partial<Host> = {}) => sampleHost({ address, ...changes });

describe('Hosts', () => {
  it('without one a connection is at its own address, as the same object', () => {
    const places = [place([]), place([])];
    expect(expandHosts(places, USER)).toBe(places);
  });

  it('are in the order of the list, beside connections without', () => {
    const places = [place([]), place([at('b.example'), at('a.example')]), place([])];
    expect(expandHosts(places, USER).map(({ address }) => address)).toEqual([
      'node.example',
      'b.example',
      'a.example',
      'node.example',
    ]);
  });

  it('replace what they have, and nothing else', () => {
    const inbound = sampleInbound({
      network: 'ws',
      path: '/ws',
      sni: 'a.example',
      hosts: [{ ...FULL_HOST, enabled: true }],
    });
    const user = { ...USER, tags: ['vip'] };
    const [found] = expandHosts([{ ...place([]), inbound }], user);
    expect(found).toEqual({
      address: 'cdn.example',
      engine: null,
      secrets: { serverKey: 'k', certificate: null, pin: null },
      inbound: {
        ...inbound,
        name: 'CDN {{DAYS_LEFT}}',
        port: 8443,
        security: 'tls',
        sni: 'front.example',
        hostHeader: 'host.example',
        path: '/cdn',
        alpn: ['h2'],
        fingerprint: 'firefox',
      },
    });
  });

  it('that change nothing keep the certificate of the node', () => {
    const [found] = expandHosts([place([sampleHost()], { sni: 'a.example', hopPorts: '443' })], USER);
    expect(found).toMatchObject({
      address: 'node.example',
      secrets: SECRETS,
      inbound: { sni: 'a.example', hopPorts: '443' },
    });
  });

  it('have the name of the certificate of the node, unless they have another or a certificate of their own', () => {
    const names = (changes: Parameters<typeof sampleInbound>[0], host: Partial<Host> = {}) =>
      expandHosts([place([at('203.0.113.7', host)], { security: 'tls', ...changes })], USER).map(
        ({ inbound }) => inbound.sni,
      );
    expect(names({})).toEqual(['node.example']);
    expect(names({ sni: 'a.example' })).toEqual(['a.example']);
    expect(names({}, { sni: 'b.example' })).toEqual(['b.example']);
    expect(names({}, { security: 'tls' })).toEqual([null]);
    expect(names({ security: 'none' })).toEqual([null]);
  });

  it('of a node whose address has changed have its new name', () => {
    const one = place([at('203.0.113.7')], { security: 'tls' });
    const names = ['node.example', 'new.example'].map(
      (address) => expandHosts([{ ...one, address }], USER)[0]?.inbound.sni,
    );
    expect(names).toEqual(['node.example', 'new.example']);
  });

  it('with a port of their own have no ports to hop between', () => {
    const [found] = expandHosts([place([at('a.example', { port: 1 })], { hopPorts: '443' })], USER);
    expect(found?.inbound.hopPorts).toBeNull();
  });

  it('without TLS split no handshake', () => {
    const [own, other] = expandHosts(
      [place([at('a.example'), at('b.example', { security: 'none' })], { security: 'tls', fragment: '1-3,50,0' })],
      USER,
    );
    expect(own?.inbound.fragment).toBe('1-3,50,0');
    expect(other?.inbound.fragment).toBeNull();
  });

  it('are the same objects for each user, so that texts made of them are found again', () => {
    const one = place([at('a.example'), at('b.example')]);
    const [first] = expandHosts([one], USER);
    expect(expandHosts([{ ...one }], { ...USER, id: 2 })[0]?.inbound).toBe(first?.inbound);
  });

  it('that are off are in no link; where none is left, the connection is not either', () => {
    expect(addresses([at('a.example', { enabled: false }), at('b.example')])).toEqual(['b.example']);
    expect(addresses([at('a.example', { enabled: false })])).toEqual([]);
  });

  it.each<[string, Partial<HostUser>, string[]]>([
    ['nobody in particular', {}, ['all']],
    ['of the plan', { tariffId: 3 }, ['all', 'plan', 'both']],
    ['of another plan', { tariffId: 4 }, ['all']],
    ['with the tag', { tags: ['x', 'vip'] }, ['all', 'tag', 'both']],
    ['of the plan with the tag', { tariffId: 3, tags: ['vip'] }, ['all', 'plan', 'tag', 'both']],
  ])('for plans or tags are for a user %s', (_, user, expected) => {
    const hosts = [
      at('all'),
      at('plan', { tariffs: [3] }),
      at('tag', { tags: ['vip'] }),
      at('both', { tariffs: [3], tags: ['vip'] }),
    ];
    expect(addresses(hosts, { ...USER, ...user })).toEqual(expected);
  });

  it.each(['address', 'name', 'sni', 'hostHeader', 'path'] as const)(
    'by weight are first for their share of users, also where they differ in the %s only, always in the same order',
    (member) => {
      const hosts = ['a', 'b'].map((value) => sampleHost({ [member]: value, weight: value === 'a' ? 1 : 3 }));
      const order = (id: number) =>
        expandHosts([place(hosts, { hostOrder: 'weighted' })], { ...USER, id }).map(
          ({ address, inbound }) => (member === 'address' ? address : inbound[member]) ?? '',
        );
      const firsts = Array.from({ length: 4000 }, (_, id) => order(id)[0]);
      const share = firsts.filter((first) => first === 'b').length / firsts.length;
      expect(share).toBeGreaterThan(0.72);
      expect(share).toBeLessThan(0.78);
      expect(order(1)).toEqual(order(1));
    },
  );

  it('by weight move only users to a new host, and between no others', () => {
    fc.assert(
      fc.property(fc.nat(), fc.uniqueArray(fc.domain(), { minLength: 1, maxLength: 5 }), (id, names) => {
        const order = (all: readonly string[]) =>
          addresses(
            all.map((name) => at(name)),
            { ...USER, id },
            { hostOrder: 'weighted' },
          );
        const grown = order([...names, 'new.invalid']);
        expect(grown.filter((name) => name !== 'new.invalid')).toEqual(order(names));
      }),
    );
  });
});
