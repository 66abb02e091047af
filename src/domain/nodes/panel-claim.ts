// Which of several panels with the same data a node obeys: the one that was restored last, and of its copies the one that was started last
// (docs/decisions/0025).

/** Above any real number of restores. */
export const MAX_EPOCH = 1_000_000_000;
/** How long after its last request other copies of the obeyed panel are refused. */
export const CLAIM_LEASE_MS = 30_000;

/** Sent by a panel to each node. */
export interface PanelClaim {
  /** Number of machines that the data has been restored to. */
  readonly epoch: number;
  /** When this process was started, epoch ms; later than any earlier start with the same data. */
  readonly startedAt: number;
  /** Random for each process. */
  readonly run: string;
}

export function writeClaim({ epoch, startedAt, run }: PanelClaim): string {
  return `${epoch} ${startedAt} ${run}`;
}

/** Null: invalid. */
export function readClaim(text: string): PanelClaim | null {
  const [, epoch, startedAt, run] = /^([1-9]\d{0,9}) (\d{1,16}) ([0-9a-f]{32})$/.exec(text) ?? [];
  if (run === undefined || Number(epoch) > MAX_EPOCH) return null;
  return { epoch: Number(epoch), startedAt: Number(startedAt), run };
}

export type ClaimVerdict = 'obeyed' | 'superseded' | 'other_panel';

function isLater(one: PanelClaim, other: PanelClaim): boolean {
  if (one.startedAt !== other.startedAt) return one.startedAt > other.startedAt;
  return one.run > other.run;
}

/** `holder`: the panel that the node obeyed last; null: none yet. `isHeld`: whether its last request is within the lease. */
export function classifyClaim(claim: PanelClaim, holder: PanelClaim | null, isHeld: boolean): ClaimVerdict {
  if (holder === null || claim.epoch > holder.epoch) return 'obeyed';
  if (claim.epoch < holder.epoch) return 'superseded';
  return claim.run === holder.run || !isHeld || isLater(claim, holder) ? 'obeyed' : 'other_panel';
}
