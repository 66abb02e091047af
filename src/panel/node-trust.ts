// The panel's side of trust with the machines of nodes: its authority for them, what it shows itself with, and their certificates.
import { createHash, X509Certificate } from 'node:crypto';
import type { Validity } from '../adapters/certificates/issuer.ts';
import { readNodeAuthority } from '../core/nodes/join.ts';
import type { NodeAuthority, NodeTrust } from '../core/ports/engines.ts';
import type { Clock, Store, Vault } from '../core/ports/ports.ts';
import { joinNode } from '../engines/remote/join-node.ts';
import type { PanelIdentity } from '../engines/remote/node-client.ts';

const DAY_MS = 86_400_000;
const AUTHORITY_DAYS = 3652;
/** Renewed with each contact, once 300 days are left: a panel may be away for that long. */
const NODE_DAYS = 397;
const PANEL_DAYS = 30;
/** For machines whose clocks are behind. */
const BACKDATED_MS = DAY_MS;
// Anyone who connects can read the certificate of a node: it names nothing.
const NODE_NAME = 'node.invalid';
const PANEL_NAME = 'panel.invalid';

/** The library that writes certificates is slow to load. */
const issuer = () => import('../adapters/certificates/issuer.ts');

export interface PanelTrust {
  readonly trust: NodeTrust;
  /** The same one for half of its time. Rejects where no machine was joined, or with PanelError `vault_unavailable`. */
  identity(): Promise<PanelIdentity>;
  /** A certificate for a node's public key (SPKI, DER). */
  certify(publicKey: Uint8Array): Promise<string>;
}

interface Parts {
  readonly store: Pick<Store, 'sealed'>;
  readonly vault: Vault;
  readonly clock: Clock;
}

export function openNodeTrust(parts: Parts): PanelTrust {
  const { clock } = parts;
  let present: (PanelIdentity & { readonly renewAt: number }) | null = null;

  function requireAuthority(): NodeAuthority {
    const authority = readNodeAuthority(parts);
    if (authority === null) throw new Error('no machine was joined to this panel');
    return authority;
  }

  async function certifyBy(authority: NodeAuthority, publicKey: Uint8Array): Promise<string> {
    return (await issuer()).certify(authority, publicKey, NODE_NAME, validityBy(authority, NODE_DAYS));
  }

  /**
   * From the authority's own beginning on: what was certified while the clock was ahead is in force once it is right, and a machine that it
   * could not reach would have to be joined again.
   */
  function validityBy({ pem }: NodeAuthority, days: number): Validity {
    const { validFromDate, validToDate } = new X509Certificate(pem);
    const [from, to] = [validFromDate.getTime(), validToDate.getTime()];
    return { from, to: Math.min(Math.max(clock.now(), from) + days * DAY_MS, to) };
  }

  return {
    trust: {
      async makeAuthority(now) {
        const from = now - BACKDATED_MS;
        return (await issuer()).issueAuthority({ from, to: from + AUTHORITY_DAYS * DAY_MS });
      },
      fingerprint: ({ pem }) => createHash('sha256').update(new X509Certificate(pem).raw).digest('hex'),
      join: (authority, place) =>
        joinNode({
          ...place,
          authority: authority.pem,
          certify: (publicKey) => certifyBy(authority, publicKey),
        }),
    },
    async identity() {
      const authority = requireAuthority();
      const now = clock.now();
      if (present !== null && present.authority === authority.pem && now < present.renewAt) return present;
      const validity = validityBy(authority, PANEL_DAYS);
      const { key, pem } = await (await issuer()).issueClient(authority, PANEL_NAME, validity);
      const renewAt = now + (PANEL_DAYS / 2) * DAY_MS;
      present = { key, certificate: pem, authority: authority.pem, renewAt };
      return present;
    },
    certify: async (publicKey) => certifyBy(requireAuthority(), publicKey),
  };
}
