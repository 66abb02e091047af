// What a user presents on a connection, as the engine stores it. The type follows from the connection alone: an account of another
// type ends the whole engine.
import { type Credentials, EngineError, type EngineInbound } from '../core/ports/engines.ts';
import { encodeShadowsocksAccount, encodeTexts, encodeVmessAccount, type TypedMessage } from './connector-messages.ts';

/** The first part of every name in an engine's API. */
export type Dialect = 'xray' | 'v2ray.core';

/** `shadowsocks.CipherType`; v2ray has no XChaCha20. */
const CIPHERS: Readonly<Record<Dialect, Readonly<Record<string, number>>>> = {
  xray: { 'aes-128-gcm': 5, 'aes-256-gcm': 6, 'chacha20-ietf-poly1305': 7, 'xchacha20-ietf-poly1305': 8 },
  'v2ray.core': { 'aes-128-gcm': 1, 'aes-256-gcm': 2, 'chacha20-ietf-poly1305': 3 },
};

/** The bytes of the key that Shadowsocks 2022 wants. ChaCha20 has no connections with several users. */
const KEY_BYTES: Readonly<Record<string, number>> = {
  '2022-blake3-aes-128-gcm': 16,
  '2022-blake3-aes-256-gcm': 32,
};

type Shape = Pick<EngineInbound, 'protocol' | 'flow' | 'method'>;

/** Throws `engine_refused` where no engine could serve a user on this connection. */
export function accountOf(dialect: Dialect, inbound: Shape, credentials: Credentials): TypedMessage {
  switch (inbound.protocol) {
    case 'vless':
      return typed(dialect, 'vless', encodeTexts({ 1: credentials.uuid, 2: inbound.flow ?? '', 3: 'none' }));
    case 'vmess':
      return typed(dialect, 'vmess', encodeVmessAccount(credentials.uuid));
    case 'trojan':
      return typed(dialect, 'trojan', encodeTexts({ 1: credentials.password }));
    case 'shadowsocks':
      return shadowsocksAccount(dialect, inbound.method ?? '', credentials);
  }
}

function shadowsocksAccount(dialect: Dialect, method: string, credentials: Credentials): TypedMessage {
  const keyBytes = KEY_BYTES[method];
  // Xray ignores that it could not use a key, and with it every user that is added later.
  if (keyBytes !== undefined)
    return typed(dialect, 'shadowsocks_2022', encodeTexts({ 1: sizedKey(credentials.key, keyBytes) }));
  const cipher = CIPHERS[dialect][method];
  if (cipher === undefined) throw new EngineError('engine_refused', `The engine has no users with ${method}`);
  return typed(dialect, 'shadowsocks', encodeShadowsocksAccount(credentials.password, cipher));
}

/** The first `bytes` of a key, in base64. */
function sizedKey(key: string, bytes: number): string {
  const whole = Buffer.from(key, 'base64');
  if (whole.length < bytes) throw new EngineError('engine_refused', `The key has ${whole.length} bytes of ${bytes}`);
  return whole.subarray(0, bytes).toString('base64');
}

function typed(dialect: Dialect, protocol: string, bytes: Uint8Array): TypedMessage {
  return { type: `${dialect}.proxy.${protocol}.Account`, bytes };
}
