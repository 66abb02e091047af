// The panel's time as the core sees it, where the machine's clock may be wrong.
import type { ClockDoubt, PanelTime } from '../../domain/panel-time.ts';
import type { Clock } from './ports.ts';

export interface ClockStatus {
  readonly state: PanelTime['state'];
  /** Null while the machine's clock is followed. */
  readonly doubt: ClockDoubt | null;
  /** Since when it is in doubt, panel's time; null while it is followed. */
  readonly since: number | null;
  /** What the machine's clock shows, epoch ms. */
  readonly machineAt: number;
}

export interface PanelClock extends Clock {
  status(): ClockStatus;
  /** What somebody else takes for the time: a node's machine, or a verified HTTPS reply. Epoch ms. */
  addEvidence(at: number): void;
  /** The administrator says that the machine's clock is right. */
  confirm(): void;
}
