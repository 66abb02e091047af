// All texts outside the pages, by namespace.
import { desktop } from './desktop.ts';
import { server } from './server.ts';
import { subscription } from './subscription.ts';

export const host = { desktop, server, subscription };
