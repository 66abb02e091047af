// What each form of pasted text is taken for, and that no text breaks it.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { clientApp } from '../client-app.ts';
import { lastSegment, type Pasted, readPasted } from './pasted.ts';

const UUID = '0b1c6a7e-3f52-4d0a-9c1e-2f6f1b7f4a55';
const KEY = btoa('k'.repeat(32));
const share = (family: 'uuid' | 'password' | 'key' | 'wireguard', value: string, isBeginning = false): Pasted => ({
  kind: 'share_link',
  credential: { family, value, isBeginning },
});

const CASES: readonly [string, Pasted][] = [
  [`vless://${UUID}@a.example:443?type=tcp#Name`, share('uuid', UUID)],
  [`VLESS://${UUID.toUpperCase()}@[2001:db8::1]:443`, share('uuid', UUID)],
  [`vmess://${btoa(JSON.stringify({ id: UUID, ps: 'x' }))}`, share('uuid', UUID)],
  ['trojan://pass%2Fword@a.example:443?sni=b#c', share('password', 'pass/word')],
  ['hysteria2://password@a.example:443/?sni=b', share('password', 'password')],
  ['hy2://password@a.example:443', share('password', 'password')],
  [`wireguard://${encodeURIComponent(KEY)}@a.example:1?publickey=x&address=10.64.0.2%2F32#b`, share('wireguard', KEY)],
  [`ss://${btoa('aes-256-gcm:pass:word')}@a.example:1`, share('password', 'pass:word')],
  [`ss://2022-blake3-aes-256-gcm:${encodeURIComponent(`${KEY}:${KEY}`)}@a.example:1`, share('key', KEY)],
  [
    `ss://2022-blake3-aes-128-gcm:${encodeURIComponent(`${KEY}:${btoa('k'.repeat(16))}`)}@a.example:1`,
    share('key', KEY.slice(0, 21), true),
  ],
  ['vless://broken', { kind: 'share_link', credential: null }],
  ['vmess://%%%', { kind: 'share_link', credential: null }],
  [
    'https://p.example:8443/sub/Zp3kVn0cQm6yT1uXw8RsLg?format=xray',
    { kind: 'subscription_link', token: 'Zp3kVn0cQm6yT1uXw8RsLg' },
  ],
  [
    'happ://add/https://p.example/sub/Zp3kVn0cQm6yT1uXw8RsLg',
    { kind: 'subscription_link', token: 'Zp3kVn0cQm6yT1uXw8RsLg' },
  ],
  ['pnl_4fTq', { kind: 'key', value: 'pnl_4fTq', isWhole: false }],
  [`pnl_${'a'.repeat(42)}`, { kind: 'key', value: `pnl_${'a'.repeat(42)}`, isWhole: true }],
  [UUID, { kind: 'uuid', value: UUID }],
  ['0123456789ABCDEF0123456789abcdef', { kind: 'request', id: '0123456789abcdef0123456789abcdef' }],
  [' 42 ', { kind: 'id', id: 42 }],
  ['#42', { kind: 'id', id: 42 }],
  ['@anna', { kind: 'words', text: '@anna' }],
  ['Anna Smirnova', { kind: 'words', text: 'Anna Smirnova' }],
];

it.each(CASES)('%s', (text, pasted) => {
  expect(readPasted(text)).toEqual(pasted);
});

const NOTHING: Pasted = { kind: 'share_link', credential: null };
const vmess = (value: unknown) => `vmess://${btoa(JSON.stringify(value))}`;
const KEY_OF_16 = btoa('k'.repeat(16));

