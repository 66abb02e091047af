// Which of several panels with the same data a node obeys: the one that was restored last, and of its copies the one that was started last
// (docs/decisions/0025).

/** More restores than there can be. */
export const MAX_EPOCH = 1_000_000_000;
/** How long a copy of the panel that a node obeys is refused after its last request. */
export const CLAIM_LEASE_MS = 30_000;

/** What a panel says of itself to each node. */
export interface PanelClaim {
  /** Counts the machines that its data were restored to. */
  readonly epoch: number;
  /** When this process was started, epoch ms; later than any start before of the same data. */
  readonly startedAt: number;
  /** Random for each process. */
  readonly run: string;
}

export function writeClaim({ epoch, startedAt, run }: PanelClaim): string {
  return `${epoch} ${startedAt} ${run}`;
}

/** Null: it makes no sense. */
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

/** `holder`: the panel that the node obeyed last; null: none yet. `isHeld`: whether that was within the lease. */
export function classifyClaim(claim: PanelClaim, holder: PanelClaim | null, isHeld: boolean): ClaimVerdict {
  if (holder === null || claim.epoch > holder.epoch) return 'obeyed';
  if (claim.epoch < holder.epoch) return 'superseded';
  return claim.run === holder.run || !isHeld || isLater(claim, holder) ? 'obeyed' : 'other_panel';
}
