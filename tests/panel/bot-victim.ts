// A panel with its bot, until it is killed. Argument: the folder of its data.
import { startPanel } from '../support/panel.ts';

const [folder = ''] = process.argv.slice(2);
await startPanel({ folder });
