// Holds the preview to links that clients are known to read; that it is the panel's own link, tests/contract proves shape by shape.
import { describe, expect, it } from 'vitest';
import { sharePreview } from './share-preview.ts';
import { blankValues, reshaped, type Values } from './values.ts';

const USER = { uuid: '66ad4540-b58c-4ad2-9926-ea63445a9b57', password: 'q7Rk2_vN-pass' };
const KEY = 'jNXHt1yRo0vDuchQlIP6Z0ZvjT3KtzVI-T4E7RoLJS0';
const REALITY: Values = {
  ...blankValues(1),
  name: 'DE 1',
  sni: 'www.example.org',
  fingerprint: 'firefox',
  public_key: KEY,
  short_id: '6ba85179e30d4fc2',
};

function linkOf(values: Values, address = 'de1.example.com'): string | null {
  return sharePreview(values, address, USER);
}

describe('sharePreview', () => {
  it('writes vless with reality and vision', () => {
    expect(linkOf(REALITY)).toBe(
      `vless://${USER.uuid}@de1.example.com:443?encryption=none&flow=xtls-rprx-vision&type=tcp&security=reality&sni=www.example.org&fp=firefox&pbk=${KEY}&sid=6ba85179e30d4fc2#DE%201`,
    );
  });

  it('writes trojan over grpc', () => {
    const values = {
      ...reshaped(REALITY, { protocol: 'trojan', network: 'grpc', security: 'tls' }),
      service_name: 'gs',
    };
    expect(linkOf({ ...values, sni: 'a.example', fingerprint: '' })).toBe(
      `trojan://${USER.password}@de1.example.com:443?type=grpc&serviceName=gs&mode=gun&security=tls&sni=a.example#DE%201`,
    );
  });

  it('writes shadowsocks by SIP002', () => {
    expect(linkOf({ ...reshaped(REALITY, { protocol: 'shadowsocks' }), port: 8388 })).toBe(
      'ss://Y2hhY2hhMjAtaWV0Zi1wb2x5MTMwNTpxN1JrMl92Ti1wYXNz@de1.example.com:8388#DE%201',
    );
  });

  it('takes the connection’s own host before its node’s, and IPv6 in brackets', () => {
    expect(linkOf({ ...REALITY, host: '2001:db8::1' })).toContain('@[2001:db8::1]:443?');
    expect(linkOf(reshaped({ ...REALITY, sni: '' }, { security: 'tls' }), 'пример.рф')).toContain(
      'xn--e1afmkfd.xn--p1ai',
    );
  });

  it('waits for what a link cannot do without', () => {
    expect(linkOf({ ...REALITY, public_key: '' })).toBeNull();
    expect(linkOf({ ...REALITY, port: '' })).toBeNull();
    expect(linkOf(REALITY, '')).toBeNull();
  });
});
