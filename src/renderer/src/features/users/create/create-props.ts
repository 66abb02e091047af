// What the drawer that creates users, and its two kinds, are given.
import type { ReactNode } from 'react';
import type { Plans } from '../use-plans.ts';

export interface CreateDrawerProps {
  readonly isOpen: boolean;
  readonly plans: Plans;
  /** The list below, as an address. */
  readonly list: string;
  readonly onClose: () => void;
}

export interface CreateProps extends Omit<CreateDrawerProps, 'isOpen'> {
  /** Chooses between one and many. */
  readonly kind: ReactNode;
}
