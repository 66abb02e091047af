// The connection's form matches the contract, and sends only fields of its shape.
import { describe, expect, it } from 'vitest';
import { inboundCreate, inboundExample, inboundPatch } from '../../../../contract/inbounds.ts';
import type { InboundShape } from '../../../../domain/nodes/inbound-shape.ts';
import { moveRow } from '../../state/move-row.ts';
import { blankHost, buildHosts, type HostValues, toHostValues } from './host-values.ts';
import {
  blankValues,
  buildChanges,
  buildCreateInput,
  freeTag,
  listMissingFields,
  newObfsPassword,
  newShortId,
  previewLinks,
  reshaped,
  toFormValues,
  type Values,
} from './values.ts';

const KEY = 'jNXHt1yRo0vDuchQlIP6Z0ZvjT3KtzVI-T4E7RoLJS0';

describe('a connection in its form', () => {
  it('is unchanged by a round trip, without its private key', () => {
    const { id, node_id, group_id, protocol, has_private_key, status, created_at, updated_at, ...others } =
      inboundExample;
    const { certificate_sha256, certificate_ends_at, certificate_self_signed, warnings, ...input } = others;
    // The form does not show them, and a patch without them does not change them.
    const { more_short_ids, more_server_names, ...rest } = input;
    expect(buildChanges(toFormValues(inboundExample))).toEqual(rest);
    expect(inboundPatch.safeParse(buildChanges(toFormValues(inboundExample))).success).toBe(true);
  });

  it('drops what another shape does not have', () => {
    const shadowsocks = reshaped(toFormValues(inboundExample), { protocol: 'shadowsocks' });
    const input = buildCreateInput(shadowsocks);
    expect(input).toMatchObject({ network: 'tcp', security: 'none', public_key: null, sni: null, flow: null });
    expect(input.method).toBe('chacha20-ietf-poly1305');
    expect(inboundCreate.safeParse(input).success).toBe(true);
  });

  it('restores the input when its shape returns', () => {
    const there = reshaped(toFormValues(inboundExample), { security: 'none' });
    expect(buildChanges(there).public_key).toBeNull();
    expect(buildChanges(reshaped(there, { security: 'reality' })).public_key).toBe(inboundExample.public_key);
  });

  it('imitates no program without TLS 1.3 where REALITY is chosen', () => {
    const tls = { ...reshaped(blankValues(1, 443), { security: 'tls' }), fingerprint: 'android' };
    expect(reshaped(tls, { security: 'reality' }).fingerprint).toBe('chrome');
    expect(reshaped(tls, { network: 'ws' }).fingerprint).toBe('android');
  });

  it('sets Vision where it becomes possible under REALITY, and respects a choice', () => {
    const plain = reshaped(blankValues(1, 443), { network: 'xhttp' });
    expect(plain.flow).toBe('');
    expect(reshaped(plain, { network: 'tcp' }).flow).toBe('xtls-rprx-vision');
    expect(reshaped({ ...blankValues(1, 443), flow: '' }, { security: 'tls' }).flow).toBe('');
  });
});

describe('listMissingFields', () => {
  it('asks for what reality cannot do without', () => {
    expect(listMissingFields(blankValues(1, 443))).toEqual(['sni', 'public_key']);
    expect(listMissingFields({ ...blankValues(1, 443), sni: 'a.example', private_key: KEY })).toEqual([]);
    expect(listMissingFields(reshaped(blankValues(1, 443), { protocol: 'vmess' }))).toEqual([]);
  });
});

describe('freeTag', () => {
  it('is named by the shape and avoids taken tags', () => {
    const shape = { protocol: 'trojan', network: 'ws', security: 'tls' } as const;
    expect(freeTag(shape, new Set())).toBe('trojan-ws');
    expect(freeTag(shape, new Set(['trojan-ws', 'trojan-ws-2']))).toBe('trojan-ws-3');
    expect(freeTag({ protocol: 'shadowsocks', network: 'tcp', security: 'none' }, new Set())).toBe('shadowsocks');
  });
});

it('makes short ids that the contract takes', () => {
  expect(newShortId()).toMatch(/^[0-9a-f]{16}$/);
  expect(newShortId()).not.toBe(newShortId());
});

const UUID = '00000000-0000-4000-8000-000000000000';
const REALITY: Values = {
  ...blankValues(1, 443),
  name: 'DE 1',
  sni: 'www.example.org',
  fingerprint: 'firefox',
  public_key: KEY,
  short_id: '6ba85179e30d4fc2',
};

function buildLink(values: Values, address = 'de1.example.com'): string | null {
  return previewLinks(values, address)?.[0]?.link ?? null;
}

