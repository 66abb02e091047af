// The panel's own authority and other certificates: sealing the key, and access for backups.
import { join } from 'node:path';
import { type AuthoritySealing, adoptAuthority, findWholeAuthority } from '../adapters/certificates/authority.ts';
import { readCertificateFiles, writeCertificateFiles } from '../adapters/certificates/certificate-files.ts';
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
    // A keychain key that no database secret needs might be replaced.
    canSeal: () => isOpen() && (vault.state() === 'headless' || store.sealed.keyId() !== null),
    seal: vault.seal,
    open: vault.open,
  };
}

/** Access of backups to certificates. `served`: those of a running panel; null: none. */
export function backedUpCertificates(
  { folder, log, clock, ...parts }: AuthorityParts & { folder: string; log: Log; clock: Clock },
  served: () => Pick<ServedCertificates, 'adopt' | 'readAgain'> | null,
): BackupParts['certificates'] {
  const files = { folder: join(folder, FILES.tls), sealing: authoritySealing(parts), log };
  return {
    authority: () => findWholeAuthority(files),
    others: () => readCertificateFiles(files.folder),
    adoptOthers(others) {
      writeCertificateFiles(files.folder, others, clock.now());
      served()?.readAgain();
    },
    async adoptAuthority(authority) {
      const running = served();
      if (running) await running.adopt(authority);
      else adoptAuthority(files, clock.now(), authority);
    },
  };
}
