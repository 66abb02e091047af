// Whether this panel is the one that works with its data, where they were restored or copied elsewhere (docs/decisions/0025). Implemented in src/panel.
import type { PanelClaim } from '../../domain/nodes/panel-claim.ts';

/**
 * `active`: it works. `other_panel`: a copy of it was started later, and a node obeys that one; it goes on where that one has been silent for 30
 * seconds. `superseded`: the data were restored elsewhere; it stays so until `panel promote --take-back`. In the last two it can only be read.
 */
export type RoleState = 'active' | 'other_panel' | 'superseded';

export interface PanelRole {
  state(): RoleState;
  claim(): PanelClaim;
  /** A node obeys this panel. */
  recordObeyed(nodeId: number): void;
  /** A node has shown the claim of a panel that it obeys instead. `superseded` is stored beside the data at once. */
  recordRefused(nodeId: number, code: 'superseded' | 'other_panel', claim: PanelClaim): void;
  /** Called after each change of the state. */
  onChange(listener: () => void): void;
  /** Called once a node has answered, or at once where one has. */
  onAnswered(listener: () => void): void;
}
