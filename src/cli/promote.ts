// `panel promote --take-back`: ends the read-only state of a panel whose data was restored elsewhere.
import { refusal } from '../adapters/refusal.ts';
import { promotePanel } from '../panel/promote.ts';
import { askConfirmation, notify, print } from './terminal.ts';

const QUESTION =
  'The other panel with these data becomes read-only, and what was written there stays there. Make this one active?';

export async function promote(options: {
  readonly data?: string;
  readonly takeBack?: boolean;
  readonly yes?: boolean;
}): Promise<void> {
  if (!options.takeBack) throw refusal('refused', 'Add --take-back to make this panel the active one again.');
  if (!options.yes) await askConfirmation(QUESTION);
  print(String(promotePanel(options.data)));
  notify('The nodes obey this panel from its next start on.');
}