describe('previewLinks', () => {
  it('writes vless with reality and vision', () => {
    expect(buildLink(REALITY)).toBe(
      `vless://${UUID}@de1.example.com:443?encryption=none&flow=xtls-rprx-vision&type=tcp&security=reality&sni=www.example.org&fp=firefox&pbk=${KEY}&sid=6ba85179e30d4fc2#DE%201`,
    );
  });

  it('writes trojan over grpc', () => {
    const values = {
      ...reshaped(REALITY, { protocol: 'trojan', network: 'grpc', security: 'tls' }),
      service_name: 'gs',
    };
    expect(buildLink({ ...values, sni: 'a.example', fingerprint: '' })).toBe(
      'trojan://password-of-the-user@de1.example.com:443?type=grpc&serviceName=gs&mode=gun&security=tls&sni=a.example#DE%201',
    );
  });

  it('writes shadowsocks by SIP002', () => {
    const user = btoa('chacha20-ietf-poly1305:password-of-the-user').replace(/=+$/, '');
    expect(buildLink({ ...reshaped(REALITY, { protocol: 'shadowsocks' }), port: 8388 })).toBe(
      `ss://${user}@de1.example.com:8388#DE%201`,
    );
  });

  it('takes the connection’s own host before its node’s, and IPv6 in brackets', () => {
    expect(buildLink({ ...REALITY, host: '2001:db8::1' })).toContain('@[2001:db8::1]:443?');
    expect(buildLink(reshaped({ ...REALITY, sni: '' }, { security: 'tls' }), 'пример.рф')).toContain(
      'xn--e1afmkfd.xn--p1ai',
    );
  });

  it('writes a link for each host, in their order, with the variables of the sample user', () => {
    const hosts = [
      { ...blankHost(), name: '{{USERNAME}} | {{DAYS_LEFT}} d', address: 'b.example', port: 8443, tariffs: ['3'] },
      { ...blankHost(), enabled: false },
      { ...blankHost(), sni: 'www.example.com' },
    ];
    const links = previewLinks({ ...REALITY, hosts }, 'de1.example.com');
    expect(links?.map(({ name }) => name)).toEqual(['anna | 12 d', 'DE 1']);
    expect(links?.map(({ link }) => link)).toEqual([
      expect.stringContaining('@b.example:8443?'),
      expect.stringMatching(/@de1\.example\.com:443\?.*&sni=www\.example\.com&/),
    ]);
  });

  it('waits for what a link cannot do without', () => {
    expect(buildLink({ ...REALITY, public_key: '' })).toBeNull();
    expect(buildLink({ ...REALITY, port: '' })).toBeNull();
    expect(buildLink(REALITY, '')).toBeNull();
  });
});

describe('Hysteria2', () => {
  const HYSTERIA2 = reshaped({ ...blankValues(1, 443), sni: 'a.example' }, { protocol: 'hysteria2' });

  it('is chosen with QUIC and TLS, and sends neither browser nor flow', () => {
    expect(buildCreateInput({ ...HYSTERIA2, obfs_password: 'obfuscated' })).toMatchObject({
      protocol: 'hysteria2',
      network: 'quic',
      security: 'tls',
      fingerprint: null,
      flow: null,
      public_key: null,
      obfs_password: 'obfuscated',
    });
    expect(reshaped(HYSTERIA2, { protocol: 'vless' })).toMatchObject({ network: 'tcp', security: 'tls' });
    expect(freeTag(HYSTERIA2, new Set())).toBe('hysteria2');
  });

  it('makes up another password of the obfuscation each time', () => {
    expect(newObfsPassword()).toMatch(/^[0-9a-f]{32}$/);
    expect(newObfsPassword()).not.toBe(newObfsPassword());
  });
});

describe('hosts of the form', () => {
  it('send nothing that their shape does not have', () => {
    const full: HostValues = {
      ...blankHost(),
      security: 'tls',
      sni: 'a.example',
      host_header: 'b.example',
      path: '/a',
      alpn: ['h2'],
      fingerprint: 'chrome',
    };
    const nothing = { security: null, sni: null, host_header: null, path: null, alpn: null, fingerprint: null };
    const build = (shape: Partial<InboundShape>) => buildHosts(reshaped(REALITY, shape), [full])[0];
    expect(build({})).toMatchObject({ ...nothing, sni: 'a.example', fingerprint: 'chrome' });
    expect(build({ protocol: 'shadowsocks' })).toMatchObject(nothing);
    expect(build({ protocol: 'vless', security: 'none', network: 'ws' })).toMatchObject({
      security: 'tls',
      sni: 'a.example',
      host_header: 'b.example',
      path: '/a',
      alpn: ['h2'],
      fingerprint: 'chrome',
    });
  });

  it('come back as they were read', () => {
    const values = {
      ...reshaped(REALITY, { security: 'none', network: 'ws' }),
      hosts: [{ ...blankHost(), key: '0', port: 1 }],
    };
    const [host] = buildHosts(values, values.hosts);
    expect(host && toHostValues(host as never, '0')).toEqual(values.hosts[0]);
  });

  it.each<[number, number, string]>([
    [0, 2, 'bca'],
    [2, 0, 'cab'],
    [1, 1, 'abc'],
    [0, -1, 'abc'],
    [0, 3, 'abc'],
  ])('move from %i to %i', (from, to, expected) => {
    expect(moveRow([...'abc'], from, to).join('')).toBe(expected);
  });
});
