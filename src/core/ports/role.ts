// The role of this panel: whether it works with its data, or the data was restored or copied elsewhere (docs/decisions/0025). Implemented
// in src/panel.
import type { PanelClaim } from '../../domain/nodes/panel-claim.ts';

/**
 * `active`: it works. `other_panel`: a copy was started later, and a node obeys that one; this one continues when the copy has been silent
 * for 30 seconds. `superseded`: the data was restored elsewhere; it stays so until `panel promote --take-back`. In the last two it is
 * read-only.
 */
export type RoleState = 'active' | 'other_panel' | 'superseded';

export interface PanelRole {
  state(): RoleState;
  claim(): PanelClaim;
  /** A node obeys this panel. */
  recordObeyed(nodeId: number): void;
  /** A node has shown the claim of another panel that it obeys. `superseded` is stored in the data folder at once. */
  recordRefused(nodeId: number, code: 'superseded' | 'other_panel', claim: PanelClaim): void;
  /** Called after each change of the state. */
  onChange(listener: () => void): void;
  /** Called once a node has answered, or at once if one already has. */
  onAnswered(listener: () => void): void;
}
