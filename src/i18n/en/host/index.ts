// All texts outside the pages, by namespace.
import { bot } from './bot.ts';
import { desktop } from './desktop.ts';
import { server } from './server.ts';
import { subscription } from './subscription.ts';

export const host = { bot, desktop, server, subscription };
