// A second factor whose one recovery code a test knows.
import { nodeCrypto } from '../../src/adapters/crypto.ts';
import type { Store } from '../../src/core/ports/ports.ts';
import { hashCode } from '../../src/core/proof/proof.ts';

/** Turns it on; returns the code, which works once. */
export function enableSecondFactor(store: Store): string {
  const code = 'abcd-efgh-jkmn-pqrs-tuvw-xyz2';
  store.write(() => {
    store.twoFactor.save({ enabledAt: 1, lastStep: 0 });
    store.twoFactor.replaceCodes([hashCode(nodeCrypto, code)]);
  });
  return code;
}
