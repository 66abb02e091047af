// Whether the panel is within reach, whether its events come in, and how far its clock is from this one.
import { create } from 'zustand';
import type { ReachListener } from '../../../bridge/panel-transport.ts';

export interface Connection {
  /** `moved`: what answers at this address is no panel. */
  readonly reach: 'reached' | 'lost' | 'moved';
  /** Whether live events come in. */
  readonly isLive: boolean;
}

export const useConnection = create<Connection>()(() => ({ reach: 'reached', isLive: false }));

/** A Date header is exact to a second; a smaller difference is none. */
const TOLERANCE_MS = 2500;
let skew = 0;

export const reachListener: ReachListener = {
  onReach: (reach) => useConnection.setState({ reach }),
  onServerTime(at) {
    const difference = at + 500 - Date.now();
    skew = Math.abs(difference) > TOLERANCE_MS ? difference : 0;
  },
};

export function noteLive(isLive: boolean): void {
  useConnection.setState({ isLive });
}

/** The present moment by the panel's clock, epoch milliseconds. */
export function panelNow(): number {
  return Date.now() + skew;
}
