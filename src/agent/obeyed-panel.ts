// Which panel this machine obeys if several have the key of the join, as after a restored backup. Stored in the ledger, so that a restart
// changes nothing.
import type { KeyObject } from 'node:crypto';
import { EngineError } from '../core/ports/engines.ts';
import { CLAIM_LEASE_MS, classifyClaim, type PanelClaim } from '../domain/nodes/panel-claim.ts';
import { readSignedClaim } from '../engines/remote/signed-claim.ts';
import type { NodeLedger } from './ports/ledger.ts';

export interface ObeyedPanel {
  /**
   * Checks the claim of a request. Throws EngineError `superseded` or `other_panel`; returns false for a claim that the key has not signed.
   */
  admit(signed: string, key: KeyObject): boolean;
  /** The signed claim of the obeyed panel; null: there was none yet. */
  claim(): string | null;
}

const REFUSALS = {
  superseded: 'the data of this panel were restored elsewhere: this node obeys that panel',
  other_panel: 'this node obeys another panel with the same data, which was started later',
} as const;

/** `now`: steady, ms. */
export function createObeyedPanel(store: Pick<NodeLedger, 'panel' | 'savePanel'>, now: () => number): ObeyedPanel {
  let signedHolder = store.panel();
  let holder: PanelClaim | null = null;
  // After a restart of this process the former panel keeps the full time before another one may take over.
  let heardAt = now();
  return {
    admit(signed, key) {
      if (signed === signedHolder && holder !== null) {
        heardAt = now();
        return true;
      }
      const claim = readSignedClaim(signed, key);
      if (claim === null) return false;
      holder ??= signedHolder === null ? null : readSignedClaim(signedHolder, key);
      const verdict = classifyClaim(claim, holder, now() - heardAt < CLAIM_LEASE_MS);
      if (verdict !== 'obeyed') throw new EngineError(verdict, REFUSALS[verdict]);
      if (signed !== signedHolder) store.savePanel(signed);
      [signedHolder, holder, heardAt] = [signed, claim, now()];
      return true;
    },
    claim: () => signedHolder,
  };
}
