// The port of the panel's time, for a machine whose clock may be wrong.
import type { ClockDoubt, PanelTime } from '../../domain/panel-time.ts';
import type { Clock } from './ports.ts';

export interface ClockStatus {
  readonly state: PanelTime['state'];
  /** null while the machine's clock is trusted. */
  readonly doubt: ClockDoubt | null;
  /** Since when it is in doubt, by the panel's time; null while it is trusted. */
  readonly since: number | null;
  /** The machine's clock, epoch ms. */
  readonly machineAt: number;
}

export interface PanelClock extends Clock {
  status(): ClockStatus;
  /** Adds the time by another clock: a node's machine, or a verified HTTPS reply. Epoch ms. */
  addEvidence(at: number): void;
  /** The administrator confirms that the machine's clock is right. */
  confirm(): void;
}
