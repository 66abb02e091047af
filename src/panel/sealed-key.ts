// The master key that sealed values depend on: secrets in the database, and the key of the panel's own authority.
import { join } from 'node:path';
import { authoritySealedWith } from '../adapters/certificates/authority.ts';
import { FILES } from '../adapters/data-folder.ts';
import type { SealedStore } from '../core/ports/sealed.ts';

/** While either depends on a master key, the vault creates no other one. */
export function sealedKey(folder: string, sealed: Pick<SealedStore, 'keyId'>): Pick<SealedStore, 'keyId'> {
  return { keyId: () => sealed.keyId() ?? authoritySealedWith(join(folder, FILES.tls)) };
}
