// Holds share links to known answers, and to being read back field by field whatever the names are.
import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { anyInbound, hostileName, readLink, sampleInbound, UUID } from '../../tests/support/subscription-samples.ts';
import type { InboundSecrets } from '../core/ports/credentials.ts';
import type { InboundRow } from '../core/ports/inbounds.ts';
import { userTunnelAddress, wireguardKey } from '../domain/nodes/wireguard.ts';
import { canShare, NO_SECRETS } from './entry.ts';
import { shareLink } from './share-links.ts';

const ENCRYPTION = 'mlkem768x25519plus.native.0rtt.jNXHt1yRo0vDuchQlIP6Z0ZvjT3KtzVI-T4E7RoLJS0';
const PASSWORD = 'q7Rk2_vN-pass';
const PUBLIC_KEY = 'jNXHt1yRo0vDuchQlIP6Z0ZvjT3KtzVI-T4E7RoLJS0';

const HYSTERIA2 = { protocol: 'hysteria2', network: 'quic', security: 'tls' } as const;
/** 32 bytes from 0 to 31, and from 32 to 63. */
const USER_KEY = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const SERVER_KEY = 'ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=';
const PIN = 'e8e2d387fdbffeb38e9c9065cf30a97ee23c0e3d32ee6f78ffae40966befccc9';

function renderLink(
  changes: Partial<InboundRow>,
  address = 'de1.example.com',
  secrets: Partial<InboundSecrets> = {},
  name = 'DE 1',
): string {
  const credentials = { uuid: UUID, password: PASSWORD, key: USER_KEY, wireguard: USER_KEY };
  const inbound = sampleInbound(changes);
  return shareLink({
    name,
    address,
    inbound,
    credentials,
    tunnelAddress: userTunnelAddress(inbound.addressPool, 7),
    secrets: { ...NO_SECRETS, ...secrets },
  });
}

