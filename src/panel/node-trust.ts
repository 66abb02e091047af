// The panel's side of trust with the machines of nodes: its key for them, which it shows to each, and the keys by which it knows them.
import { X509Certificate } from 'node:crypto';
import { readPanelIdentity } from '../core/nodes/join.ts';
import type { NodeTrust, PanelIdentity } from '../core/ports/engines.ts';
import type { Store, Vault } from '../core/ports/ports.ts';
import { joinNode } from '../engines/remote/join-node.ts';
import { computePin } from '../engines/remote/node-request.ts';

export interface PanelTrust {
  readonly trust: NodeTrust;
  /** The same one as long as the key is. Rejects where no machine was joined, or with PanelError `vault_unavailable`. */
  identity(): Promise<PanelIdentity>;
}

interface Parts {
  readonly store: Pick<Store, 'sealed'>;
  readonly vault: Vault;
}

export function openNodeTrust(parts: Parts): PanelTrust {
  let present: PanelIdentity | null = null;
  return {
    trust: {
      async makeIdentity() {
        // The library that writes certificates is slow to load.
        const { issuePinned } = await import('../adapters/certificates/issuer.ts');
        const { key, pem } = await issuePinned();
        return { key, certificate: pem };
      },
      computePin: ({ certificate }) => computePin(new X509Certificate(certificate)),
      join: (identity, place, takenBy) => joinNode({ ...place, identity, takenBy }),
    },
    async identity() {
      const stored = readPanelIdentity(parts);
      if (stored === null) throw new Error('no machine was joined to this panel');
      // Connections are kept by identity.
      if (present?.certificate !== stored.certificate) present = stored;
      return present;
    },
  };
}
