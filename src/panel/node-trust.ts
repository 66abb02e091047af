// The panel's trust with machines of nodes: its own key, and the keys of the machines.
import { X509Certificate } from 'node:crypto';
import { readPanelIdentity } from '../core/nodes/join.ts';
import type { NodeTrust, PanelIdentity } from '../core/ports/engines.ts';
import type { Store, Vault } from '../core/ports/ports.ts';
import { joinNode } from '../engines/remote/join-node.ts';
import { computePin } from '../engines/remote/node-request.ts';

export interface PanelTrust {
  readonly trust: NodeTrust;
  /** The same object while the key is unchanged. Rejects if no machine was joined, or with PanelError `vault_unavailable`. */
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
      // Connections are cached by identity.
      if (present?.certificate !== stored.certificate) present = stored;
      return present;
    },
  };
}
