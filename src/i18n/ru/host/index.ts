// All texts outside the pages, by namespace.
import { desktop } from './desktop.ts';
import { subscription } from './subscription.ts';

export const host = { desktop, subscription };
