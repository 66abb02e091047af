// What each form of pasted text is taken for, and that no text breaks it.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { clientApp } from '../client-app.ts';
import { type Pasted, readPasted } from './pasted.ts';

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
