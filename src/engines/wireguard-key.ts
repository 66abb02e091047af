// A WireGuard user as the engine knows them: the public key of their private key, and their address inside the tunnel.
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { EngineError, type EngineInbound, type EngineUser } from '../core/ports/engines.ts';
import { userTunnelAddress } from '../domain/nodes/wireguard.ts';

/** RFC 8410: the PKCS #8 header before the 32 bytes of an X25519 key. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b656e04220420', 'hex');
const KEY_BYTES = 32;

export interface WireguardPeer {
  /** 32 bytes in hex: of the forms that Xray accepts, the only one with a single spelling. */
  readonly publicKey: string;
  /** The only address that the user's packets may come from. */
  readonly allowedIps: readonly string[];
}

/** Throws `engine_refused` if the user has no key, or the inbound's pool has no address for them. */
export function wireguardPeer({ addressPool }: Pick<EngineInbound, 'addressPool'>, user: EngineUser): WireguardPeer {
  const address = userTunnelAddress(addressPool, user.userId);
  if (address === null)
    throw new EngineError('engine_refused', `The address pool ${addressPool ?? ''} has none for this user`);
  const privateKey = Buffer.from(user.credentials.wireguard, 'base64');
  if (privateKey.length !== KEY_BYTES) throw new EngineError('engine_refused', 'The user has no key of WireGuard');
  return { publicKey: derivePublicKey(privateKey).toString('hex'), allowedIps: [`${address}/32`] };
}

function derivePublicKey(privateKey: Buffer): Buffer {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, privateKey]), format: 'der', type: 'pkcs8' });
  // An SPKI ends with the 32 bytes of the key.
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-KEY_BYTES);
}
