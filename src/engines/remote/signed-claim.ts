// A panel's claim, signed by its key for nodes: a node shows it to the panel that it refuses, which believes the key and not the node.
import { type KeyObject, sign, verify } from 'node:crypto';
import { type PanelClaim, readClaim, writeClaim } from '../../domain/nodes/panel-claim.ts';

/** In requests the claim of the panel, in refusals that of the panel which the node obeys. */
export const CLAIM_HEADER = 'gatehouse-panel';

/** Nothing else that this key signs begins so. */
const CONTEXT = 'gatehouse panel claim ';

/** `key`: PEM. */
export function signClaim(claim: PanelClaim, key: string): string {
  const text = writeClaim(claim);
  return `${text} ${sign('sha256', Buffer.from(CONTEXT + text), key).toString('base64url')}`;
}

/** Null: that key has not signed it. */
export function readSignedClaim(signed: string, publicKey: KeyObject): PanelClaim | null {
  const [, text = '', signature = ''] = /^(\d{1,10} \d{1,16} [0-9a-f]{32}) ([\w-]{60,140})$/.exec(signed) ?? [];
  const claim = readClaim(text);
  if (claim === null) return null;
  return verify('sha256', Buffer.from(CONTEXT + text), publicKey, Buffer.from(signature, 'base64url')) ? claim : null;
}
