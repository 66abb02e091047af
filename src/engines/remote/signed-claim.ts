// A panel's claim, signed by its key for nodes. A node shows it to the panel that it refuses, which trusts the signature and not the node.
import { type KeyObject, sign, verify } from 'node:crypto';
import { type PanelClaim, readClaim, writeClaim } from '../../domain/nodes/panel-claim.ts';

/** Header of the panel's claim in requests, and of the obeyed panel's claim in refusals. */
export const CLAIM_HEADER = 'gatehouse-panel';

/** Prefix of the signed text: the key signs nothing else with it. */
const CONTEXT = 'gatehouse panel claim ';

/** `key`: PEM. */
export function signClaim(claim: PanelClaim, key: string): string {
  const text = writeClaim(claim);
  return `${text} ${sign('sha256', Buffer.from(CONTEXT + text), key).toString('base64url')}`;
}

/** null: that key has not signed the claim. */
export function readSignedClaim(signed: string, publicKey: KeyObject): PanelClaim | null {
  const [, text = '', signature = ''] = /^(\d{1,10} \d{1,16} [0-9a-f]{32}) ([\w-]{60,140})$/.exec(signed) ?? [];
  const claim = readClaim(text);
  if (claim === null) return null;
  return verify('sha256', Buffer.from(CONTEXT + text), publicKey, Buffer.from(signature, 'base64url')) ? claim : null;
}