it.each<[string, string, Pasted]>([
  ['the short name of WireGuard', `wg://${KEY}@a.example:1`, share('wireguard', KEY)],
  ['WireGuard without a key', 'wireguard://@a.example:1', NOTHING],
  ['an empty password', 'trojan://@a.example:1', NOTHING],
  ['no user at all', 'trojan://a.example:1', NOTHING],
  ['an at sign in a password', 'trojan://pa@ss@a.example:1', share('password', 'pa@ss')],
  ['an at sign behind the host', 'trojan://pass@a.example:1/@x?y=@z#@', share('password', 'pass')],
  ['an at sign in the query', 'trojan://pass@a.example:1?y=@z', share('password', 'pass')],
  ['an at sign in the name', 'trojan://pass@a.example:1#@z', share('password', 'pass')],
  ['what is not encoded by percents', 'trojan://100%@a.example:1', share('password', '100%')],
  ['an id that is none', 'vless://0b1c6a7e@a.example:1', NOTHING],
  ['more than an id', `vless://${UUID}0@a.example:1`, NOTHING],
  ['VMess with a name behind it', `${vmess({ id: UUID })}#name`, share('uuid', UUID)],
  ['VMess without padding', vmess({ id: UUID, a: 1 }).replace(/=+$/, ''), share('uuid', UUID)],
  ['VMess without an id', vmess({ ps: UUID }), NOTHING],
  ['VMess that is a list', vmess([UUID]), NOTHING],
  ['VMess that is null', vmess(null), NOTHING],
  ['VMess that is a text', vmess(UUID), NOTHING],
  ['Shadowsocks without a password', `ss://${btoa('aes-256-gcm:')}@a.example:1`, NOTHING],
  ['Shadowsocks that says nothing', 'ss://@a.example:1', NOTHING],
  ['Shadowsocks in clear', 'ss://aes-256-gcm:word@a.example:1', share('password', 'word')],
  [
    'base64 of URLs',
    `ss://${btoa('aes-256-gcm:???>>>').replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '')}@a.example:1`,
    share('password', '???>>>'),
  ],
  ['a key of 2022 alone', `ss://2022-blake3-aes-256-gcm:${KEY}@a.example:1`, share('key', KEY)],
  ['a key of 2022 that is too short', `ss://2022-blake3-aes-128-gcm:${KEY_OF_16.slice(0, 20)}@a.example:1`, NOTHING],
  [
    'a key of 2022 that is just long enough',
    `ss://2022-blake3-aes-128-gcm:${KEY_OF_16.slice(0, 21)}@a.example:1`,
    share('key', KEY_OF_16.slice(0, 21), true),
  ],
])('%s', (_what, text, pasted) => {
  expect(readPasted(text)).toEqual(pasted);
});

it('takes for words what is nearly something else', () => {
  const near = [
    'x',
    '',
    'pnl_',
    'xpnl_4fTq',
    'pnl_4f-Tq',
    `pnl_${'a'.repeat(43)}`,
    `x${UUID}`,
    `${UUID}0`,
    UUID.slice(1),
    'f'.repeat(31),
    'f'.repeat(33),
    `${'f'.repeat(31)}g`,
    '0',
    '#0',
    '##4',
    '4#',
    '1'.repeat(16),
    'https://p.example/sub/short',
    `https://p.example/sub/${'t'.repeat(15)}`,
    `https://p.example/sub/${'t'.repeat(65)}`,
    `https://p.example/sub/${'t'.repeat(16)}!`,
    `p.example/sub/${'t'.repeat(16)}`,
    `1ttps://p.example/sub/${'t'.repeat(16)}`,
    ` vless:/${'t'.repeat(16)}`,
    'my vless://x@y',
  ];
  for (const text of near) expect(readPasted(text)).toEqual({ kind: 'words', text: text.trim() });
  expect(readPasted('1'.repeat(15))).toEqual({ kind: 'id', id: 111_111_111_111_111 });
  expect(readPasted(UUID.toUpperCase())).toEqual({ kind: 'uuid', value: UUID });
  for (const length of [16, 64])
    expect(readPasted(`HTTPS://p.example/sub/${'t'.repeat(length)}#x`)).toEqual({
      kind: 'subscription_link',
      token: 't'.repeat(length),
    });
});

it('has the last segment of a link, without what is behind it', () => {
  expect(['a/b/c', 'a/b/c?d/e', 'a/b/c#d/e', 'c', ''].map(lastSegment)).toEqual(['c', 'c', 'c', 'c', '']);
});

it('never throws', () => {
  const schemes = fc.constantFrom('', 'vless://', 'vmess://', 'ss://', 'trojan://', 'https://', 'pnl_');
  fc.assert(fc.property(schemes, fc.string(), (scheme, text) => void readPasted(scheme + text)));
});

it.each([
  ['Happ/3.1 (iPhone; iOS 18)', 'Happ/3.1'],
  ['v2rayNG/1.9.5', 'v2rayNG/1.9.5'],
  ['<script>', null],
  [undefined, null],
] as const)('the application of %s', (agent, app) => {
  expect(clientApp(agent)).toBe(app);
});
