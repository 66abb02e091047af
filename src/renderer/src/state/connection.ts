// Whether the panel is reachable, whether its events arrive, and the difference of its clock.
import { create } from 'zustand';
import type { ReachListener } from '../../../bridge/panel-transport.ts';

export interface Connection {
  /** `moved`: something else than a panel answers at this address. */
  readonly reach: 'reached' | 'lost' | 'moved';
  /** Whether live events arrive. */
  readonly isLive: boolean;
  /** The panel's clock minus this machine's, ms. */
  readonly skewMs: number;
}

export const useConnection = create<Connection>()(() => ({ reach: 'reached', isLive: false, skewMs: 0 }));

/** A Date header is exact to a second; a smaller difference counts as none. */
const TOLERANCE_MS = 2500;

export const reachListener: ReachListener = {
  onReach: (reach) => useConnection.setState({ reach }),
  onServerTime(at) {
    const difference = at + 500 - Date.now();
    useConnection.setState({ skewMs: Math.abs(difference) > TOLERANCE_MS ? difference : 0 });
  },
};

export function setLive(isLive: boolean): void {
  useConnection.setState({ isLive });
}

/** The present time by the panel's clock, epoch milliseconds. */
export function panelNow(): number {
  return Date.now() + useConnection.getState().skewMs;
}