describe('shareLink', () => {
  it('writes vless with reality and vision', () => {
    const link = renderLink({
      security: 'reality',
      sni: 'www.example.org',
      flow: 'xtls-rprx-vision',
      fingerprint: 'firefox',
      publicKey: PUBLIC_KEY,
      shortId: '6ba85179e30d4fc2',
    });
    expect(link).toBe(
      `vless://${UUID}@de1.example.com:443?encryption=none&flow=xtls-rprx-vision&type=tcp&security=reality&sni=www.example.org&fp=firefox&pbk=${PUBLIC_KEY}&sid=6ba85179e30d4fc2#DE%201`,
    );
  });

  it('writes vless over a web socket with TLS, with the address as server name if sni is not set', () => {
    const link = renderLink({ network: 'ws', security: 'tls', path: '/ws?ed=2048', alpn: ['h2', 'http/1.1'] });
    expect(link).toBe(
      `vless://${UUID}@de1.example.com:443?encryption=none&type=ws&path=%2Fws%3Fed%3D2048&host=de1.example.com&security=tls&sni=de1.example.com&alpn=h2%2Chttp%2F1.1#DE%201`,
    );
  });

  it('writes the half of VLESS encryption and the ML-DSA-65 key that apps have', () => {
    const reality = { security: 'reality', sni: 'a.example', publicKey: 'k', shortId: '' } as const;
    expect(renderLink({ ...reality, encryption: ENCRYPTION, mldsa65Verify: 'verify' })).toBe(
      `vless://${UUID}@de1.example.com:443?encryption=${ENCRYPTION}&type=tcp&security=reality&sni=a.example&fp=chrome&pbk=k&pqv=verify#DE%201`,
    );
  });

  it('writes trojan over grpc', () => {
    const link = renderLink({
      protocol: 'trojan',
      network: 'grpc',
      security: 'tls',
      serviceName: 'gs',
      sni: 'a.example',
    });
    expect(link).toBe(
      `trojan://${PASSWORD}@de1.example.com:443?type=grpc&serviceName=gs&mode=gun&security=tls&sni=a.example#DE%201`,
    );
  });

  it('writes shadowsocks by SIP002', () => {
    const link = renderLink({ protocol: 'shadowsocks', method: 'chacha20-ietf-poly1305', port: 8388 });
    expect(link).toBe('ss://Y2hhY2hhMjAtaWV0Zi1wb2x5MTMwNTpxN1JrMl92Ti1wYXNz@de1.example.com:8388#DE%201');
    expect(readLink(link).user).toBe(`chacha20-ietf-poly1305:${PASSWORD}`);
  });

  it.each([
    ['128', 'ICEiIyQlJicoKSorLC0uLw==:AAECAwQFBgcICQoLDA0ODw=='],
    ['256', `${SERVER_KEY}:${USER_KEY}`],
  ])('writes shadowsocks 2022 by SIP022, with keys of %s bits', (bits, password) => {
    const method = `2022-blake3-aes-${bits}-gcm`;
    const link = renderLink({ protocol: 'shadowsocks', method }, undefined, { serverKey: SERVER_KEY });
    expect(link).toBe(`ss://${method}:${encodeURIComponent(password)}@de1.example.com:443#DE%201`);
  });

  it('writes hysteria2 by its URI scheme, which never tells an app to trust whatever answers', () => {
    const user = `hysteria2://${PASSWORD}@de1.example.com:443/`;
    expect(renderLink(HYSTERIA2)).toBe(`${user}?sni=de1.example.com#DE%201`);
    expect(renderLink({ ...HYSTERIA2, sni: 'a.example', obfsPassword: 'p&ss#w?rd' }, undefined, { pin: PIN })).toBe(
      `${user}?sni=a.example&obfs=salamander&obfs-password=p%26ss%23w%3Frd&pinSHA256=${PIN}#DE%201`,
    );
    expect(renderLink({ ...HYSTERIA2, hopPorts: '443,20000-20100' })).toBe(
      `${user}?sni=de1.example.com&mport=443%2C20000-20100#DE%201`,
    );
    const split = new URL(renderLink({ protocol: 'trojan', security: 'tls', fragment: 'tlshello,100-200,10-20' }));
    expect(JSON.parse(split.searchParams.get('fm') ?? '')).toEqual({
      tcp: [{ type: 'fragment', settings: { packets: 'tlshello', length: '100-200', delay: '10-20' } }],
    });
    expect(renderLink(HYSTERIA2, '2001:db8::1')).toBe(`hysteria2://${PASSWORD}@[2001:db8::1]:443/#DE%201`);
  });

  it.each(['vless', 'trojan', 'vmess'] as const)('gives the pin of a certificate that %s goes by', (protocol) => {
    const pinned = (security: 'tls' | 'none') =>
      readLink(renderLink({ protocol, security }, undefined, { pin: PIN })).parameters.pcs;
    expect(pinned('tls')).toBe(PIN);
    expect(pinned('none')).toBeUndefined();
    expect(readLink(renderLink({ protocol, security: 'tls' })).parameters).not.toHaveProperty('pcs');
  });

  it('writes vmess as v2rayN reads it', () => {
    const link = renderLink({ protocol: 'vmess', network: 'ws', security: 'tls', path: '/v', fingerprint: 'chrome' });
    expect(JSON.parse(Buffer.from(link.replace('vmess://', ''), 'base64').toString('utf8'))).toEqual({
      v: '2',
      ps: 'DE 1',
      add: 'de1.example.com',
      port: '443',
      id: UUID,
      aid: '0',
      scy: 'aes-128-gcm',
      net: 'ws',
      type: 'none',
      host: 'de1.example.com',
      path: '/v',
      tls: 'tls',
      sni: 'de1.example.com',
      alpn: '',
      fp: 'chrome',
    });
  });

  it('writes the service name of grpc into the path of vmess', () => {
    const link = renderLink({ protocol: 'vmess', network: 'grpc', serviceName: 'gs', security: 'none' });
    expect(readLink(link).parameters).toMatchObject({
      scy: 'auto',
      net: 'grpc',
      type: 'gun',
      path: 'gs',
      host: '',
      tls: '',
      sni: '',
    });
  });

  it('distinguishes xhttp and httpupgrade', () => {
    const xhttp = readLink(
      renderLink({ network: 'xhttp', security: 'reality', publicKey: PUBLIC_KEY, sni: 'www.example.org' }),
    );
    expect(xhttp.parameters).toEqual({
      encryption: 'none',
      type: 'xhttp',
      path: '/',
      mode: 'auto',
      security: 'reality',
      sni: 'www.example.org',
      fp: 'chrome',
      pbk: PUBLIC_KEY,
    });
    const upgrade = readLink(renderLink({ network: 'httpupgrade', sni: 'cdn.example', path: '/u' }, '203.0.113.7'));
    expect(upgrade.parameters).toEqual({
      encryption: 'none',
      type: 'httpupgrade',
      path: '/u',
      host: 'cdn.example',
      security: 'none',
    });
  });

  it('writes wireguard as v2rayN reads it', () => {
    const link = renderLink({
      protocol: 'wireguard',
      network: 'udp',
      publicKey: PUBLIC_KEY,
      addressPool: '10.64.0.0/10',
    });
    expect(readLink(link)).toEqual({
      scheme: 'wireguard',
      user: USER_KEY,
      host: 'de1.example.com',
      port: 443,
      parameters: { publickey: wireguardKey(PUBLIC_KEY), address: '10.64.0.8/32', mtu: '1420' },
      name: 'DE 1',
    });
  });

  it('leaves the flow out where vision cannot run', () => {
    const flow = 'xtls-rprx-vision';
    expect(renderLink({ flow, security: 'none' })).not.toContain('flow=');
    expect(renderLink({ flow, security: 'tls', network: 'ws' })).not.toContain('flow=');
    expect(renderLink({ flow, security: 'tls' })).toContain('flow=xtls-rprx-vision');
  });

  it('writes IPv6 in brackets and no address as a TLS server name', () => {
    const link = renderLink({ security: 'tls' }, '2001:db8::1');
    expect(link).toContain('@[2001:db8::1]:443?');
    expect(readLink(link).parameters).not.toHaveProperty('sni');
    expect(readLink(renderLink({ protocol: 'vmess', security: 'tls' }, '2001:db8::1')).host).toBe('2001:db8::1');
  });

  it('writes international names in ASCII', () => {
    const link = readLink(renderLink({ security: 'tls' }, 'пример.рф'));
    expect(link.host).toBe('xn--e1afmkfd.xn--p1ai');
    expect(link.parameters.sni).toBe('xn--e1afmkfd.xn--p1ai');
  });
});

