// The panel's own authority: how its key is sealed, and how backups read and replace it.
import { join } from 'node:path';
import { type AuthoritySealing, adoptAuthority, findWholeAuthority } from '../adapters/certificates/authority.ts';
import { FILES } from '../adapters/data-folder.ts';
import type { Clock, Log, Store, Vault } from '../core/ports/ports.ts';
import type { BackupParts } from './backup/backups.ts';
import type { ServedCertificates } from './served-certificates.ts';

interface AuthorityParts {
  readonly store: Pick<Store, 'sealed'>;
  readonly vault: Pick<Vault, 'open' | 'seal' | 'state'>;
}

export function authoritySealing({ store, vault }: AuthorityParts): AuthoritySealing {
  const isOpen = () => vault.state() === 'unlocked' || vault.state() === 'headless';
  return {
    isOpen,
    // A keychain's key that no secret of the database needs might be replaced.
    canSeal: () => isOpen() && (vault.state() === 'headless' || store.sealed.keyId() !== null),
    seal: vault.seal,
    open: vault.open,
  };
}

/** The authority as backups have it. `served`: the certificates of a running panel; null: none are served. */
export function backedUpAuthority(
  { folder, log, clock, ...parts }: AuthorityParts & { folder: string; log: Log; clock: Clock },
  served: () => Pick<ServedCertificates, 'adopt'> | null,
): BackupParts['authority'] {
  const files = { folder: join(folder, FILES.tls), sealing: authoritySealing(parts), log };
  return {
    read: () => findWholeAuthority(files),
    async adopt(authority) {
      const running = served();
      if (running) await running.adopt(authority);
      else adoptAuthority(files, clock.now(), authority);
    },
  };
}
