// Confirms a new listening address once, when the page that its link leads to has come up.
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Addresses } from '../../../../../contract/addresses.ts';
import { PanelCallError } from '../../../../../contract/client.ts';
import { useAct } from '../../../data/use-act.ts';
import { waitFor } from './trial-state.ts';

export interface Confirmation {
  /** The addresses from now on; null until it is confirmed. */
  readonly outcome: Addresses | null;
  readonly failure: PanelCallError | null;
  confirm(): void;
}

export function useConfirmation(token: string): Confirmation {
  const [outcome, setOutcome] = useState<Addresses | null>(null);
  const [failure, setFailure] = useState<PanelCallError | null>(null);
  const { run } = useAct('confirmAddresses');
  const asked = useRef('');
  const confirm = useCallback(() => {
    setFailure(null);
    run({ token }).then(
      (addresses) => {
        waitFor(null);
        setOutcome(addresses);
      },
      (reason: unknown) => {
        if (reason instanceof PanelCallError) setFailure(reason);
      },
    );
  }, [run, token]);
  useEffect(() => {
    if (asked.current === token) return;
    asked.current = token;
    confirm();
  }, [token, confirm]);
  return { outcome, failure, confirm };
}
