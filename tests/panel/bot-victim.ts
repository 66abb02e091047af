// A panel with its bot, until it is killed. Arguments: the folder of its data, and where the Bot API is, for the first start only.
import { BOT_TOKEN } from '../support/bot-api.ts';
import { PASSWORD, startPanel } from '../support/panel.ts';

const [folder = '', root = ''] = process.argv.slice(2);
const panel = await startPanel({ folder });
if (root !== '') {
  await panel.act('saveBot', { token: BOT_TOKEN, api_root: root, allow_private: true, password: PASSWORD });
}
