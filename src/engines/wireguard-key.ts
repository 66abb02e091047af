// What an engine knows of a user of WireGuard: the public key of the private one, and the address inside the tunnel.
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { EngineError, type EngineInbound, type EngineUser } from '../core/ports/engines.ts';
import { userTunnelAddress } from '../domain/nodes/wireguard.ts';

/** RFC 8410: what stands before the 32 bytes of an X25519 key in PKCS #8. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b656e04220420', 'hex');
const KEY_BYTES = 32;

export interface WireguardPeer {
  /** 32 bytes in hexadecimal: of the forms that Xray reads the one that has only one spelling. */
  readonly publicKey: string;
  /** The one address that the user's packets may come from. */
  readonly allowedIps: readonly string[];
}

/** Throws `engine_refused` where the user has no key, or the pool of the inbound no address for them. */
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
  // The last 32 bytes of its SPKI.
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-KEY_BYTES);
}
