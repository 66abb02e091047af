// Where a master key is kept, the keychain or a file, as the vault sees either.
import type { VaultReason, VaultState } from '../../core/ports/ports.ts';
import type { MasterKey } from './master-key.ts';

export type Found =
  | { readonly kind: 'key'; readonly key: MasterKey }
  /** The place works and holds nothing. */
  | { readonly kind: 'empty' }
  | {
      readonly kind: 'unusable';
      readonly state: Extract<VaultState, 'locked' | 'absent' | 'changed'>;
      readonly reason: VaultReason;
      /** For the log; no secret. */
      readonly detail: string;
    };

export interface KeyPlace {
  /** As Vault's `backend()` names it. */
  readonly backend: string;
  /** The vault's state when a fitting key is there. */
  readonly opened: Extract<VaultState, 'unlocked' | 'headless'>;
  /** The vault's reason when secrets are sealed but no key is there, and when the key is another than theirs. */
  readonly missing: VaultReason;
  readonly other: VaultReason;
  /** Whether a key that vanished while the panel ran is to be put back. */
  readonly takesBack: boolean;
  /** Never rejects; may take as long as a person needs for a prompt. */
  find(): Promise<Found>;
  /** Stores the key where there is none, and tells what is there then: an entry that is there stays. Never rejects. */
  make(key: MasterKey): Promise<Found>;
  /** Ends a call that nobody answers, with its prompt; false where that cannot be done. */
  giveUp(): boolean;
}
