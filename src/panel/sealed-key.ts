// Which master key secrets depend on: those in the database, and the key of the panel's own authority beside it.
import { join } from 'node:path';
import { authoritySealedWith } from '../adapters/certificates/authority.ts';
import { FILES } from '../adapters/data-folder.ts';
import type { SealedStore } from '../core/ports/sealed.ts';

/** A vault makes no other master key while either depends on one. */
export function sealedKey(folder: string, sealed: Pick<SealedStore, 'keyId'>): Pick<SealedStore, 'keyId'> {
  return { keyId: () => sealed.keyId() ?? authoritySealedWith(join(folder, FILES.tls)) };
}