describe('canShare', () => {
  it.each<[string, Partial<InboundRow>, boolean]>([
    ['vless over plain tcp', {}, true],
    ['shadowsocks', { protocol: 'shadowsocks', method: 'aes-256-gcm' }, true],
    ['shadowsocks without a method', { protocol: 'shadowsocks' }, false],
    ['shadowsocks over a web socket', { protocol: 'shadowsocks', method: 'aes-256-gcm', network: 'ws' }, false],
    ['shadowsocks with TLS', { protocol: 'shadowsocks', method: 'aes-256-gcm', security: 'tls' }, false],
    ['vless with reality', { security: 'reality', publicKey: PUBLIC_KEY }, true],
    ['trojan with reality', { protocol: 'trojan', security: 'reality', publicKey: PUBLIC_KEY }, true],
    ['vmess with reality', { protocol: 'vmess', security: 'reality', publicKey: PUBLIC_KEY }, false],
    ['reality without its key', { security: 'reality' }, false],
    ['reality over a web socket', { security: 'reality', publicKey: PUBLIC_KEY, network: 'ws' }, false],
    ['wireguard', { protocol: 'wireguard', network: 'udp', publicKey: PUBLIC_KEY, addressPool: '10.64.0.0/10' }, true],
    ['wireguard without its key', { protocol: 'wireguard', network: 'udp', addressPool: '10.64.0.0/10' }, false],
    ['vless over packets of UDP', { network: 'udp' }, false],
    ['reality over grpc', { security: 'reality', publicKey: PUBLIC_KEY, network: 'grpc' }, true],
  ])('%s', (_, changes, can) => {
    expect(canShare(sampleInbound(changes))).toBe(can);
  });
});

const inbound = anyInbound.filter(canShare);
const address = fc.oneof(fc.domain(), fc.ipV4(), fc.ipV6());
const credentials = fc.record({
  uuid: fc.uuid(),
  password: fc.string({ unit: 'binary', minLength: 1 }),
  key: fc.constant(USER_KEY),
  wireguard: fc.constant(USER_KEY),
});

describe('any share link', () => {
  test.prop([inbound, address, credentials, hostileName])('reads back', (row, host, user, name) => {
    const tunnelAddress = userTunnelAddress(row.addressPool, 7);
    const entry = { name, address: host, inbound: row, credentials: user, tunnelAddress, secrets: NO_SECRETS };
    const link = readLink(shareLink(entry));
    const { network, security } = row;
    const known = row.protocol === 'shadowsocks' ? `${row.method}:${user.password}` : user.password;
    expect(link).toMatchObject({ host, port: row.port, name });
    if (row.protocol === 'wireguard') {
      expect(link.user).toBe(user.wireguard);
      expect(link.parameters).toMatchObject({ address: `${tunnelAddress}/32`, mtu: String(row.mtu ?? 1420) });
      return;
    }
    expect(link.user).toBe(row.protocol === 'vless' || row.protocol === 'vmess' ? user.uuid : known);
    if (row.protocol === 'shadowsocks') {
      expect(link.parameters).toEqual({});
      return;
    }
    if (row.protocol === 'hysteria2') {
      expect(link.parameters['obfs-password'] ?? null).toBe(row.obfsPassword);
      expect(link.parameters.mport ?? null).toBe(row.hopPorts);
      return;
    }
    const isVmess = row.protocol === 'vmess';
    expect(link.parameters.fm !== undefined).toBe(!isVmess && row.fragment !== null);
    if (row.protocol === 'vless') expect(link.parameters.encryption).toBe(row.encryption ?? 'none');
    if (security === 'reality') expect(link.parameters.pqv ?? null).toBe(row.mldsa65Verify);
    expect(link.parameters[isVmess ? 'net' : 'type']).toBe(network);
    expect(link.parameters[isVmess ? 'tls' : 'security']).toBe(isVmess && security === 'none' ? '' : security);
    if (network === 'ws') expect(link.parameters.path).toBe(row.path ?? '/');
    if (network === 'httpupgrade' || network === 'xhttp')
      expect(link.parameters.path).toBe((row.path ?? '/').replace(/\?ed=\d+$/, ''));
    if (network === 'grpc')
      expect(link.parameters[isVmess ? 'path' : 'serviceName']).toBe(row.serviceName ?? 'GunService');
    if (security === 'tls' && row.alpn?.length) expect(link.parameters.alpn).toBe(row.alpn.join(','));
  });
});
