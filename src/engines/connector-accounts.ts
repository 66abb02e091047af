// The account of a user on an inbound, as the engine's API takes it. Its type must follow from the inbound: an account of another type
// crashes the whole engine.
import type { Credentials } from '../core/ports/credentials.ts';
import { EngineError, type EngineInbound, type EngineUser } from '../core/ports/engines.ts';
import { credentialsOn, flowOn } from '../domain/nodes/inbound-credentials.ts';
import { hasKeys, keyFor, STORED_KEY_BYTES } from '../domain/nodes/shadowsocks.ts';
import {
  encodePeer,
  encodeShadowsocksAccount,
  encodeTexts,
  encodeVmessAccount,
  type TypedMessage,
} from './connector-messages.ts';
import { wireguardPeer } from './wireguard-key.ts';

/** The prefix of every name in an engine's API. */
export type Dialect = 'xray' | 'v2ray.core';

/** `shadowsocks.CipherType`; v2ray has no XChaCha20. */
const CIPHERS: Readonly<Record<Dialect, Readonly<Record<string, number>>>> = {
  xray: { 'aes-128-gcm': 5, 'aes-256-gcm': 6, 'chacha20-ietf-poly1305': 7, 'xchacha20-ietf-poly1305': 8 },
  'v2ray.core': { 'aes-128-gcm': 1, 'aes-256-gcm': 2, 'chacha20-ietf-poly1305': 3 },
};

type Shape = Pick<EngineInbound, 'id' | 'protocol' | 'flow' | 'method' | 'addressPool'>;

/** Throws `engine_refused` if no engine could serve a user on this inbound. */
export function buildAccount(dialect: Dialect, inbound: Shape, user: EngineUser): TypedMessage {
  const credentials = credentialsOn(inbound, user.credentials);
  switch (inbound.protocol) {
    case 'vless':
      return buildTypedMessage(
        dialect,
        'vless',
        encodeTexts({ 1: credentials.uuid, 2: flowOn(inbound, credentials) ?? '', 3: 'none' }),
      );
    case 'vmess':
      return buildTypedMessage(dialect, 'vmess', encodeVmessAccount(credentials.uuid));
    case 'trojan':
      return buildTypedMessage(dialect, 'trojan', encodeTexts({ 1: credentials.password }));
    case 'hysteria2':
      // v2ray has none of the account's types: it would refuse the message without naming the reason.
      if (dialect !== 'xray') throw new EngineError('engine_refused', 'v2ray has no Hysteria2');
      return { type: 'xray.proxy.hysteria.account.Account', bytes: encodeTexts({ 1: credentials.password }) };
    case 'wireguard':
      if (dialect !== 'xray') throw new EngineError('engine_refused', 'v2ray has no WireGuard');
      return {
        type: 'xray.proxy.wireguard.PeerConfig',
        bytes: encodePeer(wireguardPeer(inbound, { ...user, credentials })),
      };
    case 'shadowsocks':
      return shadowsocksAccount(dialect, inbound.method ?? '', credentials);
  }
}

function shadowsocksAccount(dialect: Dialect, method: string, credentials: Credentials): TypedMessage {
  if (hasKeys(method))
    return buildTypedMessage(dialect, 'shadowsocks_2022', encodeTexts({ 1: padKey(method, credentials.key) }));
  const cipher = CIPHERS[dialect][method];
  if (cipher === undefined) throw new EngineError('engine_refused', `The engine has no users with ${method}`);
  return buildTypedMessage(dialect, 'shadowsocks', encodeShadowsocksAccount(credentials.password, cipher));
}

/** A key of the cipher's length. Xray accepts a key of another length without an error, and then no user who is added later can connect. */
function padKey(method: string, key: string): string {
  if (Buffer.from(key, 'base64').length !== STORED_KEY_BYTES)
    throw new EngineError('engine_refused', `A key for ${method} has not ${STORED_KEY_BYTES} bytes`);
  return keyFor(method, key);
}

function buildTypedMessage(dialect: Dialect, protocol: string, bytes: Uint8Array): TypedMessage {
  return { type: `${dialect}.proxy.${protocol}.Account`, bytes };
}
