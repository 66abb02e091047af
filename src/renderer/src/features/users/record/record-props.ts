// What every part of a user's record is given.
import type { User } from '../../../../../contract/users.ts';
import type { Plans } from '../use-plans.ts';

/** A part of the record that is opened for an act. */
export type OpenPart = 'extend' | 'grant' | null;

export interface RecordProps {
  readonly user: User;
  /** Reads the record anew. */
  readonly refresh: () => Promise<unknown>;
  readonly plans: Plans;
  readonly part: OpenPart;
  readonly onPart: (part: OpenPart) => void;
}
